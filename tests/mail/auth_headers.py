"""Authentication-Results headers as real servers write them, honest ones and such that a sender has made them write.

A forger of these is ``evil.example`` and would be taken for somebody of ``victim.example``. All that such a forger
chooses (envelope address, signing domain, HELO, what a comment repeats of them) stands where servers put it, quoted as
the RFC asks, quoted as a whole, or not at all.
"""

import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

MX = "mx.club.example"
VICTIM = "victim.example"
PASS = f"dmarc=pass header.from={VICTIM}"
EVIL = "evil.example"

SERVERS: dict[str, str] = tomllib.loads(Path(__file__).with_name("servers.toml").read_text(encoding="utf-8"))
"""Who writes so -> a header by which the mail is of ``VICTIM``."""

LOCAL_PARTS = (
    f"x@{VICTIM}", f"@{VICTIM}", f"a); dmarc=pass header.from={VICTIM} (", f"a) smtp.mailfrom=b@{VICTIM} (",
    f"a; dmarc=pass header.from={VICTIM}; x=y", f'a\\"@{VICTIM} header.b=\\"', f'\\" header.from={VICTIM} x.y=\\"',
    f"x@{VICTIM}\\", f"a)) smtp.mailfrom=@{VICTIM} ((", "(", ")", "((", '\\"', "\\\\", ";", f"<x@{VICTIM}>",
    f"x@{VICTIM}>", f"a\r\n dmarc=pass header.from={VICTIM}", f"x@{VICTIM} ", f"x@{VICTIM},y", "\t", "ä",
)  # fmt: skip
"""Inside the quotes of a local part, which may hold nearly everything."""
DOMAINS = (
    f"{VICTIM}(.{EVIL}", f"{VICTIM}(x).{EVIL}", f"{VICTIM}(x)y.z={EVIL}", f"{VICTIM};.{EVIL}",
    f"{VICTIM};dmarc=pass.{EVIL}", f'{VICTIM}".{EVIL}', f"{VICTIM}\\.{EVIL}", f"{VICTIM},{EVIL}", f"{VICTIM}<.{EVIL}",
    f"{VICTIM}\0.{EVIL}", f"{VICTIM}@{EVIL}", f"{VICTIM}/.{EVIL}", f"{VICTIM}..{EVIL}", f"{VICTIM}=.{EVIL}",
    f"{VICTIM}[.{EVIL}", f"{VICTIM}:{EVIL}", f"{VICTIM}\x0b.{EVIL}", f"{VICTIM}\N{FULLWIDTH FULL STOP}{EVIL}",
    f"{VICTIM}(;x=y.{EVIL}", f"{VICTIM}\r.{EVIL}", f"{VICTIM}.{EVIL}", f"x{VICTIM}", EVIL, "example",
)  # fmt: skip
"""Domains that can be had by whoever has ``EVIL``, some of which mail servers have taken."""


def written(local: str, domain: str) -> Iterator[str]:
    """An address with that quoted local part, as servers print it in a value."""
    address = f'"{local}"@{domain}'
    yield address
    escaped = address.replace("\\", "\\\\").replace('"', '\\"')
    yield f'"{escaped}"'
    yield '"' + address.replace('"', '\\"') + '"'  # a backslash is left as it is
    yield f'"{address}"'
    if not set(local) & set(" ();\t\r\n"):
        yield f"{local}@{domain}"


