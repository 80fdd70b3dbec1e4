"""``python -m tests.schemas.make`` writes moderator/schemas anew: those that are made from the types of the values, and
in ``record`` what depends on the game from the games."""

import json
from pathlib import Path
from typing import Any

from moderator import games, schemas
from moderator.cli import json_types
from moderator.cli import printed_tournaments as cups
from moderator.cli.derived import LISTINGS, Schema, build_class_schema, get_schema_title
from moderator.conformance import subject
from moderator.review.review import Review
from moderator.rules.records import record as reports
from moderator.schemas import DRAFT, ENDING

FOLDER = Path(__file__).resolve().parents[2] / "moderator" / "schemas"
PRINTED: dict[str, tuple[int, tuple[type[Any], ...]]] = {
    "report": (1, (reports.Report,)),
    "review": (3, (Review, json_types.ReviewOfMatch)),
    "standings": (1, (cups.StandingsLine,)),
}
"""Name -> number and types. A key that means something else than before, or is gone, needs a new number."""
OTHERS: dict[str, tuple[type[Any], ...]] = LISTINGS | {
    "analysis": (reports.Analysis,),
    "verification": (reports.Verification,),
    "puzzles": (json_types.Puzzles,),
    "position": (json_types.MatchPosition,),
    "state": (json_types.StateFound,),
    "tournament-whole": (cups.TournamentWhole,),
    "charge": (cups.InCharge,),
    "mail-whole": (json_types.MailWhole,),
    "address": (json_types.CommandAddress,),
    "written": (json_types.Written,),
    "backup": (json_types.BackupMade,),
    "conformance": (subject.Report,),
}
"""What other commands print, for the tests."""
IN_THE_FILE = {"report": "report", "review": "review"}
"""Schemas of what is kept or sent on: the key that says its number."""


def made(name: str) -> Schema:
    """The schema of what a command prints."""
    number, (cls, *more) = PRINTED[name]
    schema = build_class_schema(cls, *more)
    if key := IN_THE_FILE.get(name):
        schema["properties"][key] = {"const": number} | schema["properties"][key]
        del schema["properties"][key]["type"]
    return {
        "$schema": DRAFT,
        "$id": identifier(name, number),
        "title": get_schema_title(more[0] if more else cls),
        **schema,
    }


def identifier(name: str, number: int) -> str:
    return f"urn:moderator:schema:{name}:{number}"


def record(schema: Schema) -> Schema:
    """The schema of records with what depends on the game: how many seats, which options."""
    defs = {name: one for name, one in schema["$defs"].items() if not name.startswith("options-")}
    cases = []
    for key in games.OWN:
        game = games.load_game(key)
        options = build_class_schema(game.options, closed=True)
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
    for name in schemas.list_schemas():
        schema = json.loads(schemas.read_schema(name))
        known[schema["$id"]] = promises(schema) | known.get(schema["$id"], {})
    return dict(sorted(known.items()))


if __name__ == "__main__":
    for name, text in every().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    PROMISED.write_text(json.dumps(promised_now(), indent=1) + "\n", encoding="utf-8")
