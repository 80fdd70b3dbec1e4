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

OFFERED = [
    ("de", "Bin vom 20. bis 28. Dezember im Krankenhaus.", ["URLAUB 20.12.2026 bis 28.12.2026"]),
    ("de", "Ich bin leider krank und kann 2 Wochen nicht", ["URLAUB 20.11.2026 bis 3.12.2026"]),
    ("de", "Wir verreisen vom 24.12. bis zum 2.1., bitte habt Geduld", ["URLAUB 24.12.2026 bis 2.1.2027"]),
    ("de", "Ab 1.12. bin ich drei Wochen in Reha.", ["URLAUB 1.12.2026 bis 21.12.2026"]),
    ("de", "Ich werde am Montag operiert.", ["Urlaub 24.12. bis 2.1."]),
    ("de", "ich bin nächste woche weg", ["Urlaub 24.12. bis 2.1."]),
    ("en", "LEAVE from … to …", ["leave 24 Dec to 2 Jan"]),
    ("fr", "ABSENCE du … au …", ["absence du 24 déc. au 2 janv."]),
    ("en", "how many points do I have", ["STATUS"]),
    ("en", "I'll be away from 20 Dec to 28 Dec, sorry!", ["LEAVE 20.12.2026 to 28.12.2026"]),
    ("en", "I am in hospital for two weeks.", ["LEAVE 20.11.2026 to 3.12.2026"]),
    ("fr", "Je suis en vacances du 20 décembre au 28 décembre.", ["ABSENCE 20.12.2026 au 28.12.2026"]),
    (
        "de",
        "Ich möchte bei diesem Spiel nicht mehr mitmachen, das ist mir zu schwer. Tut mir leid!",
        ["AUFGEBEN {code} ENDGÜLTIG"],
    ),
    ("de", "Ich höre auf, bitte streicht mich überall.", ["AUFGEBEN {code} ENDGÜLTIG"]),
    ("de", "Das wird mir zu viel, ich steige aus.", ["AUFGEBEN {code} ENDGÜLTIG"]),
    ("en", "Sorry, I want to stop playing this one.", ["RESIGN {code} FOR GOOD"]),
    ("en", "Please count me out, I give up", ["RESIGN {code} FOR GOOD"]),
    ("fr", "Je ne veux plus jouer, désolée.", ["ABANDONNER {code} DÉFINITIVEMENT"]),
    ("de", "Ich nehme meinen Zug zurück", ["ZUG ZURÜCK"]),
    ("de", "Bitte meinen letzten Zug streichen", ["ZUG ZURÜCK"]),
    ("en", "Can I take my move back please?", ["TAKE BACK"]),
    ("en", "Hello, how do I write a move? I don't understand the rules.", ["HELP", "RULES"]),
    ("de", "Wie geht das hier eigentlich?", ["HILFE"]),
    ("de", "Kann mir jemand sagen, wann Bert wieder da ist?", ["STAND"]),
    ("de", "Bin ich dran?", ["STAND"]),
    ("de", "Gibt es noch ein anderes Spiel, bei dem ich mitspielen kann?", ["STAND"]),
    ("de", "Bitte keine Mails mehr schicken!", ["ABBESTELLEN"]),
    ("en", "please stop these emails", ["UNSUBSCRIBE"]),
    ("de", "Wer gewinnt gerade?", ["STAND"]),
    ("en", "Who is winning?", ["STATUS"]),
    ("fr", "Comment ça marche ?", ["AIDE"]),
    ("de", "Ich habe eine neue Adresse: anna@neu.example", ["ADRESSE anna@neu.example"]),
    ("de", "Kann ich meinen letzten Zug bitte zurücknehmen?", ["ZUG ZURÜCK"]),
    ("de", "Das Wort gibt es doch gar nicht", ["EINSPRUCH: Das Wort gibt es doch gar nicht"]),
    ("de", "Diese Mail ist vertraulich und nur für den Empfänger bestimmt.", []),
    ("de", "HAUSS gibt es nicht, das ist kein Wort!", ["EINSPRUCH: HAUSS gibt es nicht, das ist kein Wort!"]),
    ("de", "Heute regnet es bei uns den ganzen Tag.", ["FRAGE: Heute regnet es bei uns den ganzen Tag."]),
    ("en", "My cat walked over the keyboard.", ["QUESTION: My cat walked over the keyboard."]),
    ("de", "Danke!", []),
]
"""What is asked back where a sentence stands instead of a line, and in which language."""
QUESTIONS = [
    "Eine Frage an den Spielleiter: Zählt ein Pasch am Ende doppelt?",
    "An den Spielleiter: Warum hat Robo 25 Punkte verloren?",
    "Frage: Darf man zweimal tauschen?",
    "Lieber Spielleiter, darf ich mit Gerd tauschen?",
    "Question for the moderator: does a jolly count 10 at the end?",
    "Dear referee, when does the next season begin?",
    "Une question : un double compte-t-il deux fois ?",
    "Chère organisatrice, puis-je changer de place ?",
]


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


