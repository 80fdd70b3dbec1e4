"""The walls around a program of somebody else: what it may see of this machine, what it may not ask the kernel for, and
how much memory it holds.

What is not named here is not there for it. Memory is what people understand by it: what its processes have written
together, in their own memory or in shared, and what lies in its two small folders that are memory. Calls by which a
program would hold memory that no process shows are refused.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

# ---- Why a robot of somebody else has no answer.


MOST_FAILURES = 3
"""In one run; then it is not asked again before the next one."""
LONGEST = 4096
"""Bytes of an answer."""


class BotFailure(Exception):
    """Raised where there is no answer, with the reason for the log. It costs the turn. ``said``: the last line that a
    program has written to standard error, which only the log gives."""

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(why)
        self.said = said


class BotNotStarted(Exception):
    """Raised where a program cannot be asked at all on this machine, with the reason and what to do. Until then the
    robot plays by itself."""


SANDBOX = "bwrap"
INSIDE = "/tmp/bots"
"""The folder of the programs, as a program sees it."""
SHOWN = (
    *(f"/{name}" for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32")),
    *(f"/usr/{name}" for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share")),
    *(f"/usr/local/{name}" for name in ("bin", "sbin", "lib", "lib64", "libexec", "share")),
    "/nix/store",
)
ETC = ("alternatives", "ld.so.*", "localtime", "java*", "perl", "php*", "python3*", "ruby*")
"""What libraries and interpreters read there: nobody's secrets."""
PREFIX = ("bin", "lib", "lib64", "libexec", "conf", "jmods", "pyvenv.cfg")
"""What an interpreter that lies elsewhere (``/opt/node/bin/node``) needs of its prefix; which may be a home."""
ROOM = 16 << 20
"""Bytes that it may write into each of its empty folders."""
EMPTY = ("/tmp", "/dev/shm")
PROCESSES, FILES, NICE = 32, 256, 10
NOBODY = 1_900_000_000
"""Users whom no machine has, for programs of a club that runs as root: each has one of its own, for how many processes
there are is counted by user."""
STAGE = "/run"
HAND_OVER = (
    f'mount -t tmpfs -o mode=755 bots {STAGE} && mkdir {STAGE}/bots && mount --bind "$0" {STAGE}/bots && exec "$@"'
)
"""A club that runs as root hands its folder to such a user, who may not be able to go there. (Not by a second bwrap:
whoever it starts as another user does not die with it.)"""
AWAIT = 'echo && read -r go && exec "$@"'
"""What runs first behind the walls. That we die with it all is bwrap's part, and it sees to that a moment after it has
begun: whoever is killed before would leave it running. So the program waits until we know that the walls stand, and say
so; where we are gone by then, its input ends instead, and all ends with it."""
_NUMBERS = count()
_REFUSED = {
    # memfd_create, memfd_secret, shmget, semget, msgget, mount, fsopen; by the kernel's name of the machine
    0xC000003E: (319, 447, 29, 64, 68, 165, 430),  # x86-64
    0xC00000B7: (279, 447, 194, 190, 186, 40, 430),  # ARM, 64 bits
    0xC00000F3: (279, 447, 194, 190, 186, 40, 430),  # RISC-V
    0x40000028: (385, 447, 307, 299, 303, 21, 430),  # ARM, 32 bits
    0x40000003: (356, 447, 395, 393, 399, 117, 21, 430),  # x86, where 117 is all of System V's
}
_X32 = 0x40000000
"""Bit of a second set of numbers on x86-64."""


def build_sandbox_command(command: Sequence[str], folder: Path, mebibytes: int, info: int, seccomp: int) -> list[str]:
    """Return the command that is started so that ``command`` waits behind the walls for a line. ``info``: descriptor by
    which bwrap names its first process; ``seccomp``: the one from which it reads ``build_seccomp_filter``."""
    limits = ["prlimit", f"--nproc={PROCESSES}", f"--nofile={FILES}", "--core=0"]
    plain = ["env", "-i", f"PATH={os.environ.get('PATH', os.defpath)}", "LANG=C.UTF-8", "nice", "-n", str(NICE)]
    root = os.geteuid() == 0
    start = [*_build_memory_scope(mebibytes), *plain, *(_drop_root_rights(folder) if root else ())]
    start += [SANDBOX, "--info-fd", str(info), "--seccomp", str(seccomp)]
    start += ["--unshare-user", "--unshare-all", *(("--disable-userns",) if _can_forbid_namespaces() else ())]
    start += [
        *_list_visible_paths(command, folder, f"{STAGE}/bots" if root else str(folder.resolve())),
        "--die-with-parent",
    ]
    return [*start, "--new-session", "--", *limits, "sh", "-c", AWAIT, "sh", *command]


def _drop_root_rights(folder: Path) -> list[str]:
    """Return the beginning of a command by which a club that runs as root gives its rights away first: root may start
    as many processes as it likes, and could undo the walls."""
    user = NOBODY + os.getpid() * 16 + next(_NUMBERS) % 16
    nobody = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
    return ["unshare", "--mount", "sh", "-c", HAND_OVER, str(folder.resolve()), *nobody]


