"""Sentences instead of moves and commands: each leads to one question with the exact line, or to the moderator."""

import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from moderator import games
from moderator.commands import moderator_call
from moderator.commands import player as players_commands
from moderator.commands.declaration import get_player_commands
from moderator.commands.player.joining import find_join_wish
from moderator.common.disk import LANGUAGES
from moderator.common.mails import Line
from moderator.common.message_files import load_synonyms
from moderator.inbox.agenda import tasks as today
from moderator.inbox.own_words import strip_answer_label
from moderator.inbox.places import load_readonly_match
from moderator.inbox.wishes import WishScene, is_question_to_referee, is_sentence, list_offers
from moderator.language.messages import render_label, write_move
from moderator.mail.parse import parse_mail_bytes
from moderator.service.orders import parse_seat_lines
from moderator.store import players as people
from moderator.store import tournaments
from tests.club.club import Club, club_of, taken_once, text
from tests.club.steps import play
from tests.club.tournament_club import enter, entries_of
from tests.club.tournament_club import found as make_cup
from tests.helpers import list_lines

WISHES = Path(__file__).parent / "wishes.txt"


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match whose first mails have not been read."""
    return club.start("Anna", "Bert")


@pytest.fixture
@taken_once
def invitation(club: Club) -> EmailMessage:
    """Anna's, to a tournament."""
    make_cup(club, "robin", [], invite=True)
    club.tick()
    return club.mails("anna")[-1]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    club = club_of(tmp_path_factory.mktemp("wishes") / "club", "Anna", "Bert")
    return club, club.start("Anna", "Bert")


def asked(table: tuple[Club, str], language: str, sentence: str) -> list[str]:
    club, code = table
    with club.at(code) as (work, match):
        player = people.find_player_by_name(work.session, "Anna")
        player.language = language
        scene = WishScene(work, player, code, load_readonly_match(work, match), 0, "")
        return [one.line for one in list_offers(scene, sentence)]


@pytest.mark.parametrize("offered", list_lines(WISHES, "offered"))
def test_a_sentence_is_asked_back_as_a_line(table: tuple[Club, str], offered: str) -> None:
    language, sentence, lines = (part.strip() for part in offered.split(" |"))
    assert asked(table, language, sentence) == [line.format(code=table[1]) for line in lines.split(" + ") if line]


AROUND = {
    "de": ("Ich lege {}, ok?", "Darf ich {} legen?", "Ist {} erlaubt?", "Ich spiele mal {} und hoffe, das passt."),
    "en": ("I play {}, ok?", "May I play {}?"),
    "fr": ("Je joue {}, d’accord ?", "Puis-je jouer {} ?"),
}


@pytest.mark.parametrize("game", sorted({*games.OWN} - {"presto"}))  # whose move is a drawing
def test_a_move_inside_a_sentence_is_neither_played_nor_passed_on_but_offered(
    table: tuple[Club, str], game: str
) -> None:
    club, _ = table
    code = club.start("Anna", "Bert", game=game)
    seat = club.live(code).table.state.to_move[0]
    move = club.moves(code, seat)[0]
    with club.at(code) as (work, match):
        live = load_readonly_match(work, match)
        assert live is not None
        scene = WishScene(work, people.find_player_by_name(work.session, "Anna"), code, live, seat, "")
        for language, sentences in AROUND.items():
            scene.player.language = language
            written = write_move(move, language, game)
            for sentence in (one.format(written) for one in sentences):
                assert [one.line for one in list_offers(scene, sentence)] == [written], sentence
                assert not parse_seat_lines(live, seat, [Line(1, sentence)]).orders
                assert is_sentence(sentence)


@pytest.mark.parametrize("sentence", list_lines(WISHES, "questions"))
def test_a_question_reaches_the_moderator_and_its_writer_hears_so(club: Club, code: str, sentence: str) -> None:
    for order in ("", "passe\n"):
        play(club, code, 0, order + sentence)
        assert "Deine Frage ist beim Spielleiter" in text(club.mails("anna")[-1])
    letters = [text(mail) for mail in club.mails() if "boss@" in str(mail["To"])]
    assert len(letters) == 2
    assert all(sentence.rpartition(":")[2].strip().split()[-2] in letter for letter in letters)


