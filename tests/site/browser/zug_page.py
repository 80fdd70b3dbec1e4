"""A touch board: opened with a position, tapped, looked at; and the way from a mail to its answer."""

from __future__ import annotations

import dataclasses
import re
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page

from moderator.games import load_game
from moderator.games.typdom.board import SIZE, list_column_names
from moderator.games.typdom.tiles import VOWELS
from moderator.language.traits import find_board_page
from moderator.render import touch_board
from moderator.render.mail import require_template_folder as templates
from moderator.render.turn_picture import add_moves
from moderator.rules import shuffling, table, turn_data
from moderator.rules.game import Context, State
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.state import view_for
from moderator.rules.turn_data import TurnData, TurnReply
from tests.club.club import Club, club_of
from tests.games.presto_table import Match
from tests.pages.match_pages import WORDS
from tests.site.browser.conftest import Archive, looked
from tests.site.pages import publish, set_site

REPLY = TurnReply("games+K7Q2-8J3MZP4QXA@example.org", "Partie „Arratia“ [K7Q2-8J3MZP4QXA]")
OPEN = "#play:not([hidden])"
SIZES = """() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    const small = ([, width, height]) => width < 44 || height < 44;
    const buttons = [...document.querySelectorAll('button:not([data-spot]), input:not(#file), a')];
    const sizes = buttons.filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
        .map(([one, { width, height }]) => [one.textContent, width, height]);
    return [scrollWidth, scrollHeight, [innerWidth, innerHeight], sizes.filter(small)];
}"""
IN_SIGHT = """one => { const spot = document.querySelector(one).getBoundingClientRect(),
board = document.getElementById('board').getBoundingClientRect();
return board.left - 1 <= spot.left && spot.right <= board.right + 1 && board.right <= innerWidth
&& board.top - 1 <= spot.top && spot.bottom <= board.bottom + 1; }"""