@pytest.mark.parametrize(("language", "sentence", "lines"), OFFERED)
def test_a_sentence_is_asked_back_as_a_line(
    table: tuple[Club, str], language: str, sentence: str, lines: list[str]
) -> None:
    assert asked(table, language, sentence) == [line.format(code=table[1]) for line in lines]


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


@pytest.mark.parametrize("sentence", QUESTIONS)
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


INVITED = [
    "Ja, gerne",
    "ja",
    "Ja, ich bin gerne dabei!",
    "Klar, bin dabei",
    "Gern!",
    "Yes please",
    "Count me in",
    "Volontiers !",
]
"""What people answer to an invitation."""


@pytest.mark.parametrize("yes", INVITED)
def test_a_yes_to_an_invitation_enters(club: Club, invitation: EmailMessage, yes: str) -> None:
    to = str(invitation["Reply-To"])
    assert to.partition("+")[2].startswith("ME-"), "it proves who answers"
    club.say("Anna", yes, to=to, subject=f"Re: {invitation['Subject']}", In_Reply_To=str(invitation["Message-ID"]))
    with club.work() as work:
        (cup,) = tournaments.list_all_tournaments(work.session)
        assert [player.name for _, player in tournaments.list_entries_with_players(work.session, cup)] == ["Anna"]


NOT_A_YES = [
    "Bin leider nicht dabei",
    "Ich bin diesmal nicht dabei, keine Zeit",
    "Ja, schönes Turnier, aber ich mache nicht mit",
    "Sicher nicht!",
    "Ist Otto dabei?",
    "Wie viele machen mit?",
    "Vielleicht, ich sage noch Bescheid",
    "Sure is a nice idea but no",
    "Combien de temps dure le tournoi ?",
    "Je ne participe pas cette fois",
    "Lieber nicht, danke.\nTurnier T1 mitspielen",
    "Nein danke Turnier T1 mitspielen",
]
"""Answers to an invitation that enter nobody."""


@pytest.mark.parametrize("words", NOT_A_YES)
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


STRANGERS = [
    "Ich bin neu hier und habe Interesse an Topwords.", "I'd like to play.", "Please add me to your club.",
    "Nehmt ihr noch Leute auf?", "Darf ich bei euch mitspielen?", "Sucht ihr noch Mitspieler für Dominos?",
    "Guten Tag, ich würde gern bei Ihnen einsteigen.", "Hallo, melde mich an für die nächste Runde!",
    "Meine Frau und ich möchten gern mit dabei sein.", "Kann ich noch dazukommen?", "Wie werde ich Mitglied?",
    "I would love to play a game by mail with you", "Do you have room for one more player?", "Sign me up!",
    "Are you still taking players?", "How can I become a member?", "Je voudrais jouer avec vous.",
    "Prenez-vous encore des joueurs ?", "Ajoutez-moi, s'il vous plaît.", "J'aimerais essayer Presto.",
]  # fmt: skip
"""First mails of people whom nobody knows; some in words that no list has."""
ADVERTISING = [
    "Jetzt mitmachen und gewinnen!", "Sie haben Interesse an günstigen Krediten?", "Play now and win big!",
    "We sell followers. Interested?", "Ihr Paket wartet auf Sie.", "Spielen Sie jetzt im Online-Casino!",
]  # fmt: skip


def test_most_strangers_who_want_to_play_are_understood() -> None:
    def is_understood(words: str) -> bool:
        return (
            find_join_wish(parse_mail_bytes(f"From: Zoe <zoe@new.example>\nSubject: Hallo\n\n{words}\n".encode()))
            is not None
        )

    missed = [words for words in STRANGERS if not is_understood(words)]
    assert len(missed) <= len(STRANGERS) // 4, missed
    assert [words for words in ADVERTISING if is_understood(words)] == []


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
