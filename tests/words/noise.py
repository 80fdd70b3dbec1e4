"""What must not count, as people found it in the first dictionary that pip alone gave, and what must."""

from pathlib import Path

from moderator.words.kinds import to_capitals

LISTS = Path(__file__).parent / "lists"
GERMAN = (
    "THE AND YOU LOVE FROM YOUNG SCHIFFAHRT TIP RAUH KÄNGURUH STOP NUMERIEREN PLAZIEREN STANDART TERASSE KOMUNE IBM "
    "NASA NSDAP ATM TÜV BEAUVOIS CARIBBEAN AAB EUGH HELF WERF BRECH ESS STERB TRET VERGESS LES NEHM GEB SEH ÖFFN "
    "GEHTE SINGTE REPERATUR RIZHAO BORBSEN NINETH"
)
"""English words, old and wrong spellings, abbreviations, foreign names, imperatives that do not exist, plain junk."""
ENGLISH = (
    "TEH RECIEVE SEPERATE DEFINATELY ALOT HAUS UND NICHT SCHULE IBM NASA USB DVD NP CC CM DB HTTP WWW QWERTZ BEAUVOIS "
    "ACCOMODATE OCCURED UNTILL WICH THIER"
)
FOUND = (
    "ZEUS ODIN THOR MÜESLI ZMORGE BÜKE FRUG GEDOWNLOADET WÜSST HAYDN OBAMA COX DÄUCHT EIDAM BÜBLEIN "
    "HILF WIRF BRICH ISS STIRB TRITT VERGISS LIES NIMM GIB SIEH SPRICH SPRECH ÖFFNE ATME GELT ANGELT "
    "BEFEHL ERWERB ENTGELT"
)
"""What was missing, and what stands beside the imperatives that do not exist: others, and nouns of the same letters."""
DOUBTFUL = "JUMP PACKET"
"""Also called noise, but good: the third jump of the triple jump, and ihr packet."""
TOPWORDS = "ABI APO COBOL NY MY XI AH ÄH AHA AUSIXEN HAUS REISE JUX MOND WORT WORTE EIS EXAMEN NAHT STERN"
TYPDOM = "MEXICO TEXAS POLA PHON WIND MOND RUF RUDOLF GELB SARAJEVO EXAMEN REISE WORTE SPIEL OEL HAEUSER GEHEN"
"""What the rule sheets use as good words; ixte (ausixen) besides."""


SHEET = "ROSENBEET BIRNENSAFT NOLENS VOLENS AD ACTA KINDERÄRZTIN KINDERGÄRTNER KÖLNERIN"
"""What the word sheet of the club whose rules these are takes as examples of words that do not count: printed in no
dictionary, parts of phrases, printed for the other sex only (by the Duden of 2000)."""


def by_kind(name: str) -> dict[str, list[str]]:
    """Kind of word -> the words of a list, in capitals."""
    found: dict[str, list[str]] = {}
    for line in (LISTS / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words += [to_capitals(word) for word in line.split()]
    return found


def everyday(language: str) -> list[str]:
    """The 200 forms that were written down before any list was asked."""
    lines = (LISTS / f"everyday.{language}.txt").read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]