@dataclass
class Board:
    """The page of a game, as somebody uses it."""

    page: Page
    archive: Archive

    def address(self, key: str, state: State[Any], language: str = "", seat: int = 0) -> str:
        page = self.archive.address(language + find_board_page(key))
        return f"{page}#{turn_data.encode_turn_link(turn_of(state, key, seat, language[:2] or 'de'))}"

    def open(self, key: str, state: State[Any], language: str = "", seat: int = 0) -> None:
        self.page.goto(self.address(key, state, language, seat))
        self.page.wait_for_selector(OPEN, timeout=10_000)

    def play(self, key: str, language: str = "") -> None:
        """Open the page with a position as robots make one, lay a move, keep it, write the mail."""
        state, seat, text = position(key)
        self.page.goto("about:blank")  # another fragment alone opens nothing anew
        self.open(key, state, language, seat)
        LAID[key](self, text)
        self.tap("#keep")
        assert (self.page.get_attribute("#send", "href") or "").startswith("mailto:")

    def tap(self, taps: str) -> None:
        """Squares of words (E5; +E5 also where it is chosen), other spots (@8), tiles of the rack (=M), what gets the
        focus (:8, :=M), a tile that is dragged (M>E5), letters from a square on (E5w:MAUS, a star before what a jolly
        stands for), buttons by their text (!Von_vorn), keys (<Enter>), a field and its text (#word:Haus), or what a
        selector finds (#keep)."""
        for one in taps.split():
            kind, name = one[0], one[1:].replace("_", " ")
            if kind == "=":
                self.press(self.tile(name))
            elif kind in "@+":
                self.press(self.spot(name))
            elif kind == ":":
                (self.tile(name[1:]) if name[0] == "=" else self.spot(name)).focus()
            elif kind == "!":
                self.press(self.page.locator("button", has_text=name).first)
            elif kind == "<":
                self.page.keyboard.press(name.removesuffix(">"))
            elif ">" in one:
                self.drag(*one.split(">"))
            elif kind.isalpha() and ":" in one:
                self.lay(one.partition(":")[0][:-1], one.partition(":")[2], one.partition(":")[0][-1])
            elif kind == "#" and ":" in one:
                self.fill(*one.split(":"))
            elif not kind.isalpha():
                self.press(self.page.locator(one).first)
            elif one != self.cursor:
                self.press(self.spot(one))

    def press(self, button: Locator) -> None:
        """Click on what is on the board, or in a sheet, which is opened before."""
        sheet = button.evaluate("one => one.closest('dialog')?.id ?? ''")
        if sheet != self.page.evaluate("document.querySelector('dialog[open]')?.id ?? ''"):
            self.close()
            if sheet:
                self.page.click(f"[data-open={sheet}]")
        button.click()

    def fill(self, field: str, text: str) -> None:
        """The same with a field."""
        self.press(self.page.locator(field))
        self.page.fill(field, text)

    def close(self) -> None:
        """Close the sheet that is open, if one is."""
        if self.page.locator("dialog[open]").count():
            self.page.keyboard.press("Escape")

    def lay(self, square: str, letters: str, way: str = "w") -> None:
        """Letters of the rack from a square on; behind a star what a jolly stands for."""
        self.tap(square)
        if self.page.locator(f"#board .cursor.{way}").count() == 0:
            self.tap("#turn")
        for star, letter in re.findall(r"(\*?)(\w)", letters):
            if star:
                colour = ".round" if letter in VOWELS else ":not(.round)"
                self.page.locator(f"#rack .tile{colour}", has_text="★").click()  # its name is each language's own
            self.tile(letter).click()

    def drag(self, tile: str, spot: str) -> None:
        ends = [one.bounding_box() for one in (self.tile(tile), self.spot(spot))]
        (x, y), (to_x, to_y) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in ends if box)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(to_x, to_y, steps=5)
        self.page.mouse.up()

    def look_up(self, what: str) -> tuple[str, str]:
        """What is shown and what was expected: the letters of the rack, open spots, where the focus is, or a spot's
        label."""
        kind, _, text = what.partition(" ")
        if kind == "rack":
            faces = self.page.locator("#rack button").all_inner_texts()
            return "".join(face.partition("\n")[0] for face in faces), text
        if kind == "open":
            return " ".join(self.marked()), text
        if kind == "at":
            return str(self.page.evaluate("document.activeElement.dataset.spot")), text
        spot = kind.removesuffix(":")
        return f"{spot}: {self.label(spot).removeprefix(f'{spot}: ')}", what

    @property
    def order(self) -> list[str]:
        """The lines of the mail that the link opens; none where it cannot be sent."""
        if self.page.is_disabled("#go"):
            return []
        link = urlsplit(self.page.get_attribute("#send", "href") or "")
        assert (link.scheme, unquote(link.path)) == ("mailto", REPLY.address)
        query = parse_qs(link.query)
        assert query["subject"] == [REPLY.subject]
        return query["body"][0].split("\r\n")

    @property
    def says(self) -> str:
        """What the page says of the move."""
        return self.page.inner_text("#says")

    @property
    def cursor(self) -> str:
        """The square that is chosen; "" on a table that is drawn."""
        label = self.page.get_attribute("#board .cursor", "aria-label") or ""
        return label.partition(":")[0] if re.match(r"[A-Z]+\d+:", label) else ""

    def spot(self, name: str) -> Locator:
        square = re.fullmatch(r"[A-Z]+\d+", name)
        return self.page.locator(f'#board [aria-label^="{name}:"]' if square else f'#board [data-spot="{name}"]')

    def tile(self, name: str) -> Locator:
        """The first one that is called so, or that shows such a letter."""
        faces = self.page.locator("#rack button")
        said = faces.evaluate_all("all => all.map(one => one.getAttribute('aria-label') ?? one.textContent)")
        plain = [re.sub("[ǀ·]", "", face) for face in said]
        whole = [at for at, face in enumerate(plain) if re.split(r"[:,]", face)[0] == name]
        return faces.nth([*whole, *(at for at, face in enumerate(plain) if face.startswith(name))][0])

    def label(self, spot: str) -> str:
        return self.spot(spot).get_attribute("aria-label") or ""

    def marked(self) -> list[str]:
        """Spots that are shown as open."""
        return self.page.eval_on_selector_all("#board .open", "all => all.map(one => one.dataset.spot)")

    def in_sight(self, selector: str) -> bool:
        """Whether the board, scrolled or not, shows it."""
        return bool(self.page.evaluate(IN_SIGHT, selector))

    def smallest(self, spots: str = "#board [data-spot]") -> float:
        """The shorter side of the smallest of these, in px."""
        boxes: list[list[float]] = self.page.eval_on_selector_all(
            spots, "all => all.map(one => [one.getBoundingClientRect().width, one.getBoundingClientRect().height])"
        )
        return min(min(box) for box in boxes)

    def check_usable(self) -> None:
        """Nothing sticks out, every button but the spots has a finger's size; axe finds nothing."""
        wide, high, room, small = self.page.evaluate(SIZES)
        assert wide <= room[0]
        assert high <= room[1]
        assert not small
        findings = Axe().run(self.page, options={"resultTypes": ["violations"], "preload": False}).response
        told = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in findings["violations"]]
        assert not told


