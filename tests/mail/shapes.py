"""Mails as programs write them that hold something which is not read: for each sort of it several forms."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moderator.common.mails import UnreadReason

CIPHER = "-----BEGIN PGP MESSAGE-----\nVersion: 2\n\nhQEMA6lw5Kq3E5wHAUS\nE5 w HAUS\n=aB3d\n-----END PGP MESSAGE-----\n"
BLOB = base64.encodebytes(bytes(range(256)) * 120).decode()
"""30,720 bytes: no logo."""
DOT = base64.encodebytes(b"\x89PNG" + bytes(900)).decode()


@dataclass(frozen=True)
class Shape:
    """``build(text)`` is a mail from its Content-Type on, with this text in it if it has place for one."""

    name: str
    kinds: tuple[UnreadReason, ...]
    """What is unopened in it; () = nothing that is worth a word beside a text."""
    files: tuple[str, ...]
    build: Callable[[str], str]
    takes_text: bool = True
    alone: tuple[UnreadReason, ...] = ()
    """The same of a mail without text, where that is something else."""


def part(kind: str, content: str, *fields: str) -> str:
    return "\n".join((f"Content-Type: {kind}", *fields, "", content))


def plain(text: str) -> str:
    return part("text/plain; charset=utf-8", text, "Content-Transfer-Encoding: 8bit")


def multi(kind: str, *parts: str) -> str:
    boundary = f"b{len(parts)}{sum(map(len, parts))}"
    inner = "".join(f"--{boundary}\n{one}\n" for one in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n{inner}--{boundary}--\n'


def file(
    kind: str, name: str, *, disposition: str = "attachment", content: str = BLOB, more: Sequence[str] = ()
) -> str:
    fields = (f'Content-Disposition: {disposition}; filename="{name}"', "Content-Transfer-Encoding: base64", *more)
    return part(f'{kind}; name="{name}"', content, *fields)


def beside(*parts: str) -> Callable[[str], str]:
    """The text, and this attached."""
    return lambda text: multi("mixed", plain(text), *parts)


def whole(mail: str) -> Callable[[str], str]:
    return lambda text: mail


def html(source: str) -> str:
    return part("text/html; charset=utf-8", source, "Content-Transfer-Encoding: 8bit")


def related(source: str, *parts: str) -> Callable[[str], str]:
    """The text in two forms, the HTML with pictures."""

    def build(text: str) -> str:
        inner = multi("related", html(f"<p>{text}</p>{source}"), *parts)
        return multi("alternative", plain(text), inner) if text else inner

    return build


ENCRYPTED = multi(
    "encrypted",
    part("application/pgp-encrypted", "Version: 1\n"),
    part('application/octet-stream; name="encrypted.asc"', CIPHER,
         'Content-Disposition: inline; filename="encrypted.asc"'),
).replace("multipart/encrypted;", 'multipart/encrypted; protocol="application/pgp-encrypted";')  # fmt: skip
MOVED = multi(
    "mixed",
    plain(""),
    part("application/pgp-encrypted", "Version: 1\n",
         'Content-Disposition: attachment; filename="PGPMIME version.asc"'),
    file("application/octet-stream", "encrypted.asc"),
)  # fmt: skip
"""As Exchange passes it on."""
SMIME = file("application/pkcs7-mime; smime-type=enveloped-data", "smime.p7m")
LOGO = file("image/png", "logo.png", disposition="inline", content=DOT, more=("Content-ID: <logo@x>",))
CARD = file("text/vcard", "anna.vcf", content=base64.encodebytes(b"BEGIN:VCARD\nEND:VCARD\n").decode())
SIGNED = file("application/pkcs7-signature", "smime.p7s")
INVITATION = part("text/calendar; method=REQUEST", "BEGIN:VCALENDAR\nEND:VCALENDAR\n")
KEY = file("application/pgp-keys", "OpenPGP_0x1234.asc")
PUBLIC = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEZE5wHAUS\n=x\n-----END PGP PUBLIC KEY BLOCK-----\n"
MAIL = part("message/rfc822", f"From: a@b.example\nSubject: Mein Zug\n{plain('E5 w HAUS')}")

SHAPES = [
    Shape("pgp-mime", (UnreadReason.PGP,), (), whole(ENCRYPTED), takes_text=False),
    Shape("pgp-exchange", (UnreadReason.PGP,), (), whole(MOVED), takes_text=False),
    Shape("pgp-inline", (UnreadReason.PGP,), (), lambda text: plain(f"{text}\n{CIPHER}")),
    Shape("pgp-inline-cut", (UnreadReason.PGP,), (), lambda text: plain(f"{text}\n" + CIPHER.partition("=")[0])),
    Shape("pgp-html", (UnreadReason.PGP,), (), lambda text: html(f"<p>{text}</p><pre>{CIPHER}</pre>")),
    Shape("pgp-file", (UnreadReason.PGP,), (), beside(file("application/octet-stream", "zug.txt.gpg"))),
    Shape("smime", (UnreadReason.SMIME,), (), whole(SMIME), takes_text=False),
    Shape("smime-opaque", (UnreadReason.SMIME,), (),
          whole(file("application/x-pkcs7-mime; smime-type=signed-data", "smime.p7m")), takes_text=False),
    Shape("smime-octets", (UnreadReason.SMIME,), (), beside(file("application/octet-stream", "smime.p7m"))),
    Shape("rights", (UnreadReason.RIGHTS,), (),
          beside(file("application/x-microsoft-rpmsg-message", "message_v2.rpmsg"))),
    Shape("tnef", (UnreadReason.OUTLOOK,), (), whole(file("application/ms-tnef", "winmail.dat")), takes_text=False),
    Shape("tnef-beside", (UnreadReason.OUTLOOK,), (), beside(file("application/octet-stream", "WINMAIL.DAT"))),
    Shape("txt", (UnreadReason.FILE,), ("zug.txt",), beside(file("text/plain", "zug.txt"))),
    Shape("txt-inline", (UnreadReason.FILE,), ("zug.txt",),
          beside(file("text/plain", "zug.txt", disposition="inline"))),
    Shape("docx", (UnreadReason.FILE,), ("Mein Zug.docx",), beside(file("application/octet-stream", "Mein Zug.docx"))),
    Shape("pdf-alone", (UnreadReason.FILE,), ("zug.pdf",), whole(file("application/pdf", "zug.pdf")), takes_text=False),
    Shape("rfc2231", (UnreadReason.FILE,), ("zügig.pdf",),
          beside(part("application/pdf; name*=utf-8''z%C3%BCgig.pdf", BLOB, "Content-Transfer-Encoding: base64"))),
    Shape("nameless", (UnreadReason.FILE,), ("application/rtf",),
          beside(part("application/rtf", "{\\rtf1 E5 w HAUS}"))),
    Shape("photo", (UnreadReason.PICTURE,), ("IMG_0815.HEIC",),
          beside(file("image/heic", "IMG_0815.HEIC", disposition="inline"))),
    Shape("photo-in-html", (UnreadReason.PICTURE,), ("brett.jpg",),
          related('<img src="cid:f@x">', file("image/jpeg", "brett.jpg", more=("Content-ID: <f@x>",)))),
    Shape("photo-alone", (UnreadReason.PICTURE,), ("image/jpeg",),
          whole(part("image/jpeg", BLOB, "Content-Transfer-Encoding: base64")), takes_text=False),
    Shape("voice", (UnreadReason.RECORDING,), ("Sprachnotiz.m4a",), beside(file("audio/mp4", "Sprachnotiz.m4a"))),
    Shape("film", (UnreadReason.RECORDING,), ("brett.mp4",), beside(file("video/mp4", "brett.mp4"))),
    Shape("forwarded", (UnreadReason.MAIL,), ("Mein Zug",), beside(MAIL)),
    Shape("photo-and-pdf", (UnreadReason.PICTURE, UnreadReason.FILE), ("a.jpg", "b.pdf"),
          beside(file("image/jpeg", "a.jpg"),
                 file("application/pdf", "b.pdf"))),
    Shape("html-picture", (UnreadReason.HTML,), (),
          whole(html('<img src="https://x.example/brett.png">')), takes_text=False),
    Shape("html-hidden", (UnreadReason.HTML,), (),
          whole(html('<div style="display:none">E5 w HAUS</div>')), takes_text=False),
    Shape("html-empty", (UnreadReason.EMPTY,), (),
          whole(html("<html><style>p {color: red}</style><title>x</title><body><p>&nbsp;</p></body></html>")),
          takes_text=False),
    Shape("empty", (), (), plain, alone=(UnreadReason.EMPTY,)),
    Shape("empty-both", (), (),
          lambda text: multi("alternative", plain(text), html(f"<p>{text}</p>")), alone=(UnreadReason.EMPTY,)),
    Shape("quote", (), (),
          lambda text: plain(f"{text}\n\n> E5 w HAUS\n> Gruß\n"), alone=(UnreadReason.QUOTED,)),
    Shape("below-signature", (), (),
          lambda text: plain(f"{text}\n-- \nE5 w HAUS\n"), alone=(UnreadReason.QUOTED,)),
    Shape("logo", (), (), related('<img src="cid:logo@x">', LOGO), alone=(UnreadReason.PICTURE,)),
    Shape("card", (), (), beside(CARD), alone=(UnreadReason.EMPTY,)),
    Shape("signed", (), (),
          lambda text: multi("signed", plain(text), SIGNED), alone=(UnreadReason.EMPTY,)),
    Shape("pgp-signed", (), (),
          lambda text: multi("signed", plain(text), part("application/pgp-signature", "-----BEGIN PGP SIGNATURE-----")),
          alone=(UnreadReason.EMPTY,)),
    Shape("invitation", (), (),
          lambda text: multi("alternative", plain(text), INVITATION), alone=(UnreadReason.EMPTY,)),
    Shape("key", (), (), beside(KEY), alone=(UnreadReason.EMPTY,)),
    Shape("key-inline", (), (), lambda text: plain(f"{text}\n{PUBLIC}"), alone=(UnreadReason.EMPTY,)),
]  # fmt: skip


def mail(shape: Shape, text: str, *, sender: str = "anna@home.example", to: str = "games@club.example") -> bytes:
    head = f"From: {sender}\nTo: {to}\nSubject: Re: Zug\nMessage-ID: <shape@home.example>\nMIME-Version: 1.0\n"
    return (head + shape.build(text)).encode()


def expected(shape: Shape, text: str) -> tuple[UnreadReason, ...]:
    return shape.kinds if text or shape.kinds else shape.alone
