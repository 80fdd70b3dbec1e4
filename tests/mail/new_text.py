"""What the reading of mails makes of a text alone, for tests that need no mail around it."""

from collections.abc import Collection

from moderator.common.mails import Line
from moderator.mail.clean import clean_mail_text, iter_clean_lines
from moderator.mail.reply import cut_quotes, drop_known_lines


def new_text(text: str, ours: Collection[str] = ()) -> tuple[list[Line], dict[str, int]]:
    """(new lines, lines left out by kind) of a plain text body. Never raises; linear time.

    ``ours`` are lines of the mail replied to: a line equal to one of them (see ``normal_line``) is left out as
    "own". Blank lines are not given, but they count in ``Line.number`` (a run of them once), so a gap in the
    numbers is a blank line.
    """
    lines, ignored = cut_quotes([(line, "") for line in iter_clean_lines(clean_mail_text(text))])
    lines, own = drop_known_lines(lines, ours)
    return lines, ignored | ({"own": own} if own else {})