def test_a_remark_about_the_moderator_is_no_question() -> None:
    assert not is_question_to_referee("Der Spielleiter macht das prima.")
    assert not is_question_to_referee("Wie geht es euch?")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("line", ["E5 w HAUS", "64@L", "passe", "Urlaub 1.12. bis 5.12."])
def test_an_answer_that_was_copied_out_of_a_mail_is_the_line_in_it(language: str, line: str) -> None:
    """However late: the question need not be open any more."""
    for code in ("yes-move", "yes-move-points"):
        label = render_label(code, language, move=line, points=8)
        (read,) = strip_answer_label([Line(1, label)])
        assert read.text == write_move(line, language, None)


@pytest.mark.parametrize("nothing", ["FRAGE: …", "Frage: ..."])
def test_a_question_of_dots_alone_reaches_nobody(club: Club, code: str, nothing: str) -> None:
    play(club, code, 0, nothing)
    assert not [mail for mail in club.mails() if "boss@" in str(mail["To"])]


@pytest.mark.parametrize("yes", ["ja", "Ja bitte!", "ja\n\nGruß, Anna"])
def test_yes_is_enough(club: Club, code: str, yes: str) -> None:
    play(club, code, 0, "Bin vom 20. bis 28. Dezember im Krankenhaus.")
    question = club.mails("anna")[-1]
    said = text(question)
    assert "URLAUB 20.12.2026 bis 28.12.2026" in said
    assert "antworte einfach »JA«" in said
    play(club, code, 0, yes, In_Reply_To=str(question["Message-ID"]))
    granted = text(club.mails("anna")[-1])
    assert granted.startswith("✓ Dein Urlaub von Sonntag, 20. Dezember bis Montag, 28. Dezember ist eingetragen")


@pytest.mark.parametrize(
    "sentence",
    [
        "Ich meine natürlich {best}, nicht das andere!",
        "Ich meine {best}, nicht {other}",
        "Nicht {other} meine ich, {best}!",
        "I mean {best}, not {other}.",
        "{best} instead of {other}, sorry for that",
        "Je veux dire {best}, pas {other}",
    ],
)
def test_a_correction_in_a_sentence_is_asked_about_and_never_scolded(club: Club, code: str, sentence: str) -> None:
    best, other = (move.partition(" (")[0] for move in club.moves(code, 0)[:2])
    play(club, code, 0, sentence.format(best=best, other=other))
    said = text(club.mails("anna")[-1])
    assert "Was heißt hier" not in said
    assert f"Meinst du »{best}«?" in " ".join(said.split())
    play(club, code, 0, "ja")
    assert club.live(code).last[0][0].partition(" (")[0] == best


@pytest.mark.parametrize(
    "footer", ["Language: English", "Sprache: en", "Zeitzone: Europe/Paris", "Abbestellen", "Urlaub 1.12. bis 5.12."]
)
def test_a_setting_below_a_move_and_a_blank_line_is_asked_about_once(club: Club, code: str, footer: str) -> None:
    play(club, code, 0, f"passe\n\n{footer}")
    said = text(club.mails("anna")[-1])
    assert f"Ja, »{footer}«" in " ".join(said.split())
    play(club, code, 1, "pass")
    club.mails("anna")
    play(club, code, 0, f"passe\n\n{footer}")
    assert f"Ja, »{footer}«" not in text(club.mails("anna")[-1])
    with club.work() as work:
        anna = people.find_player_by_name(work.session, "Anna")
        assert (anna.language, anna.zone, anna.invitations) == ("de", "Europe/Berlin", True)
        assert work.cache.list_player_leaves(work.session, anna.number) == []


def test_a_setting_above_a_move_or_in_the_next_line_counts(club: Club, code: str) -> None:
    play(club, code, 0, "Einladungen aus\n\npasse\nZeitzone Europe/Paris")
    with club.work() as work:
        anna = people.find_player_by_name(work.session, "Anna")
        assert (anna.invitations, anna.zone) == (False, "Europe/Paris")


