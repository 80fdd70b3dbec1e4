"""All commands as `--help` groups them, each with the place that its module is loaded from; and names they had before.

What a list of commands and the shell's completion say of them is kept in commands.json, made from the commands
themselves (`python -m tests.cli.outlines`): so neither loads a module."""

from __future__ import annotations

from collections.abc import Mapping

Section = Mapping[str, str]
"""Name -> module and function; "" = a group of commands. A function that is no command makes the one of that name."""

STAFF_COMMANDS = "match:build_staff_command"
"""The moderator's commands, which a mail may have, too."""
TREE: Mapping[str, Mapping[str, Section]] = {
    "": {
        "Begin": {
            "init": "init:init",
            "demo": "trial_clubs:demo",
            "move-in": "move_in:move_in_club",
        },
        "Every day": {
            "today": "today:today",
            "tick": "tick:tick",
            "watch": "tick:watch",
            "quarantine": "",
            "token": "match:print_staff_address",
        },
        "People": {
            "player": "",
            "referee": "",
            "ratings": "player:ratings",
        },
        "Matches": {
            "match": "",
            "game": "",
            "lexicon": "",
            "words": "",
            "puzzle": "",
        },
        "Tournaments": {
            "cup": "",
        },
        "Keeping the club": {
            "doctor": "doctor:doctor",
            "publish": "publish:publish",
            "backup": "backups:backup",
            "restore": "backups:restore",
            "upgrade": "init:upgrade",
            "move-store": "backups:move_store",
            "reread": "backups:reread",
            "clock": "",
        },
        "Looking closer": {
            "audit": "backups:audit",
            "review": "puzzle:review",
            "sandbox": "trial_clubs:sandbox",
            "rehearse": "trial_clubs:rehearse",
            "export": "match:print_match_record",
            "replay": "record:replay",
            "verify": "record:verify",
            "analyse": "record:analyse",
        },
        "For programs": {
            "receive": "tick:receive",
            "turn": "turn:turn",
            "compose": "turn:compose",
            "schema": "derived:print_schema",
        },
    },
    "match": {
        "Set up and look": {
            "list": "lists:print_matches",
            "show": "match_show:show_match_position",
            "add": "match:set_up_match",
            "start": "match:deal_named_match",
            "cancel": STAFF_COMMANDS,
        },
        "Time": {
            "missing": STAFF_COMMANDS,
            "extend": STAFF_COMMANDS,
            "pause": STAFF_COMMANDS,
            "resume": STAFF_COMMANDS,
        },
        "Turns": {
            "move": STAFF_COMMANDS,
            "preview": STAFF_COMMANDS,
            "evaluate": STAFF_COMMANDS,
            "rollback": STAFF_COMMANDS,
        },
        "Players": {
            "replace": STAFF_COMMANDS,
            "eject": STAFF_COMMANDS,
            "excuse": STAFF_COMMANDS,
            "notice": STAFF_COMMANDS,
            "referee": STAFF_COMMANDS,
            "protests": "match:print_protests",
            "rule-protest": "match:rule_protest",
        },
        "Looking closer": {
            "log": "match_show:show_match_log",
            "check": "match_show:check_match_logs",
            "state": "match_show:verify_signed_state",
        },
    },
    "cup": {
        "Set up and look": {
            "list": "tournament:print_tournaments",
            "show": "tournament_show:show_named_tournament",
            "standings": "tournament_show:show_named_standings",
            "formats": "tournament_show:print_tournament_formats",
            "add": "tournament:set_up_tournament",
        },
        "From registration to the end": {
            "open": "tournament:open_named_registration",
            "join": "tournament:enter_named_players",
            "withdraw": "tournament:withdraw_named_player",
            "start": "tournament:start_named_tournament",
            "pair": "tournament:pair_named_round",
            "extend": "tournament:extend_latest_ends",
            "adjudicate": "tournament:adjudicate_named_game",
            "referee": "referee:name_tournament_referee",
            "finish": "tournament:finish_named_ladder",
            "cancel": "tournament:cancel_named_tournament",
        },
        "Files": {
            "export": "tournament:export_tournament_files",
            "import": "tournament:import_tournament_files",
        },
    },
    "player": {
        "": {
            "list": "lists:print_players",
            "add": "player:add_named_player",
            "set": "player:set_player_settings",
            "reachable": "player:mark_named_reachable",
            "export": "player:export_player_data",
            "forget": "player:forget_named_player",
        },
    },
    "referee": {
        "": {
            "list": "referee:print_referees",
            "add": "referee:add_named_referee",
            "set": "referee:set_referee_settings",
            "leave": "referee:set_leave_of_referee",
            "remove": "referee:remove_named_referee",
        },
    },
    "quarantine": {
        "": {
            "list": "mailbox:print_quarantine",
            "show": "mailbox:show_quarantined_mail",
            "accept": "mailbox:accept_quarantined",
            "retry": "mailbox:retry_quarantined",
            "drop": "mailbox:drop_quarantined",
        },
    },
    "game": {
        "": {
            "list": "game:print_games",
            "show": "game:show_game",
            "new": "game:create_game_folder",
        },
    },
    "lexicon": {
        "": {
            "list": "words:print_dictionaries",
            "build": "words:build_named_dictionary",
            "check": "words:judge_typed_words",
        },
    },
    "words": {
        "": {
            "list": "words:print_house_rulings",
            "rule": "words:set_house_ruling",
        },
    },
    "puzzle": {
        "": {
            "list": "puzzle:print_weekly_puzzles",
            "skip": "puzzle:withdraw_puzzle",
        },
    },
    "clock": {
        "": {
            "right": "clock:accept_machine_clock",
            "undo": "clock:restore_moved_deadlines",
        },
    },
}
"""By the group ("" = `moderator` itself) and the heading above them."""
GROUPS = {
    "clock": "The machine's clock, and deadlines that moved because of it.",
    "cup": "Set up, run and look at tournaments.",
    "game": "The games that can be played here, and your own.",
    "lexicon": "Build, list and ask dictionaries.",
    "match": "Set up, run and look at matches.",
    "player": "The people and robots who play.",
    "puzzle": "The puzzle of the week.",
    "quarantine": "Mails that wait for your decision.",
    "referee": "The people who decide in your place.",
    "words": "Your own rulings on single words.",
}
OLD_NAMES = {
    "match new": "match add",
    "match go-on": "match resume",
    "cup new": "cup add",
}
"""They work as ever and are shown nowhere."""
ANYWHERE = ("analyse", "compose", "game", "replay", "schema", "turn", "verify")
"""Commands that need files only, no club: they run on Windows, too."""


def list_command_names(group: str) -> list[str]:
    """List the commands of a group in the order of its help."""
    return [name for section in TREE[group].values() for name in section]


def find_command_place(group: str, name: str) -> str | None:
    """Find the place of a command; "" = it is a group; None = there is no such command."""
    return next((section[name] for section in TREE[group].values() if name in section), None)
