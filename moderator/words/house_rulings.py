"""House lists: rulings on single words, one per line, above every dictionary.

Columns, separated by tabs: word, base form, tags (commas), ruling (allow or deny), reason, date, scope. Only the first
is needed; a list of bare words allows them. UTF-8, ``#`` starts a remark.

The word is a real spelling and rules on that spelling only: ``Tee`` leaves TEE alone. A word in capitals (all that an
order shows) rules on every spelling; ``=TEE`` rules on these capitals only. Later lines win over earlier ones.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from moderator.common import disk
from moderator.common.errors import Illegal, LexiconError
from moderator.words.compiled import Location
from moderator.words.kinds import (
    UMLAUTS,
    Profile,
    clean_word,
    combine_tag_kinds,
    to_capitals,
    to_capitals_fast,
    to_word_key,
)

HEADER = "# word\tbase form\ttags\truling\treason\tdate\tscope\n"
SHIPPED = os.path.join(os.path.dirname(__file__), "house.tsv")
"""The list that comes with moderator."""
ALL = "all"
SPLIT = "split"
"""Tag of a word that counts only where its base form is named (a separable verb's part)."""
GENITIVE = "s"
"""Tag of a name whose line holds for its genitive in -s as well."""


def find_list_state(path: Location) -> tuple[int, int] | None:
    """Return age and size of a list, which show that somebody has changed it; None = there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class HouseRuling(NamedTuple):
    """One line. ``scope`` is ``all`` or the match code, game key or tournament it is for; ``date`` is ISO
    (2026-01-31)."""

    word: str
    ruling: Literal["allow", "deny"]
    base: str = ""
    tags: tuple[str, ...] = ()
    reason: str = ""
    date: str = ""
    scope: str = ALL

    @property
    def kinds(self) -> int:
        """The kinds of word that the tags name; 0 = none."""
        return combine_tag_kinds(self.tags)

    @property
    def spelling(self) -> str | None:
        """The one spelling it rules on; None = every spelling of the key."""
        if self.word.startswith("="):
            return self.word[1:]
        return None if self.word == to_capitals(self.word) else self.word

    def to_key(self, profile: Profile) -> str:
        """Return the word as it lies on the board."""
        return to_word_key(self.word.removeprefix("="), profile)

    def to_genitive(self) -> HouseRuling:
        """Return the same ruling on Annas instead of Anna."""
        ending = "S" if self.spelling is None else "s"
        return self._replace(word=self.word + ending, base=self.word.removeprefix("="))


def read_house_list(path: Location) -> list[HouseRuling]:
    """Read the list's rulings, in order; [] if there is no such file. Raises LexiconError naming file and line."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            text = stream.read()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise LexiconError(f"{path} is not UTF-8.", "Save it with the encoding UTF-8.") from error
    except OSError as error:
        raise LexiconError(*disk.describe_os_error(error, "read", path, "Check the file's permissions.")) from error
    rulings = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            rulings.append(parse_ruling(line, f"{path}:{number}"))
    return rulings


@lru_cache(10_000)  # the same lists are opened again for every set of options
def parse_ruling(line: str, where: str) -> HouseRuling:
    """Parse a line of a list; ``where`` names it in errors. Raises LexiconError."""
    cells = line.split("\t")
    if len(cells) > 7:
        raise LexiconError(f"{where}: {len(cells)} columns.", f"At most 7: {HEADER[2:].strip().replace(chr(9), ', ')}.")
    word, base, tags, ruling, reason, date, scope = map(str.strip, cells + [""] * (7 - len(cells)))
    if ruling not in ("allow", "deny", ""):
        raise LexiconError(f"{where}: ruling {ruling!r}.", "Write allow or deny in the fourth column.")
    made = HouseRuling(
        word=clean_word(word),
        ruling=cast(Literal["allow", "deny"], ruling or "allow"),
        base=clean_word(base),
        tags=tuple(map(str.strip, tags.split(","))) if tags else (),
        reason=reason,
        date=date,
        scope=scope or ALL,
    )
    _check_ruling(made, where)
    return made


def _check_ruling(ruling: HouseRuling, where: str) -> None:
    try:
        letters = ruling.to_key("topwords")
    except Illegal as error:
        bad = error.params["letter"]
        raise LexiconError(
            f"{where}: {ruling.word!r} has {bad!r}.", "Only letters; columns are separated by tabs."
        ) from None
    if not letters:
        raise LexiconError(f"{where}: no word in the first column.", "Remove the line, or start a remark with #.")
    if SPLIT in ruling.tags and not ruling.base:
        raise LexiconError(f"{where}: {ruling.word} is split off a verb that is not named.", "Name it in column two.")


def tidy_ruling(ruling: HouseRuling) -> HouseRuling:
    """Return the ruling as a list can hold it. Raises LexiconError for what is no word."""
    tidy = HouseRuling(
        word=clean_word(ruling.word).strip(),
        ruling=ruling.ruling,
        base=_clean_cell(clean_word(ruling.base)),
        tags=tuple(_clean_cell(tag) for tag in ruling.tags),
        reason=_clean_cell(ruling.reason),
        date=_clean_cell(ruling.date),
        scope=_clean_cell(ruling.scope) or ALL,
    )
    _check_ruling(tidy, "ruling")
    return tidy


def is_already_ruled(rulings: Sequence[HouseRuling], tidy: HouseRuling) -> bool:
    """Return whether the newest of the rulings on just this word, for just these matches, is the same."""
    same = [known for known in rulings if (known.word, known.scope) == (tidy.word, tidy.scope)]
    return bool(same) and (same[-1].ruling, same[-1].base, same[-1].tags) == (tidy.ruling, tidy.base, tidy.tags)


def append_ruling(path: Location, ruling: HouseRuling) -> bool:
    """Put a ruling at the end of the list, for good (written through to the disk in one piece). The file is made if
    need be. False if the list says the same already. Raises LexiconError.
    """
    tidy = tidy_ruling(ruling)
    if is_already_ruled(read_house_list(path), tidy):
        return False
    try:
        _append_line(path, format_ruling(tidy) + "\n")
    except OSError as error:
        raise LexiconError(*disk.describe_os_error(error, "write", path, "Check folder and permissions.")) from error
    return True


def format_ruling(ruling: HouseRuling) -> str:
    """Return a ruling as a line of the file."""
    return "\t".join(
        (*(ruling.word, ruling.base, ",".join(ruling.tags), ruling.ruling), *(ruling.reason, ruling.date, ruling.scope))
    )


def _clean_cell(text: str) -> str:
    return " ".join(text.split())


def filter_in_force(rulings: Sequence[HouseRuling]) -> list[HouseRuling]:
    """Return the rulings without those that a later one has made void: on the same spelling, or on all of the word; for
    the same matches, or for all."""
    return [
        one
        for at, one in enumerate(rulings)
        if not any(
            later.scope in (ALL, one.scope)
            and (
                later.word == one.word
                or (later.spelling is None and later.to_key("topwords") == one.to_key("topwords"))
            )
            for later in rulings[at + 1 :]
        )
    ]


def filter_match_rulings(rulings: Sequence[HouseRuling], code: str, policy: str) -> list[HouseRuling]:
    """Return the rulings in force that are for one match alone, which is played under ``policy``."""
    words = {one.to_key("topwords") for one in rulings if one.scope == code}
    near = [one for one in rulings if one.scope in (ALL, policy, code) and words and one.to_key("topwords") in words]
    for_all = [one._replace(scope=ALL) if one.scope == policy else one for one in near]
    return [one for one in filter_in_force(for_all) if one.scope == code]


def withdraw_rulings(path: Location, word: str, scope: str = ALL) -> bool:
    """Take every ruling on just this word for just these matches out of the list; False if it has none. Raises
    LexiconError."""
    gone = [one for one in read_house_list(path) if (one.word, one.scope) == (clean_word(word).strip(), scope)]
    if gone:
        _replace_text(path, lambda text: "\n".join(line for line in text.split("\n") if not _is_line_of(line, gone)))
    return bool(gone)


def _is_line_of(line: str, rulings: Sequence[HouseRuling]) -> bool:
    line = line.lstrip("\ufeff")
    return bool(line.strip()) and not line.lstrip().startswith("#") and parse_ruling(line, "the list") in rulings


def rewrite_remarks(path: Location, change: Callable[[str], str]) -> None:
    """Put what ``change`` makes of it in place of every remark and reason; the words that are ruled on stay. Raises
    LexiconError."""
    _replace_text(path, lambda text: "\n".join(_rewrite_line(line, change) for line in text.split("\n")))


def _replace_text(path: Location, change: Callable[[str], str]) -> None:
    """Replace the text of a list by what ``change`` makes of it; the file is the old one or the new one, whatever
    happens."""
    if not os.path.exists(path):
        return
    try:
        with _lock_file(os.path.realpath(path)) as handle:
            data = os.pread(handle, os.fstat(handle).st_size, 0)
            new = change(data.decode()).encode()
            if new != data:
                disk.replace_file(path, new)
    except UnicodeDecodeError as error:
        raise LexiconError(f"{path} is not UTF-8.", "Save it with the encoding UTF-8.") from error
    except OSError as error:
        raise LexiconError(*disk.describe_os_error(error, "write", path, "Check folder and permissions.")) from error


def _rewrite_line(line: str, change: Callable[[str], str]) -> str:
    if line.lstrip("\ufeff \t").startswith("#"):
        return change(line)
    cells = line.split("\t")
    return "\t".join([*cells[:4], *map(change, cells[4:5]), *cells[5:]])


@contextmanager
def _lock_file(path: Location) -> Iterator[int]:
    """Yield the file, open, while no other process of ours writes it; made if need be. A process that has waited may
    hold a file that another one has taken the place of."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                yield handle
                return
        finally:
            os.close(handle)


def _append_line(path: Location, line: str) -> None:
    """Append a line by one write at the end of the file, so that neither a crash nor a second process leaves half a
    line."""
    parent = os.path.dirname(path) or "."
    os.makedirs(parent, exist_ok=True)
    with _lock_file(path) as handle:
        size = os.fstat(handle).st_size
        if not size:
            line = HEADER + line
        elif os.pread(handle, 1, size - 1) != b"\n":  # somebody's editor leaves the last line open
            line = "\n" + line
        data = line.encode()
        if os.write(handle, data) < len(data):  # the disk is full; half a word would be a ruling on another word
            os.ftruncate(handle, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    disk.sync_folder(parent)


class HouseList:
    """A list's rulings by key, those of one scope only. Lines are parsed when their word is asked for."""

    def __init__(self, source: str, text: str, profile: Profile, scopes: Collection[str] = ()) -> None:
        """``text``: lines as ``format_ruling`` writes them, and remarks."""
        self.source = source
        self._lines = text.split("\n")
        self._scopes = (ALL, *scopes)
        keys = to_capitals_fast("\n".join([line.partition("\t")[0] for line in self._lines]))
        if profile == "typdom":
            for letter, pair in UMLAUTS.items():
                keys = keys.replace(letter, pair)
        words = f"\n{keys}".replace("\n=", "\n")[1:].split("\n")
        self._last = dict(zip(words, range(len(words)), strict=True))
        """Key -> its last line; most have only one."""
        self._earlier: dict[str, list[int]] = {}
        for number, word in enumerate(words):
            if self._last[word] != number:
                self._earlier.setdefault(word, []).append(number)

    def list_keys(self) -> list[str]:
        """List every key that some line rules on."""
        words = [word for word in self._last if word and word[0] != "#"]
        return words + [f"{word}S" for word in words if any(GENITIVE in r.tags for r in self._list_lines_on(word))]

    def list_rulings(self, word: str) -> list[HouseRuling]:
        """List all rulings on a key that are in scope, in order; those that a name's line makes for its genitive
        first."""
        found = (
            [r.to_genitive() for r in self._list_lines_on(word[:-1]) if GENITIVE in r.tags]
            if word.endswith("S")
            else []
        )
        return [ruling for ruling in (*found, *self._list_lines_on(word)) if ruling.scope in self._scopes]

    def _list_lines_on(self, word: str) -> list[HouseRuling]:
        if word not in self._last:
            return []
        numbers = (*self._earlier.get(word, ()), self._last[word])
        return [parse_ruling(self._lines[number], self.source) for number in numbers]

    def list_latest(self, word: str) -> Sequence[HouseRuling]:
        """List the rulings that are in force for a key: one ruling per spelling at most, the newest; those on one
        spelling first, the one on every spelling last. A ruling on every spelling makes all before it void."""
        single: dict[str, HouseRuling] = {}
        whole: list[HouseRuling] = []
        for ruling in self.list_rulings(word):
            if ruling.spelling is None:
                single, whole = {}, [ruling]
            else:
                single[ruling.spelling] = ruling
        return [*single.values(), *whole]


def open_house_list(
    path: Location, profile: Profile, scopes: Collection[str] = (), more: Sequence[HouseRuling] = ()
) -> HouseList:
    """Open the list in a file, with ``more`` at its end; every line is checked first, but for the list that ships,
    which the tests check.

    Raises LexiconError naming file and line."""
    if os.fspath(path) == SHIPPED:
        return _open_shipped_list(profile, tuple(scopes))
    return HouseList(
        os.path.basename(path), "\n".join(map(format_ruling, (*read_house_list(path), *more))), profile, scopes
    )


@lru_cache(8)  # opened anew in each run of a process that watches
def _open_shipped_list(profile: Profile, scopes: tuple[str, ...]) -> HouseList:
    with open(SHIPPED, encoding="utf-8") as stream:
        return HouseList("house list", stream.read(), profile, scopes)
