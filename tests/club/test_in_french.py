"""Somebody who knows French only, from the wish to join over a match of words, one of dominoes and a tournament to the
end: each line is written in French, and each mail that comes is in French alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from moderator.play import create
from moderator.play.create import new_match, start_match
from tests.club.club import Club, plain_boards
from tests.club.tournament_club import found
from tests.pages.test_one_language import foreign
from tests.third_language_walk import begun, read

ASKS = {
    "état": "Où en est la partie",
    "plateau": "Le plateau",
    "chevalet": "Tes pièces",
    "historique": "Le déroulement",
    "règles": "Les règles : Topwords",
    "Règles Tridom": "Les règles : Tridom",
    "calendrier": "Tes dates",
    "aide": "Comment écrire ton coup",
    "tournoi": "C’est fait",
}
"""What is asked for, and how the subject of the answer begins."""
DONE = """résumé oui
Resume non
fuseau Europe/Paris
forme du plateau texte
invitations non
langue français
ABSENCE DU 24 DÉC. AU 2 JANV.
absence annuler
réclamation : 2 points manquent
courrier à tous : Bonjour à vous.
plus tard peut-être
langue klingon
suivre
fuseau nulle part""".splitlines()
"""What is done, and what is not understood."""
VOUCHED = "mx.club.example; dmarc=pass header.from=loin.example"


def joined(club: Club) -> Iterator[tuple[str, EmailMessage]]:
    """One by the command, one in a sentence."""
    for name, wish in (("Manon", "Participer comme Manon"), ("Gael", "Bonjour !\n\nJ’aimerais jouer avec vous.")):
        club.write(f"{name.lower()}@loin.example", wish)
        club.tick()
        question = club.mail(f"{name.lower()}@loin")
        yield wish, question
        club.write(f"{name.lower()}@loin.example", "OUI", to=str(question["Reply-To"]))
        yield from read(club, name, "OUI")
    plain_boards(club)


def opened(club: Club, game: str) -> str:
    with club.desk() as desk:
        seats = [create.find_player(desk.session, name) for name in ("Manon", "Gael")]
        match = new_match(desk.session, game, "Arles", seats, {}, club.now)
        start_match(desk, match, seed=bytes(31) + b"\7")
        return match.code


def played(club: Club, game: str, wrong: str) -> Iterator[tuple[str, EmailMessage]]:
    """Moves as the mails print them, one that is none, one looked up, and the end."""
    code = opened(club, game)
    yield from read(club, game, "begins")
    for turn in range(4):
        seat = club.live(code).table.state.to_move[0]
        for line in (f"essai {club.moves(code, seat)[0]}", wrong, club.moves(code, seat)[0]):
            club.order(f"{('manon', 'gael')[seat]}@loin.example", code, seat, line)
            yield from read(club, game, str(turn), line)
    if game == "topwords":
        yield from asked(club, code)
    club.order("gael@loin.example", code, 1, f"abandon {code}")
    yield from read(club, game, "abandon")


def asked(club: Club, code: str) -> Iterator[tuple[str, EmailMessage]]:
    for line, subject in ASKS.items():
        club.order("manon@loin.example", code, 0, line)
        mails = list(read(club, line))
        ((_, mail),) = mails
        assert str(mail["Subject"]).replace("\u00a0", " ").startswith(subject), line
        yield from mails
    for line in DONE:
        club.order("manon@loin.example", code, 0, line, Authentication_Results=VOUCHED)
        yield from read(club, line)


def competed(club: Club) -> Iterator[tuple[str, EmailMessage]]:
    found(club, "swiss", (), name="Arles", rounds=1, least=2)
    for name in ("manon", "gael"):
        club.write(f"{name}@loin.example", "Tournoi T1 participer", Authentication_Results=VOUCHED)
        yield from read(club, name, "Tournoi T1 participer")
    club.wait(days=3)
    yield from read(club, "begins")
    club.write("manon@loin.example", "Tournoi T1\nTournoi T1 appariements", Authentication_Results=VOUCHED)
    yield from read(club, "Tournoi T1")


def parts(mail: EmailMessage) -> tuple[str, str]:
    text, html = (mail.get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None
    assert html is not None
    return text.get_content(), html.get_content()


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EmailMessage]:
    club = begun(tmp_path_factory.mktemp("french"), "fr")
    found: dict[str, EmailMessage] = {}
    for part in (joined(club), played(club, "topwords", "A1 w QQQ"), played(club, "dominos", "64@Z"), competed(club)):
        found |= dict(part)
    return found


@pytest.mark.slow
def test_each_mail_is_in_french_alone(mails: dict[str, EmailMessage]) -> None:
    """And no line begins with what ends a sentence."""
    to_players = [name for name, mail in mails.items() if "@loin.example" in str(mail["To"])]
    assert len(to_players) > 50
    for name, mail in mails.items():
        text, html = parts(mail)
        if name in to_players:
            assert str(mail["Content-Language"]) == "fr", name
            assert 'lang="fr"' in html, name
            translated = "Personne n’a encore traduit ces règles" not in text.replace("\u00a0", " ")
            assert translated == ("Tridom" not in name), name
            assert not translated or foreign(f"{mail['Subject']}\n{text}", "fr") == set(), name
        wrong = [line for line in text.splitlines() if re.match(r"\s*[?!:;»](?:\s|$)(?!:)", line) and "::" not in line]
        assert [line for line in wrong if not line.startswith("!")] == [], name
        shown = re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
        assert "Tridom" in name or not re.search(r"« | »|(?<![,;:]) [?!;](?=[\s<])", shown), name
