"""A program of somebody else that is asked for a line, and can do no harm meanwhile; what it is asked, and whether its
answer is an order (docs/build/bots.md).

It runs under `bwrap` (bubblewrap), which this machine must have: without network, with processes of its own that die
with it and with us (however we die, and whenever), and of the disk nothing but what an interpreter needs and ``bots/``
(walls.py). How much memory it takes, how many processes it starts and how long it thinks is limited; whoever goes
beyond is ended, and the next question begins the program anew.

Whatever goes wrong before the walls stand is no fault of the program: the robot plays by itself."""

from __future__ import annotations

import json
import logging
import os
import select
import shutil
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import IO, Any

from moderator.bots import walls
from moderator.bots.walls import LONGEST, MOST_FAILURES, BotFailure, BotNotStarted
from moderator.rules import turn_data
from moderator.rules.game import Game, State, resolve_option_values
from moderator.rules.orders.parse import find_first_legal
from moderator.rules.robots.choose import THOUGHT_OF
from moderator.rules.state import Context, view_for
from moderator.rules.words import filter_robot_words
from moderator.settings import Config

LOG = logging.getLogger("moderator")
VERSION = 1
"""Of the line. A higher one may mean anything; new keys alone do not raise it."""
LISTED = 500
"""Legal moves that are named, those with the most points; a crossword can have tens of thousands."""


@dataclass(frozen=True)
class BotTurn:
    """A turn of a match. ``context``: the seats that are out, and the dictionary."""

    match: str
    game: Game[Any, Any]
    options: Any
    state: State[Any]
    seat: int
    context: Context

    def to_data(self) -> dict[str, Any]:
        """Return the values that docs/build/turn.md lists, without those that are for mails only."""
        view, common = view_for(self.state, self.seat), len(self.state.hands) == 1 < self.state.seats
        return {
            "turn": turn_data.VERSION,
            "match": self.match,
            "game": self.game.key,
            "round": self.state.public.round,
            "seat": self.seat,
            "scores": view.scores,
            "rack": view.hand,
            "stock": view.stock_count,
            "options": resolve_option_values(self.game, self.options, self.state.seats),
            "board": turn_data.build_table_values(self.game, view),
            **({"common": True} if common else {"tiles": view.hand_counts}),
        }

    def list_legal_moves(self) -> list[tuple[str, int]]:
        """Return moves with their points, as far as they are looked for: the most points first, of equal ones the first
        by its text."""
        context = replace(self.context, words=filter_robot_words(self.context.words))
        found = islice(self.game.list_moves(view_for(self.state, self.seat), context), THOUGHT_OF)
        return sorted(
            ((self.game.format_move(move), points) for move, points in found), key=lambda one: (-one[1], one[0])
        )


def build_bot_program(config: Config, name: str) -> BotProgram:
    """Build the program that plays for the robot of this name, for which there is ``[bots.NAME]``."""
    bot = config.bots[name]
    return BotProgram(bot.command, config.file.parent / FOLDER, bot.seconds, bot.mebibytes)


def find_bot_program(config: Config, started: dict[str, BotProgram], name: str) -> BotProgram | None:
    """Find the program that plays for the robot of this name; None where we do. ``started``: those of this run, which
    live as long as it does."""
    if name in config.bots and name not in started:
        started[name] = build_bot_program(config, name)
    return started.get(name)


def ask_bot_for_move(program: BotProgram, name: str, turn: BotTurn) -> str:
    """Return the first legal move of the order with which a program answers for the robot of that name. A word that the
    moderator would have to rule on is not legal for it. Raises BotFailure and BotNotStarted, with a line in the log
    that says more."""
    whose = f"match {turn.match}: the program that plays for {name} in seat {turn.seat + 1}"
    try:
        answer = program.ask_line(build_bot_question(turn, program.seconds)).decode("utf-8", "replace").strip()
    except BotNotStarted as unstarted:
        LOG.warning("%s cannot be asked, the robot plays by itself: %s", whose, unstarted)
        raise
    except BotFailure as failed:
        LOG.warning("%s has no answer: %s%s", whose, failed, _format_last_line(failed.said))
        raise
    found = find_first_legal(turn.game, turn.state, turn.seat, answer, turn.context, "reject")
    if found.move is None or found.step is None:
        why, said = "is no legal move" if answer else "is empty", program.get_last_error_line()
        LOG.warning("%s has answered, but that %s%s", whose, why, _format_last_line(said))
        raise BotFailure(f"its answer {why}", said)
    return turn.game.format_move(found.move)


def _format_last_line(said: str) -> str:
    return f"; its last line on standard error: {said}" if said else ""