def _list_visible_paths(command: Sequence[str], folder: Path, bots: str) -> list[str]:
    """Return the arguments for all that the program sees; nothing of that can be written but the folders that are
    memory."""
    shown = [path for path in (*map(Path, SHOWN), *_iter_etc_paths()) if path.exists()]
    club = folder.parent.resolve()
    seen = [part for path in shown for part in ("--ro-bind", str(path), str(path))]
    seen += ["--proc", "/proc", "--dev", "/dev"]
    hidden = [str(club)] if any(club.is_relative_to(path.resolve()) for path in shown) else []
    seen += [part for path in (*EMPTY, *hidden) for part in ("--size", str(ROOM), "--tmpfs", path)]
    for path in dict.fromkeys(_iter_prefix_paths(command)):
        if not any(path.is_relative_to(one) for one in shown):
            seen += ["--ro-bind", str(path), str(path)]
    seen += ["--symlink", "/tmp", "/var/tmp", "--ro-bind", bots, INSIDE, "--chdir", INSIDE]
    return [*seen, *(part for path in (*hidden, "/dev", "/") for part in ("--remount-ro", path))]


def _iter_etc_paths() -> Iterator[Path]:
    for pattern in ETC:
        yield from Path("/etc").glob(pattern)


def _iter_prefix_paths(command: Sequence[str]) -> Iterator[Path]:
    """Yield the places of our own Python, and of the program by which the command begins, along all links to it; as far
    as the user that runs it can go there."""
    for name in (sys.executable, shutil.which(command[0]) or ""):
        for place in _iter_links(Path(name)) if name else ():
            if place.parent.name == "bin":
                yield from (path for part in PREFIX if _is_readable(path := place.parent.parent / part))
            elif _is_readable(place) and not _is_script(place):  # which needs more than we know of
                yield place


def _iter_links(path: Path) -> Iterator[Path]:
    """Yield the path itself, then the one that it points to, and so on."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _is_readable(path: Path) -> bool:
    if os.geteuid():
        return os.access(path, os.R_OK)
    with suppress(OSError):
        return path.stat().st_mode & 0o004 != 0 and all(above.stat().st_mode & 0o001 for above in path.parents)
    return False


def _is_script(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"#!"


@cache
def _can_forbid_namespaces() -> bool:
    """Return whether bwrap can forbid that a program makes namespaces of its own: version 0.8 can."""
    return _can_run([SANDBOX, "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"])


@cache
def _build_memory_scope(mebibytes: int) -> tuple[str, ...]:
    """Return the beginning of a command that systemd is to hold to so much memory; empty where it does not do that for
    us."""
    whose = () if os.geteuid() == 0 else ("--user",)
    scope = ("systemd-run", *whose, "--scope", "--quiet", "--collect", "--no-ask-password")
    scope += ("-p", f"MemoryMax={mebibytes}M", "-p", "MemorySwapMax=0", "--")
    return scope if shutil.which(scope[0]) and _can_run([*scope, "true"]) else ()


def _can_run(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=5).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def build_seccomp_filter() -> bytes:
    """Return a filter of seccomp(2) with all that the kernel refuses to the program as if it had none of that: calls
    that make memory which no process shows, or a file system."""
    load, equal, answer = 0x20, 0x15, 0x06
    allow, none = (answer, 0, 0, 0x7FFF0000), (answer, 0, 0, 0x00050000 | errno.ENOSYS)
    steps = [(load, 0, 0, 4)]
    for machine, numbers in _REFUSED.items():
        numbers += tuple(_X32 | number for number in numbers) if machine == 0xC000003E else ()
        asked = [step for number in numbers for step in ((equal, 0, 1, number), none)]
        part = [(load, 0, 0, 0), *asked, allow]
        steps += [(equal, 0, len(part), machine), *part]
    return b"".join(struct.pack("=HBBI", *step) for step in (*steps, allow))


def measure_memory(first: int) -> int:
    """Return the bytes that the program holds with all that it has started; ``first``: the first process behind its
    walls. 0 = it has ended. Raises BotNotStarted where that cannot be seen."""
    inside, total = Path(f"/proc/{first}/root"), 0
    try:
        for name in os.listdir(inside / "proc"):
            if name.isdecimal():
                with suppress(FileNotFoundError, ProcessLookupError):
                    total += _sum_own_memory((inside / "proc" / name / "smaps_rollup").read_bytes())
        for place in EMPTY:
            room = os.statvfs(f"{inside}{place}")
            total += (room.f_blocks - room.f_bfree) * room.f_frsize
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except OSError as error:
        raise BotNotStarted(f"how much memory it takes cannot be seen: {error}") from error
    return total


def _sum_own_memory(rollup: bytes) -> int:
    """Return the bytes of a process's own that no file on a disk holds; its share of memory that several processes
    have."""
    lines = (line.split() for line in rollup.splitlines())
    return sum(int(line[1]) << 10 for line in lines if line[0] in (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))