TURNS = {"topwords": 5, "kreuzwort": 5, "point": 5, "recht": 1, "dominos": 12}
"""After how many turns words stand well on a phone; of the other games after so many:"""
MANY = 13


def position(key: str) -> tuple[State[Any], int, str]:
    """(state, seat to move, what its robot would play). Of Presto it would have to find a crossword."""
    if key == "presto":
        dealt = Match("AAEE*rCGHLMNTX", "TOR", known="EXAMEN LAGE NACHT")
        return dealt.state, 0, "T20 w EXAM*EN, V19 s LAGE, Y20 s NACHT"
    return next(islice(_turns(key), TURNS.get(key, MANY), None))


def _turns(key: str) -> Iterator[tuple[State[Any], int, str]]:
    game, ctx = (
        load_game(key),
        Context(WORDS, shuffling.build_shuffle(shuffling.build_round_seeds(bytes(32)), (), "K7Q2")),
    )
    now, _ = table.open_match_state(game, 2, game.options(), ctx)
    while not now.state.over:
        seat = now.state.to_move[0]
        text = choose_robot_move(game, now.state, seat, ctx)
        yield now.state, seat, text
        after, _ = table.try_order(game, now, seat, text, ctx) if text else table.miss_seat(game, now, seat, ctx)
        now = after if after.state is not now.state else table.miss_seat(game, now, seat, ctx)[0]


COLUMNS = list_column_names(SIZE)


def lay_words(board: Board, text: str) -> None:
    """``E5 w HAUS``; a star before what a jolly stands for."""
    for column, row, way, word in re.findall(r"\b([A-Z]+)(\d+) ([ws]) ([*\w]+)", text):
        for at, (star, letter) in enumerate(re.findall(r"(\*?)(\w)", word)):
            x, y = (at, 0) if way == "w" else (0, at)
            here = f"{COLUMNS[COLUMNS.index(column) + x]}{int(row) + y}"
            if not re.match(rf"\w+: {letter}\b", board.label(here)):  # unless it lies there already
                board.lay(here, star + letter, way)


def lay_bone(board: Board, text: str) -> None:
    """``64@L``."""
    name, _, place = text.partition(" ")[0].partition("@")
    board.tile(name).click()
    if not board.page.locator("#board .own").count():  # it fits in several places
        board.spot(place).click()


def lay_announced(board: Board, text: str) -> None:
    """``hinten L = GABEL``: the open squares are the one before the fragment and the one behind it. Or the first word
    of a round, ``E an T20 w = REISE``."""
    found = re.fullmatch(r"(vorn |hinten |)(\w)(?: an \w+(?: \w)?)? = (\w+)", text)
    assert found is not None, text
    if found[1]:
        board.page.locator("#board .open").nth(0 if found[1] == "vorn " else -1).click()
    board.tile(found[2]).click()
    board.page.fill("#word", found[3])


def lay_snake(board: Board, text: str) -> None:
    """``1: T3+E, T2; 3: N``: each tile goes to the number of its head."""
    for head, tiles in re.findall(r"(\d+): ([^;]+)", text):
        for name in re.split(r"[+,] ?", tiles.strip()):
            board.tap(f"@{head} ={name}")


