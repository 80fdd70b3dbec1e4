"""Plays Dominos as a player with an address of its own: reads the turns that came to a Maildir, and answers by mail.

python3 by_mail.py games@example.org ada@home.example ~/Maildir
"""

import email
import email.policy
import json
import mailbox
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

KIND = "application/vnd.moderator.turn+json"


def turns(box):
    """Those in new mails, which are read then."""
    for key, mail in box.items():
        if mail.get_subdir() == "new":
            for part in email.message_from_bytes(bytes(mail), policy=email.policy.default).walk():
                if part.get_content_type() == KIND:
                    yield json.loads(part.get_content())
            mail.set_subdir("cur")
            mail.add_flag("S")
            box[key] = mail


def order(turn):
    """Whatever fits an open end, the heaviest tile first; the others are fallbacks."""
    ends = turn["board"]["ends"].items()
    fitting = [f"{tile}@{end}" for tile in turn["rack"] for end, at in ends if str(at["value"]) in tile]
    return "\nelse ".join(sorted(fitting or turn["rack"], key=lambda move: -int(move[0]) - int(move[1])))


def main(club, own, folder):
    local, _, domain = club.partition("@")
    notes = Path(folder, "answered.json")
    answered = json.loads(notes.read_text()) if notes.exists() else {}
    for turn in turns(mailbox.Maildir(folder)):
        to = turn["reply"]["address"]
        ours = turn["turn"] == 1 and turn["game"] == "dominos" and to.startswith(local) and to.endswith(f"@{domain}")
        if ours and turn["entry"] > answered.get(turn["match"], -1):  # the same position may come in several mails
            mail = EmailMessage()
            mail["From"], mail["To"], mail["Subject"] = own, to, f"Re: {turn['reply']['subject']}"
            mail.set_content(order(turn))
            subprocess.run(["sendmail", "-t"], input=bytes(mail), check=True)
            answered[turn["match"]] = turn["entry"]
            notes.write_text(json.dumps(answered))


main(*sys.argv[1:])
