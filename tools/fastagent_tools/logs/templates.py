"""Messages without their particulars: `user 17 from 10.0.0.3` and `user 4 from 10.0.0.9` are one template."""

import re
from collections import Counter

from fastagent_tools.text.quote import shorten

MOST_LINES, MOST_CHARS = 20_000, 90  # of a log whose usual messages are told, and of each of these
_MAX_CHARS = 400  # what is compared; the rest of a longer message does not tell templates apart
_REMEMBERED = 200_000  # messages, and words as well
_MASKS = re.compile(
    r"(?P<url>\b[a-z][a-z0-9+.-]*://[^\s\"'<>\]),]+)"
    r"|(?P<uuid>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b)"
    r"|(?P<ip>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}\b)"
    r"|(?P<mail>\b[\w.+-]+@[\w-]+\.[\w.-]+)"
    r"|(?P<path>(?<![\w.])(?:[A-Za-z]:)?(?:/[\w.@%+~:-]+){2,}/?)"
    r"|(?P<str>\"[^\s\"]{1,80}\"|'[^\s']{1,80}')"
    r"|(?P<hex>\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{7,64}\b)"
    r"|(?P<dur>\b\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|sec|secs|seconds|minutes)\b)"
    r"|(?P<id>\b(?=[\w-]*\d)(?=[\w-]*[a-z])[a-z][\w]*(?:-[\w]+)*-[a-z0-9]{5,10}\b)"
    r"|(?P<key>\b(?=[A-Za-z0-9]*\d[A-Za-z])[A-Za-z0-9]{8,}\b)"
    r"|(?P<num>[-+]?\d+(?:[.,]\d+)*)"
)
_TELLING = re.compile(r"(?:code|status|errno|error|signal|exit|HTTP|SQLSTATE)\W{0,3}$", re.IGNORECASE)
_A_NUMBER = re.compile(r"[-+(]?\d+\W{0,2}$")


def _name(match: re.Match[str]) -> str:
    """The mask's name; the number of an exit code or an errno is what tells messages apart, so it stays."""
    kind = match.lastgroup or "num"
    if kind == "num" and _TELLING.search(match.string, max(0, match.start() - 12), match.start()):
        return match[0]
    return f"<{kind}>"


class Masker:
    """Masks messages and remembers them: logs repeat themselves, and their words even more."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def mask(self, message: str) -> str:
        """The template of a message."""
        found = self._seen.get(message)
        if found is None:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            found = self._seen[message] = self._mask(message[:_MAX_CHARS].split(" "))
        return found

    def _mask(self, words: list[str]) -> str:
        """Word by word: no mask spans a space, and most words are plain or were met before."""
        before = ""
        for index, word in enumerate(words):
            if not word.isalpha() and not (_TELLING.search(before) and _A_NUMBER.match(word)):
                words[index] = "<num>" if word.isdecimal() else self._words.get(word) or self._learn(word)
            before = word
        return " ".join(words).strip()

    def _learn(self, word: str) -> str:
        if len(self._words) >= _REMEMBERED:
            self._words.clear()
        masked = self._words[word] = _MASKS.sub(_name, word)
        return masked


def mostly(text: str) -> str:
    """What a log says for the most part: its two most frequent messages, values masked."""
    mask = Masker().mask
    counts = Counter(mask(line.strip()) for line in text.splitlines()[-MOST_LINES:] if line.strip())
    return " | ".join(shorten(template, MOST_CHARS) for template, _ in counts.most_common(2))