@pytest.mark.parametrize("yes", list_lines(WISHES, "yes"))
def test_a_yes_to_an_invitation_enters(club: Club, invitation: EmailMessage, yes: str) -> None:
    to = str(invitation["Reply-To"])
    assert to.partition("+")[2].startswith("ME-"), "it proves who answers"
    club.say("Anna", yes, to=to, subject=f"Re: {invitation['Subject']}", In_Reply_To=str(invitation["Message-ID"]))
    with club.work() as work:
        (cup,) = tournaments.list_all_tournaments(work.session)
        assert [player.name for _, player in tournaments.list_entries_with_players(work.session, cup)] == ["Anna"]


@pytest.mark.parametrize("words", list_lines(WISHES, "no yes"))
@pytest.mark.parametrize("entered", [False, True])
def test_only_a_plain_yes_to_an_invitation_enters(
    club: Club, invitation: EmailMessage, words: str, entered: bool
) -> None:
    to = {"to": str(invitation["Reply-To"]), "subject": f"Re: {invitation['Subject']}"}
    if entered:
        club.say("Anna", "Turnier T1 mitspielen", **to)
        club.mails("anna")
    club.say("Anna", words, In_Reply_To=str(invitation["Message-ID"]), **to)
    said = " ".join(text(club.mail("anna")).split())
    with club.work() as work:
        (cup,) = tournaments.list_all_tournaments(work.session)
        assert [player.name for _, player in tournaments.list_entries_with_players(work.session, cup)] == [
            "Anna"
        ] * entered
    assert "Turnier T1" in said or "(T1)" in said
    assert "welche du meinst" not in said


@pytest.mark.slow
def test_no_line_that_is_written_once_ends_anything_for_good(club: Club) -> None:
    """Who leaves a match, a tournament or a place for which others wait is asked first, in whatever words."""
    code, running = club.start("Anna", "Bert"), make_cup(club, "robin", ["Anna", "Bert"])
    club.let_pass(days=3)
    full = make_cup(club, "swiss", ["Anna", "Bert"], most=2)
    enter(club, full, "Cici")
    words = {word for one in get_player_commands().values() for word in one.all_words if one.name != "address"}
    leaving = load_synonyms(Path(players_commands.__path__[0]), "cup-leave")
    lines = [f"{word} {code}" for word in words]
    lines += [f"Turnier {cup} {said}" for cup in (running, full) for said in leaving]
    for line in lines:
        club.order("Anna", code, 0, line)
    club.tick()
    assert club.live(code).table.out == ()
    assert [entries_of(club, cup)["Anna"].state for cup in (running, full)] == ["in", "in"]


@pytest.mark.parametrize("first", ["Ich gebe auf, ich mag nicht mehr", "Aufgeben", "aufgeben {code}"])
def test_yes_answers_the_mail_that_asked_and_no_other(club: Club, first: str) -> None:
    code, other = club.start("Anna", "Bert"), club.start("Anna", "Bert")
    opening = club.mails("anna")[-1]
    play(club, code, 0, first.format(code=code))
    question = club.mail("anna")
    assert f"AUFGEBEN {code} ENDGÜLTIG" in text(question)
    play(club, other, 0, "Ja", In_Reply_To=str(opening["Message-ID"]))
    play(club, code, 0, "Ja", In_Reply_To=str(opening["Message-ID"]))
    assert all(club.row(one).status == "running" for one in (code, other))
    club.skip_mails()
    play(club, code, 0, "Nein, ich spiele weiter", In_Reply_To=str(question["Message-ID"]))
    assert "dann geschieht nichts" in text(club.mail("anna"))
    thread = f"{question['Message-ID']} {opening['Message-ID']}"
    play(club, code, 0, "ja", In_Reply_To=str(question["Message-ID"]), References=thread)
    assert club.row(code).status == "finished"


@pytest.mark.parametrize(
    "words",
    ["Quatsch, vergiss das, ich passe", "No wait, forget that, I am still thinking", "Non, oublie, j'attends encore"],
)
def test_a_move_that_its_own_mail_takes_back_is_asked_about(club: Club, code: str, words: str) -> None:
    best = club.moves(code, 0)[0]
    play(club, code, 0, f"{best}\n{words}")
    assert "Noch ist nichts geschehen" in text(club.mails("anna")[-1])
    assert club.live(code).table.state.to_move == (0,)
    play(club, code, 0, "ja")
    assert club.live(code).last[0][0] == best


