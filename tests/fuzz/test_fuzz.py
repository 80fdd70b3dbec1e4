"""Some hundred inputs for each target, and every input that ever made a fault."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.material import HEADERS, SEPARATORS, seeds, tokens
from tests.fuzz.targets import BYTES, TARGETS, run

FOUND = sorted((Path(__file__).parent / "found").glob("*.txt"))
TEXTS = [name for name in TARGETS if name not in BYTES]
some = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def pieces(target: str) -> st.SearchStrategy[str]:
    """Words of the grammar, a seed of the other tests, any text."""
    piece = st.one_of(st.sampled_from(tokens(target)), st.text(max_size=6), st.sampled_from(SEPARATORS))
    row = st.lists(piece, max_size=40).map("".join)
    seed = st.sampled_from(seeds(target))
    cut = st.tuples(seed, st.integers(0, 200), st.integers(0, 9)).map(
        lambda of: of[0][: of[1]] + of[0][of[1] + of[2] :]
    )
    spaced = st.lists(st.sampled_from(tokens(target)), max_size=30).map(" ".join)
    return st.one_of(row, spaced, cut, cut.map(str.upper), st.tuples(row, seed, row).map("".join))


@pytest.mark.parametrize("target", TEXTS)
@given(data=st.data())
@some
def test_any_text(target: str, data: st.DataObject) -> None:
    run(target, data.draw(pieces(target)))


@given(st.lists(st.one_of(st.sampled_from(HEADERS), st.binary(max_size=8)), max_size=60).map(b"".join))
@some
def test_any_mail(data: bytes) -> None:
    run("mail", data)


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.stem)
def test_what_was_a_fault_is_none_any_more(file: Path) -> None:
    target = file.stem.rpartition("-")[0]
    raw = file.read_bytes()
    run(target, raw if target in BYTES else raw.decode("utf-8", "surrogatepass"))
