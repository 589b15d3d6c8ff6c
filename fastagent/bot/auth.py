"""Who may talk to the bot: a bearer token, or a user and password. Compared in constant time."""

import binascii
import hmac
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass

CHALLENGE = 'Basic realm="fastagent", Bearer'


@dataclass(frozen=True, slots=True)
class Credentials:
    """What callers must show; without both, everybody is let in.

    A token is also taken as the password of any user, so that a browser can show it.
    """

    token: str = ""
    basic: str = ""  # user:password

    def __bool__(self) -> bool:
        return bool(self.token or self.basic)

    def allow(self, headers: Mapping[str, str]) -> bool:
        """Whether the `authorization` header (names in lower case) fits."""
        if not self:
            return True
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return bool(self.token) and _same(shown.strip(), self.token)
        if scheme.lower() != "basic":
            return False
        pair = _decoded(shown.strip())
        password = pair.partition(":")[2]
        # Both are compared whatever the first says: the time taken tells nothing.
        by_pair = _same(pair, self.basic) & bool(self.basic)
        by_token = _same(password, self.token) & bool(self.token)
        return by_pair | by_token


def _same(shown: str, expected: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "replace"), expected.encode("utf-8", "replace"))


def _decoded(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
