"""HTML mails to lines of text, each with what the markup says of it: new, quoted or signature.

Only for mails without a text part. What a reader of the mail does not see (hidden, struck out, comments, style)
never becomes a line, so it is never taken for an order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import NamedTuple

from moderator.mail.clean import clean_mail_text, iter_clean_lines
from moderator.mail.reply import Kind

_LIMIT = 1_000_000
"""Characters that are read; what follows is left out."""
_MOST_TAGS = 50_000
"""The same for what may be a tag."""

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_UNSEEN = {
    "applet", "audio", "canvas", "datalist", "head", "iframe", "math", "noframes", "object", "option", "script",
    "select", "style", "svg", "template", "textarea", "title", "video",
    "del", "s", "strike",  # struck out: the player took it back
}  # fmt: skip
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main",
    "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
}  # fmt: skip
_PARAGRAPHS = {"p", "ul", "ol", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"}

_QUOTE_NAMES = re.compile(
    r"(?:^|\s)(?:"
    r"gmail_quote\S*|gmail_attr"  # Gmail
    r"|moz-cite-prefix|moz-forward-container"  # Thunderbird
    r"|yahoo_quoted\S*|ymail_\w*quoted\S*"  # Yahoo
    r"|protonmail_quote|tutanota_quote"  # Proton, Tuta
    r"|olk_src_body_section|outlookmessageheader|ecxgmail_quote|hmquote"  # Outlook for Mac, Hotmail
    r"|quote|quoted-content|quoted"  # GMX, WEB.DE (name="quote")
    r"|reply-intro"  # Roundcube
    r"|appleoriginalcontents|isreplycontent|isforwardcontent|zmail_extra|mailru-blockquote|zimbra_quoted\S*"
    r")(?=\s|$)",
    re.IGNORECASE,
)
"""Values of class, id and name of an element that holds a quote or its attribution."""
_REST_NAMES = re.compile(
    r"(?:^|\s)(?:x_)*(?:divrplyfwdmsg|appendonsend|mail-editor-reference-message-container"  # Outlook
    r"|stopspelling|zwchr)(?=\s|$)|__quoted_text__|__headers__",  # Hotmail, Zimbra
    re.IGNORECASE,
)
"""Elements behind which all is quoted."""
_SIGNATURE_NAMES = re.compile(
    r"(?:^|\s)(?:gmail_signature\S*|moz-signature|applemailsignature|ms-outlook-mobile-signature"
    r"|protonmail_signature_block\S*|composer_signature|x?_?signature|mail-signature)(?=\s|$)",
    re.IGNORECASE,
)
_ZERO = r"0(?![.\d]*[1-9])"
_HIDDEN_STYLE = re.compile(
    r"display:none|(?:visibility|content-visibility):(?:hidden|collapse)|mso-hide:all|color:transparent"
    rf"|opacity:(?:0?\.0|{_ZERO})|max-(?:height|width):{_ZERO}|(?<![\w-])(?:height|width):{_ZERO}"
    rf"|font-size:(?:{_ZERO}|0?\.\d+p[xt]|0?\.[0-2]\d*r?em|[12](?:\.\d+)?p[xt]|\d(?:\.\d+)?%)"
    r"|text-indent:-\d{3}|(?:(?<![\w-])|margin-)(?:left|top|right):-\d{3}|text-decoration(?:-line)?:[^;]*line-through"
    rf"|clip(?:-path)?:(?:rect\(0|inset\((?:50|100)%)|scale[xy]?\({_ZERO}|translate[xy]?\(-\d{{3}}"
)
_QUOTE_STYLE = re.compile(r"border-left(?:-width)?:(?!none|0)[^;]*(?:\d|solid)")
_PRE_STYLE = re.compile(r"white-space:(?:pre|break-spaces)")
_MARKUP = re.compile(r"<!--|<[!?]")
_STYLES = re.compile(r"<style\b[^>]{0,500}>", re.IGNORECASE)
_SELECTOR = re.compile(r"(?:^|[\s,>+~])[\w*]{0,20}([.#][\w-]{1,60})\s*(?=,|$)")
_TAG = re.compile(r"(?:^|,)\s*([a-zA-Z]\w{0,10})\s*(?=,|$)")
_STYLE_LIMIT = 2000
"""Characters of an element's style; text with a longer one is left out."""
_CSS_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")


