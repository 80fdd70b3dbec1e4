"""``python -m tests.schemas.make`` writes moderator/schemas anew: those of what commands print from the types of the
values, in ``record`` what depends on the game from the games."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from moderator import games, schemas
from moderator.cli import printed
from moderator.cli import printed_tournaments as cups
from moderator.conformance import finding
from moderator.match import reports
from moderator.review.review import Review
from moderator.schemas import ENDING
from tests.schemas.derive import Schema, derived

FOLDER = Path(__file__).resolve().parents[2] / "moderator" / "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
PRINTED: dict[str, tuple[int, tuple[type[Any], ...]]] = {
    "report": (1, (reports.Report,)),
    "analysis": (1, (reports.Analysis,)),
    "verification": (1, (reports.Verification,)),
    "review": (2, (Review, printed.ReviewOfMatch)),
    "game": (1, (printed.GameLine,)),
    "puzzles": (1, (printed.Puzzles,)),
    "match": (1, (printed.MatchLine,)),
    "position": (1, (printed.MatchPosition,)),
    "replayed": (1, (printed.ReplayedLine,)),
    "state": (1, (printed.StateFound,)),
    "sentence": (1, (printed.Sentence,)),
    "entry": (1, (printed.EntryLine,)),
    "protest": (1, (printed.ProtestLine,)),
    "player": (1, (printed.PlayerLine,)),
    "referee": (1, (printed.RefereeLine,)),
    "rating": (1, (printed.RatingLine,)),
    "tournament": (1, (cups.TournamentLine,)),
    "tournament-whole": (1, (cups.TournamentWhole,)),
    "standings": (1, (cups.StandingsLine,)),
    "setting": (1, (cups.SettingLine,)),
    "charge": (1, (cups.InCharge,)),
    "mail": (1, (printed.MailLine,)),
    "mail-whole": (1, (printed.MailWhole,)),
    "verdict": (1, (printed.WordVerdict,)),
    "address": (1, (printed.CommandAddress,)),
    "written": (1, (printed.Written,)),
    "backup": (1, (printed.BackupMade,)),
    "run": (1, (printed.RunLine,)),
    "ruling": (1, (printed.RulingLine,)),
    "lexicon": (1, (printed.LexiconLine,)),
    "deed": (1, (printed.DeedLine,)),
    "check": (1, (printed.CheckLine,)),
    "task": (1, (printed.TaskLine,)),
    "conformance": (1, (finding.Report,)),
}
"""Name -> number and types. A key that means something else than before, or is gone, needs a new number."""
IN_THE_FILE = {"report": "report", "review": "review"}
"""Schemas of what is kept or sent on: the key that says its number."""


def made(name: str) -> Schema:
    """The schema of what a command prints."""
    number, (cls, *more) = PRINTED[name]
    title = inspect.getdoc(more[0] if more else cls) or ""
    schema = derived(cls, *more)
    if key := IN_THE_FILE.get(name):
        schema["properties"][key] = {"const": number} | schema["properties"][key]
        del schema["properties"][key]["type"]
    return {
        "$schema": DRAFT,
        "$id": identifier(name, number),
        "title": title.splitlines()[0].removesuffix("."),
        **schema,
    }


def identifier(name: str, number: int) -> str:
    return f"urn:moderator:schema:{name}:{number}"


def record(schema: Schema) -> Schema:
    """The schema of records with what depends on the game: how many seats, which options."""
    defs = {name: one for name, one in schema["$defs"].items() if not name.startswith("options-")}
    cases = []
    for key in games.OWN:
        game = games.load(key)
        options = derived(game.options, closed=True)
        options["properties"]["pace"] = {"enum": list(game.paces)}
        defs[f"options-{key}"] = options
        seats = {"minItems": game.min_seats, "maxItems": game.max_seats}
        then = {"seats": seats, "options": {"$ref": f"#/$defs/options-{key}"}}
        cases.append(
            {"if": {"required": ["game"], "properties": {"game": {"const": key}}}, "then": {"properties": then}}
        )
    return schema | {"allOf": cases, "$defs": defs}


def every() -> dict[str, str]:
    """Name of a file -> what has to stand in it."""
    written = json.loads((FOLDER / f"record{ENDING}").read_text(encoding="utf-8"))
    schemas = {name: made(name) for name in PRINTED} | {"record": record(written)}
    return {f"{name}{ENDING}": json.dumps(one, ensure_ascii=False, indent=1) + "\n" for name, one in schemas.items()}


PROMISED = Path(__file__).with_name("promised.json")
"""Identifier of a schema -> keys that are always there -> of which type. New ones are added; none is ever changed."""


def promises(schema: Schema) -> dict[str, str]:
    """What a number promises: the keys that are always there, at every depth, with their types."""
    parts = {"": schema} | {f"{name}.": part for name, part in schema.get("$defs", {}).items()}
    found = {}
    for prefix, part in parts.items():
        for key in part.get("required", ()):
            value = part["properties"][key]
            kinds = value.get("type", "a choice")
            found[f"{prefix}{key}"] = value.get("$ref") or (kinds if isinstance(kinds, str) else " or ".join(kinds))
    return found


def promised_now() -> dict[str, dict[str, str]]:
    """What stands in the file, and what is new."""
    known: dict[str, dict[str, str]] = json.loads(PROMISED.read_text(encoding="utf-8"))
    for name in schemas.names():
        schema = json.loads(schemas.text(name))
        known[schema["$id"]] = promises(schema) | known.get(schema["$id"], {})
    return dict(sorted(known.items()))


if __name__ == "__main__":
    for name, text in every().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    PROMISED.write_text(json.dumps(promised_now(), indent=1) + "\n", encoding="utf-8")
