"""All checks in the order in which they are run, each with what the contract says."""

from __future__ import annotations

from moderator.conformance import (
    deals,
    mails,
    notation,
    promised,
    rules,
    sentences,
    touch_board,
    worlds,
    worlds_by_mail,
)
from moderator.conformance.subject import Check

CHECKS = (
    Check(
        "declared",
        "A game names its key, seats, paces, version and options as they are.",
        rules.iter_declaration_findings,
    ),
    Check(
        "imports",
        "Of moderator a game imports what docs/build/contract.md promises, and nothing else.",
        promised.iter_import_findings,
    ),
    Check(
        "deal",
        "Deals depend on ctx.shuffle alone; each label names its own round, State.past keeps the rounds before, "
        "and seat 0 begins unless opener says otherwise.",
        deals.iter_deal_findings,
    ),
    Check(
        "replay",
        "The same calls lead to the same states, each move written down and read back.",
        rules.iter_replay_findings,
    ),
    Check("record", "The record of a match is read back and verified as that match.", deals.iter_record_findings),
    Check("undo", "What is taken back and played again comes to the same position.", deals.iter_undo_findings),
    Check(
        "pure",
        "Methods change none of their arguments, and answer the same question the same way.",
        rules.iter_purity_findings,
    ),
    Check(
        "outside",
        "A game asks its Context alone: no clock, no chance, no file, no net.",
        promised.iter_outside_findings,
    ),
    Check(
        "apart",
        "Nothing is kept between calls: matches side by side know nothing of each other.",
        rules.iter_isolation_findings,
    ),
    Check("conserved", "Hands, stock and table together always hold the same tiles.", rules.iter_conservation_findings),
    Check(
        "legal",
        "list_moves has what apply_move plays: all of it but passes and exchanges, and nothing else.",
        rules.iter_legality_findings,
    ),
    Check("points", "A move scores the points that list_moves promised.", rules.iter_points_findings),
    Check("scores", "Scores change by the points of the step and of its notes.", rules.iter_score_findings),
    Check(
        "plain",
        "export, details and notes are plain JSON; a drawing lies on its board.",
        rules.iter_plain_json_findings,
    ),
    Check("situation", "What holds now is the same for all and counts nothing.", rules.iter_situation_findings),
    Check(
        "winners",
        "There are winners once a match is over, not before, and not all seats each time; then nobody acts.",
        deals.iter_winner_findings,
    ),
    Check(
        "broken-off",
        "find_rack_value takes off points for what lies on a rack, and never adds any.",
        rules.iter_broken_off_findings,
    ),
    Check(
        "notation",
        "parse_move(format_move(move)) == move, by itself and as a line of a mail.",
        notation.iter_round_trip_findings,
    ),
    Check(
        "languages",
        "As a mail prints a move in each language, it is read as that move.",
        notation.iter_printed_move_findings,
    ),
    Check(
        "rubbish",
        "parse_move and apply_move raise PlayerError for what they refuse, with a sentence, and nothing else.",
        notation.iter_rubbish_findings,
    ),
    Check(
        "half-read", "A line of which only the beginning is understood is no move.", notation.iter_part_line_findings
    ),
    Check(
        "hidden-view",
        "What a seat may not see is in hands, stock and private, never in public.",
        worlds.iter_public_leak_findings,
    ),
    Check(
        "hidden-report",
        "Notes that everybody reads, and details, tell nothing that is hidden.",
        worlds.iter_report_leak_findings,
    ),
    Check("hidden-picture", "The picture shows nothing that is hidden.", worlds.iter_picture_leak_findings),
    Check("hidden-alt", "The alt text tells nothing that is hidden.", worlds.iter_alt_text_leak_findings),
    Check(
        "hidden-turn", "The turn as data (table, export) holds nothing that is hidden.", worlds.iter_turn_leak_findings
    ),
    Check(
        "robots",
        "Robots play a match to its end, not after a turn each, and its log is that match.",
        deals.iter_robot_findings,
    ),
    Check(
        "left",
        "A match ends though seats have left: their turns lead to somebody else's.",
        deals.iter_left_seat_findings,
    ),
    Check(
        "turn",
        "The turn as data fits into a mail, and read back it is the same position.",
        touch_board.iter_turn_file_findings,
    ),
    Check(
        "sentences",
        "Each code, option and value has its sentence in every language that the game speaks, English among them.",
        sentences.iter_missing_sentence_findings,
    ),
    Check("codes", "Whatever looks like a code in the source has its sentence.", sentences.iter_source_code_findings),
    Check("told", "A note has the values that its sentences want.", sentences.iter_note_findings),
    Check("missed", "A missed turn does what mails say before it.", mails.iter_missed_turn_findings),
    Check(
        "language", "Sentences and rules are in the language of their file.", sentences.iter_sentence_language_findings
    ),
    Check("quoted", "What sentences and examples quote can be read as a move.", sentences.iter_quoted_move_findings),
    Check("no-moves", "No sentence is a move itself.", sentences.iter_sentence_move_findings),
    Check("examples", "The move that a mail shows as an example can be played.", sentences.iter_example_findings),
    Check("picture", "A picture can be read at 390 css pixels.", sentences.iter_picture_findings),
    Check("alt", "The alt text names what lies there, and tells positions apart.", sentences.iter_alt_text_findings),
    Check(
        "page",
        "The touch board runs, has its sentences, and allows what Python allows.",
        touch_board.iter_page_findings,
    ),
    Check("mails", "A match by mail has its mails in every phase, without a gap.", mails.iter_phase_mail_findings),
    Check("mail-language", "A mail speaks its reader's language alone.", mails.iter_mail_language_findings),
    Check(
        "mail-harmless",
        "No line of a mail is an order when it is quoted in an answer.",
        mails.iter_quoted_order_findings,
    ),
    Check(
        "mail-names", "What players are called is text in mails and pages, whatever it is.", mails.iter_name_findings
    ),
    Check("mail-picture", "Each picture of a mail has its place and its alt text.", mails.iter_mail_picture_findings),
    Check(
        "mail-turn",
        "The turn as data that a mail carries is read back as the same position.",
        mails.iter_mail_turn_findings,
    ),
    Check(
        "mail-example",
        "A mail that asks for a move once more shows one that can be played.",
        mails.iter_mail_example_findings,
    ),
    Check(
        "hidden-mail",
        "Mails are the same, byte by byte, wherever hidden tiles lie.",
        worlds_by_mail.iter_mail_leak_findings,
    ),
    Check(
        "hidden-site",
        "The pages of a running match are the same, wherever hidden tiles lie.",
        worlds_by_mail.iter_site_leak_findings,
    ),
    Check("site", "The archive has a page of the match in every language.", mails.iter_site_findings),
    Check("speed", "A move takes no absurd time.", promised.iter_speed_findings),
)
