"""The worked mails of each game's RULES.md are played as the page says, and what it quotes is what mails say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from moderator.errors import Illegal, PlayerError
from moderator.games import folder, load
from moderator.games.domijongg.rules import GAME as DOMIJONGG
from moderator.games.typdom.presto import GAME as PRESTO
from moderator.games.typdom.recht import GAME as RECHT
from moderator.match import orders
from moderator.match.contract import Note, view_for
from moderator.match.record import parse, replay
from moderator.pages.messages import sentence
from tests.games.domijongg_table import play, table
from tests.games.presto_table import Match as Race
from tests.games.test_recht_rules import match, running
from tests.games.typdom_table import Match, tiles
from tests.mail.new_text import new_text


def rules(key: str) -> str:
    return (folder(key) / "RULES.md").read_text(encoding="utf-8")


def section(key: str, title: str) -> str:
    return rules(key).split(f"\n# {title}\n", 1)[1].split("\n# ", 1)[0]


def worked_mails(key: str, title: str) -> list[str]:
    """The five of them; each quotation is one."""
    mails = [mail.replace("> ", "") for mail in re.findall(r"(?:^> .*\n)+", section(key, title), re.MULTILINE)]
    found = mails if key == "presto" else "".join(mails).splitlines()
    assert len(found) == 5
    return [mail.strip() for mail in found]


def replayed(key: str, racks: Sequence[str], stock: str, words: str, moves: Sequence[tuple[int, str]]) -> Any:
    setup = {"racks": [tiles(rack) for rack in racks], **({"stock": tiles(stock)} if stock else {})}
    record = {
        "record": 1, "game": key, "seats": list("ABCDEF"[: len(racks)]), "setup": setup, "lexicon": words.split(),
        "moves": [{"seat": seat, "text": text} for seat, text in moves],
    }  # fmt: skip
    return replay(parse(record, load))


def quoted_by(key: str, text: str) -> bool:
    return text in rules(key).replace("\n", " ")


def test_tridom() -> None:
    racks = [["555", "335", "455", "445", "034"], ["355", "012", "112"]]
    mails = [
        (1, "355@2", "355@2", 13), (0, "335@6 ab 40; sonst 455@3", "455@3", 14),
        (1, "lege 2-5-5 auf Platz 4", "255@4", 12), (0, "335 6", "335@6", 11),
        (1, "lay 345 at place 12", "345@12", 12), (0, "445@8", "445@8", 63),
    ]  # fmt: skip
    record = {
        "record": 1, "game": "tridom", "seats": ["Anna", "Bert"],
        "setup": {"racks": racks, "stock": ["001", "255", "345", "333", "222"]},
        "moves": [{"seat": seat, "text": text} for seat, text, _, _ in mails],
    }  # fmt: skip
    report = replay(parse(record, load))
    assert [(move["played"], move["points"]) for move in report["moves"]] == [mail[2:] for mail in mails]
    drawn = [(event["seat"], event["params"]["count"]) for event in report["events"] if event["code"] == "drew"]
    assert drawn[:2] == [(1, 2), (1, 1)]


def test_domi_jongg() -> None:
    mails = [line[2:] for line in rules("domijongg").splitlines() if line.startswith("> ")]
    racks = ["J3 K9 W B5 B7", "B3 T3 E T2 N", "S W DW W F1"]
    state = table(*racks, stock=["DR", "F2", "B3", "T3", "T3", "B1", "B2", "B4", "K1", "K2"], starter=1)
    played, refused = [], []
    for mail in mails:
        for alternative in orders.split(mail, DOMIJONGG.style):
            try:
                step = play(state, alternative.text)
            except Illegal as error:
                refused.append(error.code)
            else:
                played.append((DOMIJONGG.format(step.played), step.points))
                state = step.state
                break
    assert refused == ["does-not-fit", "scores-less"]
    assert played == [("2: B3", 0), ("1: J3", 0), ("1: T3+E, T2; 3: N, DR", 2), ("1: F2", 0), ("2: B3", 1)]
    assert state.scores == (1, 2, -1)


def test_kreuzwort() -> None:
    racks = ["AEEOIBBHMNRSX", "AUEIO*bDFGKLNR", "EEIUODFGLMNST", "AAEIUCDGHKLPT"]
    mails = worked_mails("kreuzwort", "Kreuzwort-Spiel: five worked mails")
    words = "EXAMEN NATUR ARM MOST OHR MO"
    report = replayed("kreuzwort", racks, "ENNNN", words, list(zip([0, 1, 2, 3, 0], mails, strict=True)))
    assert [move["played"] for move in report["moves"]] == [
        "T20 w EXAMEN", "Y20 s NA*TUR", "tausche T an Y22; V20 s A*RM", "kaufe rot", "V22 w MOST + W22 s OHR",
    ]  # fmt: skip
    assert len(report["hands"][0]) == 3
    assert report["to_move"] == [1]


def test_point() -> None:
    racks = ["EIUOOCFHLMNPX", "EIOU*rDFLLRSTW", "AAEEOBDGJMNRV"]
    mails = worked_mails("point", "Point-Typ-Dom: five worked mails")
    words = "MEXICO TEXAS SARAJEVO POLA PHON"
    report = replayed("point", racks, "EENN", words, list(zip([0, 1, 2, 0, 1], mails, strict=True)))
    assert [move["points"] for move in report["moves"]] == [19, 15, 20, 18, 0]
    assert report["moves"][4]["played"] == "kaufe 1 rot 2 schwarz"
    assert [event["n"] for event in report["events"] if event["code"] == "claim-points"] == [3]


def test_kreuzwort_suggests_the_star_as_the_rules_say() -> None:
    game = Match("kreuzwort", "AUEIO*bDFGKLNR", "AB", board={"Y20": "N", "X20": "E"}, known="NATUR EN")
    with pytest.raises(Illegal, match="mark-jolly") as caught:
        game.turn("Y20 s NATUR")
    text = sentence(Note(caught.value.code, caught.value.params), "de", "kreuzwort")
    assert text == "Dir fehlt T. Soll der Jolly dafür stehen, dann schreib ihn mit Stern: NA*TUR."
    assert quoted_by("kreuzwort", text)


def test_presto() -> None:
    told = section("presto", "Presto: five worked mails").split("The mails arrive")[0]
    named = re.split(r"\b(?:Anna holds|Bert|Cora|Dora)\b", told)[1:]
    racks = ["AAEEECGHLMNTX", "EEIO*rGLNNRSTW", "AAEEUBDFKMPRV", "AEIUUCDHMNRST", "AB", "AB"]
    assert [sorted(tiles(rack)) for rack in racks[:4]] == [
        sorted(re.findall(r"\b[A-Z]\b", part) + ["*r"] * ("red jolly" in part)) for part in named
    ]
    mails = worked_mails("presto", "Presto: five worked mails")
    words = "EXAMEN LAGE NACHT WINTER ROSEN IGEL TISCH TRAUM HUND"
    report = replayed("presto", racks, "", words, list(zip([1, 0, 2, 3, 1], mails, strict=True)))
    assert [(move["played"], move["points"]) for move in report["moves"]] == [
        (None, 0), ("fertig", 4), ("passe", 0), (None, 0), ("fertig", 2),
    ]  # fmt: skip
    first, fourth = (report["moves"][n]["refused"][0]["params"]["faults"] for n in (0, 3))
    assert [(one["code"], one.get("word"), one.get("column")) for one in first[:-1]] == [("fault-down", "NGEL", "C")]
    assert fourth == [{"code": "fault-left", "tiles": ["E"]}]
    assert [event["params"]["move"] for event in report["events"] if event["code"] == "layout"] == [
        "Gitter (..L / EXAMEN / ..G..A / ..E..C / .....H / .....T)",
        "Gitter (WINTER / .G...O / .*E...S / .L...E / .....N)",
    ]
    assert report["over"]
    for fault in (fourth, [{"code": "fault-down", "word": "NGEL", "column": "C", "reason": "unknown"}]):
        assert quoted_by("presto", sentence(Note("not-right", {"faults": fault}), "de", "presto"))
    view = view_for(Race(*racks).state, 0)
    for mail in mails:
        lines, _ = new_text(f"Hallo!\n\n{mail}\n\nGruß")
        read = orders.read_lines(lines, lambda line: PRESTO.parse(line, view), PRESTO.format, PRESTO.style)
        assert len(read.orders) == 1


def test_recht() -> None:
    mails = worked_mails("recht", "Wer behält recht?: five worked mails")
    racks, words = ["AEEIOBDGHKRZ*b", "AEIOUCDFGLNST"], "REISE STERN KLEID KLEIN"
    report = replayed("recht", racks, "EENN", words, list(zip([0, 1, 0, 1, 0], mails, strict=True)))
    assert [(move["played"], move["alternative"]) for move in report["moves"]] == [
        ("E an T20 w = REISE", 1), ("vorn T = STERN", 1), ("weiter hinten *R", 1), ("L an T19 s + I an T21 = KLEID", 1),
        ("tausche R an U20; vorn K = KLEIN", 1),
    ]  # fmt: skip
    completes = next(event for event in report["events"] if event["code"] == "completes")
    text = sentence(Note("completes", completes["params"], seat=1), "de", "recht", ["Anna", "Bert"])
    assert quoted_by("recht", text)
    running_word = report["public"]["running"]
    assert (running_word["word"], running_word["letters"], running_word["author"]) == ("KLEIN", "KLEI", 0)
    assert "*b" in report["hands"][0]
    assert report["to_move"] == [1]


def test_recht_answers_and_tells_its_state_as_the_rules_say() -> None:
    game = match("XXX", "TEE", board=running("E", "T20", "w", "REISE", author=0), starter=1)
    with pytest.raises(PlayerError) as caught:
        game.turn("T davor")
    assert quoted_by("recht", sentence(Note(caught.value.code, caught.value.params), "de", "recht"))
    with pytest.raises(Illegal, match="not-your-letters"):
        game.turn("weiter X")
    text = section("recht", "Records of Wer behält recht?")
    assert all(f"`{name}`" in text for name in RECHT.export(match("AEX", "AB").state.public))