def parse_html_lines(html: str) -> list[tuple[str, Kind]]:
    """Parse HTML into lines as a reader would see them, cleaned; kind "quote" or "signature" where the markup tells.
    Never raises."""
    html = html[:_LIMIT]
    if len(pieces := html.split("<", _MOST_TAGS + 1)) > _MOST_TAGS + 1:
        html = html[: -len(pieces[-1]) - 1]
    reader = _Reader(_collect_hidden_names(html))
    source = _drop_comments(html)
    tail = source.rfind(">") + 1  # an unclosed tag: keep the parser from looking for its end again and again
    reader.feed(source[:tail])
    reader.feed(source[tail:].replace("<", "&lt;"))
    reader.close()
    reader.flush_line()
    return reader.lines


def _drop_comments(html: str) -> str:
    """Drop comments and declarations, in linear time; an unclosed one swallows the rest."""
    pieces: list[str] = []
    at = 0
    while match := _MARKUP.search(html, at):
        pieces.append(html[at : match.start()])
        closing = "-->" if match[0] == "<!--" else ">"
        end = html.find(closing, match.end() if closing == ">" else match.start() + 2)
        if end < 0:
            return "".join(pieces)
        at = end + len(closing)
    pieces.append(html[at:])
    return "".join(pieces)


def _collect_hidden_names(html: str) -> set[str]:
    """Collect the selectors ".class", "#id" and "tag" that a style sheet of the mail hides, on whichever screen."""
    names: set[str] = set()
    for match in list(_STYLES.finditer(html))[:10]:
        end = html.find("</", match.end())
        for block in html[match.end() : end if end >= 0 else None][:50_000].split("}"):
            selectors, _, rules = block.rpartition("{")
            if _HIDDEN_STYLE.search(_normalize_style(rules)):
                named = selectors.rpartition("{")[2][-500:].strip()
                names.update(name.lower() for name in (*_SELECTOR.findall(named), *_TAG.findall(named)))
    return names


def _normalize_style(style: str) -> str:
    style = style[:_STYLE_LIMIT]
    if "\\" in style:
        style = _CSS_ESCAPE.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)), style)
    return re.sub(r"\s+|/\*[^*]{0,200}\*/", "", style).lower()


class _Reader(HTMLParser):
    """A parser that collects lines. ``_open`` is the stack of open elements with their effect on the text within."""

    def __init__(self, hidden_names: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[tuple[str, Kind]] = []
        self._hidden_names = hidden_names
        self._open: list[tuple[str, str]] = []
        self._inks = [Ink()]
        """That of the page, then of each open element."""
        self._tags: Counter[str] = Counter()
        self._effects: Counter[str] = Counter()
        self._text: list[str] = []
        self._rest_is_quote = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in reversed(attrs[:100])}
        if tag == "body":
            self.handle_endtag("head")
        if tag in _BLOCKS or tag == "br":
            self.flush_line()
        if tag in _PARAGRAPHS:
            self._add_blank_line()
        if tag in ("td", "th"):
            self._text.append(" ")
        names = " ".join(values.get(key, "") for key in ("id", "class", "name", "data-marker"))[:1000]
        if _REST_NAMES.search(names):
            self.flush_line()
            self._rest_is_quote = True
        if tag in _VOID:
            return
        style = _normalize_style(values.get("style", ""))
        effect = self._find_effect(tag, values, names, style)
        if effect in ("quote", "signature"):
            self.flush_line()
        self._open.append((tag, effect))
        self._inks.append(self._inks[-1].with_style(style, values))
        self._tags[tag] += 1
        self._effects[effect] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # "<div/>" opens a div, as in every browser

    def handle_endtag(self, tag: str) -> None:
        if not self._tags[tag]:
            return
        if tag not in _BLOCKS and tag not in ("td", "th") and not self._can_close_inline(tag):
            return
        while self._open:
            name, effect = self._open.pop()
            self._inks.pop()
            if effect in ("quote", "signature") or name in _BLOCKS:
                self.flush_line()
            self._tags[name] -= 1
            self._effects[effect] -= 1
            if name == tag:
                break
        if tag in _PARAGRAPHS:
            self._add_blank_line()

    def handle_data(self, data: str) -> None:
        if self._effects["hidden"] or not self._inks[-1].is_visible:
            return
        if self._effects["pre"]:
            first, *others = data.split("\n")
            self._text.append(first)
            for other in others:
                self.flush_line()
                self._text.append(other)
        else:
            self._text.append(" ".join(data.replace("\n", " ").split(" ")))

    def flush_line(self) -> None:
        if not self._text:
            return
        text, self._text = "".join(self._text), []
        kind: Kind = ""
        if self._rest_is_quote or self._effects["quote"]:
            kind = "quote"
        elif self._effects["signature"]:
            kind = "signature"
        for line in iter_clean_lines(clean_mail_text(text)):
            visible = line if self._effects["pre"] else " ".join(line.split())
            self.lines.append((visible, kind if visible else ""))

    def _add_blank_line(self) -> None:
        if self.lines and self.lines[-1][0]:
            self.lines.append(("", ""))

    def _can_close_inline(self, tag: str) -> bool:
        """Return whether an end tag like ``</b>`` may close its element: not across a block, that would end a quote too
        early."""
        for name, _ in reversed(self._open[-64:]):
            if name == tag:
                return True
            if name in _BLOCKS:
                return False
        return False

    def _find_effect(self, tag: str, values: dict[str, str], names: str, style: str) -> str:
        classes = {f".{name}" for name in values.get("class", "").lower().split()[:50]}
        classes |= {"#" + values.get("id", "").lower(), tag}
        hidden = _HIDDEN_STYLE.search(style) or len(values.get("style", "")) > _STYLE_LIMIT
        if tag in _UNSEEN or "hidden" in values or hidden or classes & self._hidden_names:
            return "hidden"
        if tag == "blockquote" or _QUOTE_NAMES.search(names) or _QUOTE_STYLE.search(style):
            return "quote"
        if _SIGNATURE_NAMES.search(names):
            return "signature"
        return "pre" if tag == "pre" or _PRE_STYLE.search(style) else ""