LAID: dict[str, Callable[[Board, str], None]] = {
    **dict.fromkeys(("topwords", "kreuzwort", "point", "presto"), lay_words),
    **dict.fromkeys(("dominos", "tridom", "supertridom"), lay_bone),
    "recht": lay_announced,
    "domijongg": lay_snake,
}


def ask_module(chromium: Browser, key: str, script: str, cases: list[Any], exported: str = "") -> list[Any]:
    """What a function of the browser says of each case; ``family`` is the module of the game's page."""
    texts = [(templates() / "site" / "zug_tools.js").read_text(encoding="utf-8"), touch_board.read_family_source(key)]
    sources = [b64encode(text.encode()).decode() for text in texts]
    page = chromium.new_page()
    answers: list[Any] = page.evaluate(
        f"""async ([shell, source, name, cases]) => {{
            const {{ atLeast }} = await import("data:text/javascript;base64," + shell);
            const family = (await import("data:text/javascript;base64," + source))[name];
            return cases.map({script});
        }}""",
        [*sources, exported or key, cases],
    )
    page.close()
    return answers


def turn_of(state: State[Any], game: str, seat: int = 0, language: str = "de") -> TurnData:
    """The turn that the seat gets."""
    view = view_for(state, seat)
    return add_moves(
        TurnData(
            match="K7Q2",
            name="Arratia",
            game=game,
            entry=17,
            round=1,
            deadline="2026-12-01T19:00:00Z",
            zone="Europe/Berlin",
            language=language,
            reply=REPLY,
            seat=seat,
            names=("Anna", "Jörg", "Cora", "Dora", "Emil", "Fred", "Gerd", "Hans")[: len(state.scores)],
            scores=state.scores,
            tiles=view.hand_counts if len(state.hands) > 1 else (),
            rack=view.hand,
            common=len(state.hands) == 1,
            stock=view.stock_count,
            options=dataclasses.asdict(getattr(state.public, "options", load_game(game).options())),
            board=turn_data.build_table_values(load_game(game), view),
        )
    )


@dataclass
class Served(Archive):
    """An archive in a folder of a web server."""

    asked: list[str] = field(default_factory=list)
    """Paths of the requests."""


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, *_: object) -> None:
            asked.append(self.path)

        def log_error(self, *_: object) -> None:
            """Not to the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder.parent))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Served(folder, {}, f"http://127.0.0.1:{server.server_port}/{folder.name}", asked)
        server.shutdown()


def put_on_web(club: Club, url: str = "https://club.example/archive") -> None:
    """Give the club a site with an address, and write it."""
    set_site(club, folder="site", url=url)
    publish(club)


def send_mail(page: Page, club: Club, name: str) -> None:
    """What the reader's mail program does with what the page opens."""
    answer = urlsplit(page.get_attribute("#send", "href") or "")
    club.write(name, parse_qs(answer.query)["body"][0], to=unquote(answer.path), subject="Re: your turn")


def link_in(mail: Any) -> str:
    """The link to the touch board, below the archive's folder."""
    html = mail.get_body(("html",))
    (link,) = re.findall(r'href="https://club\.example/archive/(zug/\w+\.html#[\w-]+)"', html.get_content())
    return str(link)


@dataclass
class Turn:
    """A match whose first mail has a link to its page."""

    club: Club
    code: str
    seat: int
    name: str
    """Of the player to move."""
    link: str

    def answer(self, chromium: Browser, lay: Callable[[Board], None]) -> None:
        """Open the link, ``lay`` there, and send the mail that the page opens."""
        site = Archive(self.club.folder / "site", {})
        for view in looked(chromium, site):
            view.page.goto(site.address(self.link))
            view.page.wait_for_selector(OPEN)
            lay(Board(view.page, site))
            send_mail(view.page, self.club, self.name)
        self.club.tick()


def mailed(folder: Path, key: str, *names: str) -> Turn:
    """A match between ``names`` in a club that has pages on the web."""
    club = club_of(folder, *names)
    put_on_web(club)
    code = club.start(*names, game=key)
    seat = club.live(code).seats_to_act[0]
    return Turn(club, code, seat, names[seat], link_in(club.mail(names[seat])))
