"""All checks in the order in which they are run, each with what the contract says."""

from __future__ import annotations

from moderator.conformance import endings, notation, outside, pictures, rules, sentences, speed, worlds
from moderator.conformance.finding import Check

CHECKS = (
    Check("declared", "A game names its key, seats, paces, version and options as they are.", rules.declared),
    Check("deal", "setup depends on ctx.shuffle alone: the same shuffles, the same deal.", rules.deal),
    Check("replay", "The same calls lead to the same states, each move written down and read back.", rules.replayed),
    Check("record", "The record of a match is read back and verified as that match.", endings.recorded),
    Check("undo", "What is taken back and played again comes to the same position.", endings.undone),
    Check("pure", "Methods change none of their arguments, and answer the same question the same way.", rules.pure),
    Check("outside", "A game asks its Context alone: no clock, no chance, no file, no net.", outside.alone),
    Check("apart", "Nothing is kept between calls: matches side by side know nothing of each other.", rules.apart),
    Check("conserved", "Hands, stock and table together always hold the same tiles.", rules.conserved),
    Check("legal", "moves lists what apply plays: all of it but passes and exchanges, and nothing else.", rules.legal),
    Check("points", "A move scores the points that moves promised.", rules.promised),
    Check("scores", "Scores change by the points of the step and of the notes in after.", rules.scores),
    Check("plain", "export, details and notes are plain JSON; a drawing lies on its board.", rules.exported),
    Check("situation", "What holds now is the same for all and counts nothing.", rules.situations),
    Check("winners", "There are winners once to_move is empty, not before; then nobody acts.", rules.winners),
    Check("broken-off", "rack_value takes off points for what lies on a rack, and never adds any.", rules.broken_off),
    Check("notation", "parse(format(move)) == move, by itself and as a line of a mail.", notation.round_trips),
    Check("languages", "As a mail prints a move in each language, it is read as that move.", notation.spoken),
    Check(
        "rubbish",
        "parse and apply raise PlayerError for what they refuse, with a sentence, and nothing else.",
        notation.rubbish,
    ),
    Check("half-read", "A line of which only the beginning is understood is no move.", notation.whole),
    Check("hidden-view", "What a seat may not see is in hands, stock and private, never in public.", worlds.views),
    Check("hidden-report", "Notes that everybody reads, and details, tell nothing that is hidden.", worlds.reports),
    Check("hidden-picture", "The picture shows nothing that is hidden.", worlds.pictures),
    Check("hidden-alt", "The alt text tells nothing that is hidden.", worlds.words),
    Check("hidden-turn", "The turn as data (table, export) holds nothing that is hidden.", worlds.turns),
    Check("robots", "Robots play a match to its end, and its log is that match.", endings.robots),
    Check("left", "A match ends though seats have left: their turns lead to somebody else's.", endings.left),
    Check("sentences", "Each code, option and value has its sentence in every language.", sentences.there),
    Check("codes", "Whatever looks like a code in the source has its sentence.", sentences.codes_in_source),
    Check("told", "A note has the values that its sentences want.", sentences.told),
    Check("language", "Sentences and rules are in the language of their file.", sentences.languages),
    Check("quoted", "What sentences and examples quote can be read as a move.", sentences.quoted),
    Check("no-moves", "No sentence is a move itself.", sentences.no_moves),
    Check("examples", "The move that a mail shows as an example can be played.", sentences.examples),
    Check("picture", "A picture can be read at 390 css pixels.", pictures.drawn),
    Check("alt", "The alt text names what lies there, and tells positions apart.", pictures.heard),
    Check("speed", "A move takes no absurd time.", speed.per_move),
)