# ---- colours ----
#
# Colours in the HTML of a mail: whether somebody who reads it can tell the text from its ground.


Colour = tuple[int, int, int]
_NEAR = 24
"""Of 255: colours that differ by no more than that in red, green and blue look the same."""
_NAMES: dict[str, Colour] = {
    "white": (255, 255, 255), "snow": (255, 250, 250), "ivory": (255, 255, 240), "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245), "floralwhite": (255, 250, 240), "mintcream": (245, 255, 250),
    "azure": (240, 255, 255), "aliceblue": (240, 248, 255), "black": (0, 0, 0), "red": (255, 0, 0),
    "blue": (0, 0, 255), "green": (0, 128, 0), "yellow": (255, 255, 0), "gray": (128, 128, 128),
}  # fmt: skip
_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})(?:[0-9a-f]{2}|[0-9a-f])?")
_RGB = re.compile(r"rgba?\((\d{1,3})%?[, ](\d{1,3})%?[, ](\d{1,3})%?[^)]*\)")
_TEXT = re.compile(r"(?<![\w-])color:([^;!]{1,60})")
_GROUND = re.compile(r"(?<![\w-])background(?:-color)?:([^;!]{1,200})")


class Ink(NamedTuple):
    """The colours of text and ground; None = unknown."""

    text: Colour | None = (0, 0, 0)
    ground: Colour | None = (255, 255, 255)

    @property
    def is_visible(self) -> bool:
        if self.text is None or self.ground is None:
            return True
        return max(abs(a - b) for a, b in zip(self.text, self.ground, strict=True)) > _NEAR

    def with_style(self, style: str, attributes: Mapping[str, str]) -> Ink:
        """Return the colours inside an element with that style (lower case, without blanks) and these attributes."""
        if not style and not attributes:
            return self
        text, ground = self
        if said := attributes.get("color") or attributes.get("text"):
            text = _parse_colour(said.strip().lower())
        if said := attributes.get("bgcolor"):
            ground = _parse_colour(said.strip().lower())
        for found in _TEXT.finditer(style):
            text = text if found[1] == "inherit" else _parse_colour(found[1])
        for found in _GROUND.finditer(style):
            ground = ground if found[1] in ("transparent", "none", "inherit") else _parse_background(found[1])
        return Ink(text, ground)


def _parse_background(words: str) -> Colour | None:
    """Parse the colour in ``background:#FFF url(…)``; None for a picture."""
    return None if "url(" in words or "gradient" in words else _parse_colour(words)


def _parse_colour(word: str) -> Colour | None:
    if word in _NAMES:
        return _NAMES[word]
    if found := _HEX.fullmatch(word):
        digits = found[1] if len(found[1]) == 6 else "".join(2 * digit for digit in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if found := _RGB.match(word):
        scale = 2.55 if "%" in word else 1
        red, green, blue = (min(255, round(int(part) * scale)) for part in found.groups())
        return red, green, blue
    return None
