"""A club with two referees, Karl and Lea (who reads English), and how they and the chief are asked and answer."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from click.testing import CliRunner, Result
from sqlmodel import select

from moderator.cli import cli
from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.referees import Official, chief, in_charge, official, token_of
from moderator.commands.declaration import Command, Reach, moderators
from moderator.play.create import find_match
from moderator.play.refereeing import find_referee, go_on_leave
from moderator.store.models import Match, Protest, Question
from tests.club.club import Club, make_club, no_word, plain_boards, text
from tests.schemas.validators import also_as_json

CHIEF = "boss@club.example"
COMMANDS = tuple(moderators().values())


def make_referee_club(folder: Path, kept: bool = False) -> Club:
    """Anna, Bert and Cici play there. ``kept``: for more than one test."""
    made = make_club(folder, 'subaddress = "+"', kept=kept)
    made.players("Anna", "Bert", "Cici")
    plain_boards(made)
    typed(made, "referee", "add", "Karl", "karl@ref.example")
    typed(made, "referee", "add", "Lea", "lea@ref.example", "--language", "en")
    return made


def typed(club: Club, *words: str, fails: bool = False) -> Result:
    """A line of the command line."""
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    assert (done.exit_code != 0) == fails, (words, done.output, done.exception)
    if not fails:
        also_as_json(club.config.file, *words)
    return done


def dealt(club: Club, *names: str) -> str:
    """A match that asks about unknown words."""
    code = club.match(*(names or ("Anna", "Bert")), unknown_words="ask")
    club.tick()
    club.mails()
    return code


def led(club: Club, code: str, name: str, *more: str) -> None:
    typed(club, "match", "referee", code, name, *more)
    club.tick()
    club.mails()


def token(club: Club, name: str) -> str:
    with club.desk() as desk:
        return find_referee(desk, name).token


def command(club: Club, name: str, body: str, key: str = "") -> str:
    """A mail of a referee's, with the token; the answer."""
    to = f"games+BOSS-{key or token(club, name)}@club.example"
    club.write(f"{name.lower()}@ref.example", body, to=to)
    club.tick()
    (answer,) = [
        mail for mail in club.mails(f"{name.lower()}@") if "Deine Befehle" in text(mail) or "Your" in text(mail)
    ]
    return " ".join(text(answer).split())


def named(desk: Desk, name: str) -> Official:
    return chief(desk) if name == "chief" else official(find_referee(desk, name))


def away(club: Club, name: str, first: int, last: int) -> None:
    """Days from now on."""
    with club.desk() as desk:
        row, day = find_referee(desk, name), club.now.date()
        go_on_leave(desk, row, day + timedelta(days=first), day + timedelta(days=last))


def chief_says(club: Club, body: str) -> None:
    with club.desk() as desk:
        key = token_of(desk, chief(desk))
    club.write(CHIEF, body, to=f"games+BOSS-{key}@club.example")
    club.tick()


def in_charge_of(club: Club, code: str) -> Official:
    with club.desk() as desk:
        return in_charge(desk, find_match(desk.session, code))


def code_of(club: Club) -> str:
    """Of its one match."""
    with club.desk() as desk:
        found: str = desk.session.exec(select(Match.code)).one()
        return found


def play_in_a_cup(club: Club, code: str) -> None:
    """The match is one of a tournament."""
    typed(club, "cup", "new", "Herbst", "--game", "topwords", "--format", "robin")
    with club.desk() as desk:
        match = find_match(desk.session, code)
        match.tournament_id = 1
        desk.session.add(match)


def protest_in(club: Club, code: str) -> int:
    with club.desk() as desk:
        match = find_match(desk.session, code)
        player = desk.players(match)[0].number
        row = Protest(
            match_id=match.number, player_id=player, round=1, text="no", token=tokens.new_token(), at=desk.now
        )
        desk.session.add(row)
        desk.session.flush()
        return row.number


def asked(club: Club, code: str) -> str:
    """Anna plays a word that nobody knows."""
    word = no_word(club, code, 0, 3)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    return word


def question(club: Club) -> Question:
    with club.desk() as desk:
        found: Question = desk.session.exec(select(Question)).one()
        return found


def answer_word(club: Club, mail: object, sender: str, body: str = "ERLAUBT") -> None:
    to = str(mail["Reply-To"])  # type: ignore[index]
    club.write(sender, body, to=to)
    club.tick()


def line_of(one: Command, code: str, protest: int) -> str:
    """Its example, about this match and this protest; its first word where it has none."""
    example = one.text("de").example or one.text("de").first
    return re.sub(r"(?<!\w)12(?!\w)", str(protest), example.replace("K7Q2", code)) if one.scope else example


def every_line(code: str, protest: int) -> str:
    return "\n".join(line_of(one, code, protest) for one in COMMANDS if one.reach is Reach.MATCHES and not one.body)