def build_bot_question(turn: BotTurn, seconds: int) -> bytes:
    """Return one line of JSON, without its end. ``seconds``: so long the program may think."""
    legal = turn.list_legal_moves()
    line = {
        "moderator": VERSION,
        "seconds": seconds,
        "turn": turn.to_data(),
        "legal": [{"move": text, "points": points} for text, points in legal[:LISTED]],
        "all": len(legal) <= LISTED,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


FOLDER = "bots"
"""Beside the settings: where programs lie, and where they are started."""
MOST_DROPPED = 16
"""Times ``LONGEST`` bytes of chatter between two questions."""
LINE = 200
"""Letters of a program's complaint that are told."""
BEGUN = 20
"""Seconds until the walls must stand, on however busy a machine; they are none of the program's time."""
LOOK = 0.03
"""Seconds between two looks at how much memory it holds."""


class _Process(subprocess.Popen[bytes]):
    told: IO[bytes]
    """What bwrap says of it: the number of the first process behind the walls."""
    first = 0
    heard = b""
    """The end of what it wrote to standard error."""
    too_much = ""
    """That it held more memory than it may, in words."""

    def record_first_process(self) -> None:
        """Record the number of the first process, now that the walls stand."""
        self.first = int(json.loads(os.pread(self.told.fileno(), LONGEST, 0))["child-pid"])

    def enforce_memory(self, mebibytes: int) -> bool:
        """Return whether the process holds no more memory than that; else end it."""
        try:
            if walls.measure_memory(self.first) <= mebibytes << 20:
                return True
            self.too_much = f"it took more than {mebibytes} MiB of memory"
        except BotNotStarted as unseen:
            self.too_much = str(unseen)
        self.kill()
        return False

    def watch_memory(self, mebibytes: int) -> None:
        """Enforce the memory again and again, as long as the process runs."""
        while self.poll() is None and self.enforce_memory(mebibytes):
            time.sleep(LOOK)


class BotProgram:
    """A program that is started when it is first asked, and again when it has died. ``seconds`` for each answer,
    ``mebibytes`` of memory with all that it starts."""

    def __init__(self, command: Sequence[str], folder: Path, seconds: int, mebibytes: int) -> None:
        self.command, self.folder, self.seconds, self.mebibytes = command, folder, seconds, mebibytes
        self._process: _Process | None = None
        self._failures: list[str] = []
        self._unstarted = ""

    def ask_line(self, line: bytes) -> bytes:
        """Return the line that the program writes for this one, without its end. Raises BotFailure, BotNotStarted."""
        if len(self._failures) >= MOST_FAILURES:
            raise BotFailure(f"{self._failures[-1]}; it is not asked again in this run")
        process = self._process if self._process is not None and self.is_running() else self._start_process()
        try:
            until = time.monotonic() + self.seconds
            _drop_chatter(process)
            _write_line(process, line + b"\n", until)
            answer = _read_line(process, until)
            if not process.enforce_memory(self.mebibytes):
                raise BotFailure(process.too_much)
            return answer
        except BotFailure as failed:
            why, said = process.too_much or str(failed), _get_last_complaint(process)
            self._failures.append(why)
            self.end_process()
            raise BotFailure(why, said) from None

    def get_last_error_line(self) -> str:
        """Return the last line that it has written to standard error; "" where it has written nothing."""
        return "" if self._process is None else _get_last_complaint(self._process)

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def find_start_trouble(self) -> str:
        """Return why the program cannot be started on this machine, and what to do; "" if it can. The walls are raised
        for that, around a program that does nothing."""
        nothing = BotProgram(("true",), self.folder, self.seconds, self.mebibytes)
        try:
            self._check_startable()
            nothing._start_process()
        except BotNotStarted as unstarted:
            return str(unstarted)
        finally:
            nothing.end_process()
        return ""

    def _check_startable(self) -> None:
        """Check all that can be seen without starting the program. Raises BotNotStarted."""
        name = self.command[0]
        if shutil.which(walls.SANDBOX) is None:
            raise BotNotStarted(
                f"it would run under {walls.SANDBOX}, which is not installed. Run `apt install bubblewrap`."
            )
        if not self.folder.is_dir():
            raise BotNotStarted(f"there is no folder {self.folder}. Make it, and put the program there.")
        if os.geteuid() == 0 and self.folder.stat().st_mode & 0o005 != 0o005:
            raise BotNotStarted(
                f"root starts it as a user without rights, who cannot read it. Run `chmod 755 {self.folder}`."
            )
        if not ((self.folder / name).exists() if "/" in name else shutil.which(name)):
            raise BotNotStarted(f"there is no program {name}. Install it, or correct the command.")

    def _start_process(self) -> _Process:
        """Return the process, which waits for its first line. Raises BotNotStarted; then, in this run, each time."""
        try:
            if self._unstarted:
                raise BotNotStarted(self._unstarted)
            self._check_startable()
            self.end_process()
            self._process = self._launch_process()
            self._release_process(self._process)
        except BotNotStarted as unstarted:
            self._unstarted = str(unstarted)
            self.end_process()
            raise
        return self._process

    def _launch_process(self) -> _Process:
        """Return the process with its pipes; it waits behind the walls, or they do not stand. Raises BotNotStarted."""
        try:
            told = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with the process
            with tempfile.TemporaryFile() as refused:
                refused.write(walls.build_seccomp_filter())
                refused.seek(0)
                process = _Process(
                    walls.build_sandbox_command(
                        self.command, self.folder, self.mebibytes, told.fileno(), refused.fileno()
                    ),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    pass_fds=(told.fileno(), refused.fileno()),
                )
        except (OSError, subprocess.SubprocessError) as error:
            raise BotNotStarted(f"it cannot be started: {error}") from error
        process.told = told
        weakref.finalize(self, _end_process, process)
        for pipe in (*_get_pipes(process), _get_complaint_pipe(process)):
            os.set_blocking(pipe.fileno(), False)
        return process

    def _release_process(self, process: _Process) -> None:
        """Let the program begin once the walls stand, and it is seen how much memory is held behind them. Raises
        BotNotStarted."""
        until = time.monotonic() + BEGUN
        try:
            _read_line(process, until)
            process.record_first_process()
            if not walls.measure_memory(process.first):
                raise BotFailure("nothing is behind them")
            _write_line(process, b"\n", until)
        except (BotFailure, OSError, ValueError, LookupError) as error:
            said = (_get_last_complaint(process) or str(error)).rstrip(".")
            raise BotNotStarted(
                f"its walls cannot be raised here: {said}. docs/build/bots.md says what they need."
            ) from error
        Thread(target=process.watch_memory, args=(self.mebibytes,), daemon=True).start()

    def end_process(self) -> None:
        """End the process with all that it has started."""
        if self._process is not None:
            _end_process(self._process)
            self._process = None


def _drop_chatter(process: _Process) -> None:
    """Drop all that the process has written without being asked: it answers nothing. Raises BotFailure."""
    _, pipe = _get_pipes(process)
    for _ in range(MOST_DROPPED):
        if not pipe.read(LONGEST):
            return
    raise BotFailure("it writes without end")


def _write_line(process: _Process, line: bytes, until: float) -> None:
    """Write all of a line, to a program that may read slowly or not at all. Raises BotFailure."""
    pipe, _ = _get_pipes(process)
    while line:
        _wait_for_pipe(process, until, writing=True)
        try:
            line = line[pipe.write(line) or 0 :]
        except (BrokenPipeError, ConnectionResetError):
            raise BotFailure("it has ended") from None


def _read_line(process: _Process, until: float) -> bytes:
    """Read up to the end of a line. Raises BotFailure."""
    _, pipe = _get_pipes(process)
    found = b""
    while b"\n" not in found:
        _wait_for_pipe(process, until, writing=False)
        more = pipe.read(LONGEST)
        if more == b"":
            raise BotFailure("it has ended")
        found += more or b""
        if len(found) > LONGEST:
            raise BotFailure(f"its answer is longer than {LONGEST} bytes")
    return found.split(b"\n")[0]


def _wait_for_pipe(process: _Process, until: float, *, writing: bool) -> None:
    """Wait until the pipe is ready. Complaints that the process writes meanwhile are taken off, or it would wait for
    that. Raises BotFailure."""
    into, out_of = _get_pipes(process)
    reading, written = ([], [into]) if writing else ([out_of], [])
    complaints: list[IO[bytes]] = [_get_complaint_pipe(process)]
    while True:
        ready, free, _ = select.select([*reading, *complaints], written, [], max(0, until - time.monotonic()))
        if free or any(pipe in ready for pipe in reading):
            return
        if not ready or time.monotonic() > until:
            raise BotFailure("it took too long")
        if _read_complaints(process) == b"":
            complaints = []


def _read_complaints(process: _Process) -> bytes | None:
    """Read some of the complaints of the process; None = nothing now, empty = nothing more."""
    more: bytes | None = _get_complaint_pipe(process).read(LONGEST)
    process.heard = (process.heard + (more or b""))[-LONGEST:]
    return more


def _get_last_complaint(process: _Process) -> str:
    """Return the last line that is no blank one; "" where it wrote nothing."""
    for _ in range(MOST_DROPPED):
        if not _read_complaints(process):
            break
    lines = process.heard.decode("utf-8", "replace").split("\n")
    return next((line.strip()[-LINE:] for line in reversed(lines) if line.strip()), "")


def _end_process(process: _Process) -> None:
    """End a process: the sandbox's first process takes all others with it."""
    process.kill()
    process.wait()
    for pipe in (*_get_pipes(process), _get_complaint_pipe(process), process.told):
        pipe.close()


def _get_pipes(process: _Process) -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes into the program, and out of it."""
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _get_complaint_pipe(process: _Process) -> IO[bytes]:
    """Return the pipe of the process's standard error."""
    assert process.stderr is not None
    return process.stderr