def hostile() -> Iterator[str]:
    """Every crossing: none of them may be taken for a mail of ``VICTIM``."""
    addresses = [one for local, domain in product(LOCAL_PARTS, (EVIL, *DOMAINS[:3])) for one in written(local, domain)]
    addresses += [f"x@{domain}" for domain in DOMAINS] + [f"@{domain}" for domain in DOMAINS]
    for address in addresses:
        for tail in ("", "; dmarc=fail header.from=" + VICTIM, f"; dkim=none; arc=none header.b={VICTIM}"):
            yield f"{MX}; spf=pass smtp.mailfrom={address}{tail}"
            yield f"{MX}; dkim=pass header.i={address}{tail}"
            yield f"{MX}; dmarc=pass header.from={address}{tail}"
        if '"' in address[:1] or not set(address) & set("()"):
            yield f"{MX}; spf=none ({MX}: domain of {address} does not designate) smtp.mailfrom=@{EVIL}"
        yield f"{MX}; auth=pass smtp.auth={address}; spf=pass smtp.mailfrom=x@{EVIL}"
    for domain in DOMAINS:
        yield f"{MX}; dkim=pass header.d={domain}"
        yield f"{MX}; dkim=pass header.d={domain} header.i=@{VICTIM}"
        yield f"{MX}; dkim=pass header.s={domain} header.d={EVIL}"
        yield f"{MX}; dkim=pass header.d={EVIL} header.d={VICTIM} header.s={domain}"
        yield f"{MX}; spf=pass smtp.mailfrom={domain}; dmarc=fail header.from={VICTIM}"
    yield from LOOSE


LOOSE = (
    f"{MX}; dkim=pass header.d={EVIL} header.d={VICTIM}", f"{MX}; dkim=pass header.d={VICTIM} header.d={EVIL}",
    f"{MX}; dkim=pass header.d={VICTIM} header.i=@{EVIL}", f"{MX}; dmarc=pass dmarc=fail header.from={VICTIM}",
    f"{MX}; {PASS}; dmarc=none", f"{MX}; {PASS};", f"{MX};", MX, "",
    f"{MX} 2; {PASS}", f"{MX} x; {PASS}",
    f"{MX}; dmarc/2=pass header.from={VICTIM}", f"{MX}; none; {PASS}",
    f"{MX} {PASS}", f"{MX}: {PASS}", f"{MX}, x; {PASS}",
    f"{MX}; dmarc=pass header.from {VICTIM}", f"{MX}; dmarc=pass header.from=={VICTIM}",
    f"{MX}; dmarc==pass header.from={VICTIM}",
    f"{MX}; dmarc=pass {VICTIM}", f"{MX}; dmarc=pass from={VICTIM}", f"{MX}; dmarc=pass; ; spf=none",
    f'{MX}; {PASS} "', f"{MX}; {PASS} (", f"{MX}; dmarc=pass )",
    f"{MX}; {PASS} (a (b)", f"{MX}; dmarc=pass\rheader.from={VICTIM}",
    f'{MX}; {PASS} reason="a" reason="b"', f"{MX}; {PASS} x",
    f"{MX}; dkim=pass (dmarc=fail header.d={VICTIM}", f'{MX}; spf=pass smtp.mailfrom="{VICTIM}; dmarc=fail',
    f"{MX}; dmarc=pass action={VICTIM}(", f"{MX}.evil; {PASS}", f"{MX}/x; {PASS}", f"x {MX}; {PASS}",
    f"({MX}) x; {PASS}", f"{MX}; dkim=pass header.d=example",
    f"{MX}; dmarc=passed header.from={VICTIM}", f"{MX}; x{PASS}",
    f"{MX}; {PASS} " + "x" * 16_000, f"{MX}; {PASS} (" + "(" * 5_000,
    f"{MX}; spf=none ({MX}: domain of \"a); {PASS} (\"@{EVIL} does not designate)",
)  # fmt: skip
"""Shapes that are in no grammar, or say that it is somebody else."""

_PIECES = (
    *'"()\\;=@. \t/', "\r\n\t", "{PASS}", f"header.from={VICTIM}", f"header.d={VICTIM}", f"@{VICTIM}", EVIL, "none",
    "(x)", '"x"', "dmarc=fail", "reason=x", "1", "a.b=c", f"smtp.mailfrom=x@{VICTIM}", f"header.i=@{EVIL}", "ä", "\0",
)  # fmt: skip


def bent(random: Random) -> str:
    """A header with a few pieces put in, cut out, doubled or exchanged at random."""
    text = random.choice((*SERVERS.values(), *LOOSE[:8]))
    for _ in range(random.randint(1, 4)):
        at, piece = random.randrange(len(text) + 1), random.choice(_PIECES)
        end = random.choice((at, at, at + 1, at + random.randint(1, 12)))
        text = text[:at] + random.choice((piece, piece, "", text[at:end] * 2)) + text[end:]
    return text