@pytest.mark.parametrize("question", ["Ist das überhaupt erlaubt?", "Is this ok? And how long do I have?"])
def test_a_question_beside_a_move_is_offered_to_the_moderator(club: Club, code: str, question: str) -> None:
    play(club, code, 0, f"{club.moves(code, 0)[0]}\n\n{question}")
    assert club.live(code).table.state.to_move == (1,)
    assert f"FRAGE: {question}" in " ".join(text(club.mails("anna")[-1]).split())


@pytest.mark.parametrize("own", ["Danke für die Mail!", "Thanks!", "Bonjour"])
def test_what_a_program_joined_of_our_mail_is_nobodys_wish(club: Club, code: str, own: str) -> None:
    opening = club.mails("anna")[-1]
    ours = " ".join(text(opening).split())
    for end in ("##-", "ZAT", "HILFE"):
        club.skip_mails()
        begin = ours[: ours.index(end)] if end in ours else ours
        play(club, code, 0, f"{own} {begin}", In_Reply_To=str(opening["Message-ID"]))
        assert not re.search("URLAUB|FRAGE:", " ".join(text(mail) for mail in club.mails("anna")).partition("##-")[0])


def test_most_strangers_who_want_to_play_are_understood() -> None:
    def is_understood(words: str) -> bool:
        return (
            find_join_wish(parse_mail_bytes(f"From: Zoe <zoe@new.example>\nSubject: Hallo\n\n{words}\n".encode()))
            is not None
        )

    missed = [words for words in list_lines(WISHES, "strangers") if not is_understood(words)]
    assert len(missed) <= len(list_lines(WISHES, "strangers")) // 4, missed
    assert [words for words in list_lines(WISHES, "advertising") if is_understood(words)] == []


def test_the_moderator_sees_what_a_stranger_wrote(club: Club) -> None:
    club.say("zoe@new.example", "Nehmt ihr noch Leute auf? Ich kenne Topwords von früher.")
    with club.work() as work:
        told = " ".join(
            moderator_call.render_sentences(
                work.config, work.now, [task.note for task in today.ClubTasks(work).iter_tasks()], "de"
            )
        )
    assert "Topwords von früher" in told


@pytest.mark.parametrize(
    ("sentence", "order"),
    [
        ("Ich finde leider kein Wort. Bitte einen roten Stein kaufen.", "kaufe rot"),
        ("Bitte einen schwarzen Stein kaufen", "kaufe schwarz"),
        ("I can't find a word, may I buy a red one?", "kaufe rot"),
        ("Je voudrais acheter une pièce noire.", "kaufe schwarz"),
    ],
)
def test_who_wants_to_buy_is_offered_the_order(club: Club, sentence: str, order: str) -> None:
    code = club.start("Anna", "Bert", game="kreuzwort")
    seat = club.live(code).table.state.to_move[0]
    name = ("Anna", "Bert")[seat]
    with club.work() as work:
        player = people.find_player_by_name(work.session, name)
        player.language = "de"
    play(club, code, seat, sentence)
    said = text(club.mails(name)[-1])
    assert re.search(r"Möchtest du 1 (?:roten|schwarzen) Stein kaufen\?", said)
    assert f"Ja, »{order}«" in said


def test_a_tile_that_is_named_in_a_sentence_is_offered_where_it_alone_fits(club: Club) -> None:
    code = club.start("Anna", "Bert", game="dominos")
    for _ in range(6):  # until the ends differ
        seat = club.live(code).table.state.to_move[0]
        moves = [move for move in club.moves(code, seat) if "@" in move]
        tiles = [move.partition("@")[0] for move in moves]
        alone = [move for move, tile in zip(moves, tiles, strict=True) if tiles.count(tile) == 1]
        if alone:
            break
        play(club, code, seat, club.moves(code, seat)[0])
    club.skip_mails()
    play(club, code, seat, f"Dann nehme ich eben den {alone[0].partition('@')[0]} und lege ihn an")
    said = " ".join(text(club.mails(("Anna", "Bert")[seat])[-1]).split())
    assert re.search(rf"(?:Meinst du|Do you mean) [»“]{alone[0]}[«”]\?", said)
