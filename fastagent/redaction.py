"""Secrets and personal data become typed, stable tokens before anything leaves the process or is stored.

    "password=hunter2 from 10.0.0.7"  ->  "password=<secret#1> from <ip#1>"

The same value gets the same token within a run, so that a model can still follow it. Secrets never come back;
addresses and names do, in the local report (a fix that says `<ip#3>` is no fix).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fastagent.state import as_json


@dataclass(frozen=True, slots=True)
class Rule:
    """What to hide: group "v" of the pattern, or the whole match. `secret` values are never restored."""

    kind: str
    pattern: re.Pattern[str]
    secret: bool = True
    marks: tuple[str, ...] = ()  # one of these must stand in the text (lower case), else the pattern is not tried


def _rule(kind: str, pattern: str, *marks: str, secret: bool = True, flags: int = re.IGNORECASE) -> Rule:
    return Rule(kind, re.compile(pattern, flags), secret, marks)


# Names of values that are secret: DB_PASS, STRIPE_SECRET_KEY, X-Vault-Token … but not "keyspace" or "tokens: 7".
_NAME = (
    r"(?:\b|(?<=[_-]))(?:[a-z0-9]{1,32}[_-]){0,6}(?:passw(?:or)?d|passwd|passphrase|pass|pwd|secret|token(?!s)|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|secret[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|ssh[_-]?key|credential|authtoken"
    r"|accesstoken|apikey|clientsecret|secretkey|accesskey|privatekey)s?"
)
_MARKS = ("pass", "pwd", "secret", "key", "token", "credential")
_SECRET_NAME = re.compile(rf"(?i)^(?:[\w-]*[_-])?{_NAME}$|password$|secret$|token$|apikey$")
# Most specific first: what one rule has replaced, the next ones no longer see. Every repetition is bounded or over
# a class that its follower excludes, so that hostile text cannot make a pattern backtrack for long.
_RULES = (
    _rule("private_key", r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.{0,16000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
          "private key", flags=re.DOTALL),
    _rule("jwt", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*", "eyj", flags=0),
    _rule("aws_key", r"\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b", "akia", "asia", "aroa", "aida", flags=0),
    _rule("github_token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255})", "ghp_", "gho_", "ghu_", "ghs_",
          "ghr_", "github_pat_", flags=0),
    _rule("gitlab_token", r"\bglpat-[\w-]{16,}", "glpat-"),
    _rule("slack_token", r"\bxox[abeoprs]-[\w-]{10,}", "xox"),
    _rule("slack_webhook", r"hooks\.slack\.com/services/(?P<v>[\w/]{20,})", "hooks.slack.com"),
    _rule("stripe_key", r"\b(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{10,}", "_live_", "_test_"),
    _rule("google_key", r"\bAIza[\w-]{35}", "aiza", flags=0),
    _rule("api_key", r"\bsk-(?:[a-z]+-)?[A-Za-z0-9_-]{20,}", "sk-", flags=0),
    _rule("npm_token", r"\bnpm_[A-Za-z0-9]{36}", "npm_"),
    # The password ends at the LAST @ before the host: passwords hold unescaped @ in real logs.
    _rule("password", r"\b[a-z][a-z0-9+.-]{1,30}://[^\s:/@'\"]{0,200}:(?P<v>[^\s'\"]{1,200})@(?=[\w\[<])", "://"),
    _rule("auth", r"\bauthorization['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?:(?:bearer|basic|token|digest)\s{1,4})?"
          r"(?P<v>[^\s'\",]{6,4096})", "authorization"),
    _rule("auth", r"\b(?:bearer|basic|token)\s+(?P<v>[A-Za-z0-9._~+/=-]{12,4096})", "bearer", "basic", "token"),
    _rule("cookie", r"\b(?:set-)?cookie['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?P<v>[^\s'\";]{1,64}=[^\s'\";]{6,4096}(?:;\s?[\w.-]{1,64}=[^\s'\";]{6,4096}){0,20})", "cookie"),
    _rule("secret", rf"{_NAME}['\"]{{0,2}}\s{{0,4}}(?:=>|:=|[:=])\s{{0,4}}"
          r"(?:\"(?P<q>[^\"\n]{3,400})\"|'(?P<s>[^'\n]{3,400})'|(?P<v>[^\s'\",;&]{3,400}))", *_MARKS),
    _rule("secret", rf"(?<![\w-])--?{_NAME}\s{{1,4}}['\"]?(?P<v>[^\s'\",;&-][^\s'\",;&]{{2,400}})", *_MARKS),
    _rule("card", r"\b(?:4\d{3}|5[1-5]\d{2}|6011)[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b"),
    _rule("ssn", r"\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b"),
    _rule("email", r"\b[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b", "@", secret=False),
    _rule("ip", r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)", secret=False),
    _rule("ip", r"(?<![\w:.])(?:[0-9a-f]{1,4}:){1,7}(?::[0-9a-f]{1,4}){1,6}(?![\w:])|(?<![\w:.])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])", "::", ":", secret=False),
)  # fmt: skip
_TOKEN = re.compile(r"<([a-z_]+)#(\d+)>")
_HARMLESS = re.compile(
    r"(?i)^<?(?:null|none|nil|true|false|required|missing|invalid|empty|unset|redacted|x{3,}|\*+|\.{3,}|-+)>?$"
    r"|^<[a-z][a-z _-]*>$|^\$\{?\w+\}?$"  # a placeholder holds nothing
)
LEAST_SECRET_CHARS = 3
_NAMED = Rule("secret", re.compile("(?!)"))
_SECRET_KINDS = frozenset(rule.kind for rule in _RULES if rule.secret)
_LOOPBACK = ("127.", "0.0.0.0")  # noqa: S104 - compared, not bound


@dataclass(slots=True)
class Redactor:
    """One run's memory of what it has hidden. `snapshot` holds no secret, so it may be checkpointed."""

    _tokens: dict[tuple[str, str], str] = field(default_factory=dict)
    _values: dict[str, str] = field(default_factory=dict)  # token -> value, restorable kinds only
    _counts: dict[str, int] = field(default_factory=dict)

    def redact(self, text: str) -> str:
        """The text with secrets and personal data replaced by tokens."""
        lowered = text.lower()
        for rule in _RULES:
            if not rule.marks or any(mark in lowered for mark in rule.marks):
                text = rule.pattern.sub(partial(self._replace, rule), text)
        return text

    def redact_all(self, value: Any) -> Any:
        """JSON data with every string redacted, keys included: a recorded command line may hold a password."""
        value = as_json(value)
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact(k): self._member(k, v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.redact_all(v) for v in value]
        return value

    def _member(self, name: str, value: Any) -> Any:
        """A member of a mapping; what is called like a secret is one, whatever it looks like."""
        if isinstance(value, str) and _SECRET_NAME.search(name) and len(value) >= LEAST_SECRET_CHARS:
            return value if _HARMLESS.match(value) or _TOKEN.fullmatch(value) else self._token(_NAMED, value)
        return self.redact_all(value)

    def restore(self, text: str) -> str:
        """Addresses and names back in place; secrets stay hidden."""
        return _TOKEN.sub(lambda m: self._values.get(m.group(0), m.group(0)), text)

    def restore_all(self, value: Any) -> Any:
        """JSON data with every string restored."""
        if isinstance(value, str):
            return self.restore(value)
        if isinstance(value, Mapping):
            return {self.restore(k): self.restore_all(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.restore_all(v) for v in value]
        return value

    def snapshot(self) -> dict[str, Any]:
        """What a resumed run needs: restorable values and how far the numbering got."""
        return {"values": dict(self._values), "counts": dict(self._counts)}

    @classmethod
    def resume(cls, snapshot: Mapping[str, Any]) -> "Redactor":
        """A redactor that continues the numbering of an earlier one."""
        values = dict(snapshot.get("values", {}))
        tokens = {(token[1:].split("#")[0], value): token for token, value in values.items()}
        return cls(tokens, values, dict(snapshot.get("counts", {})))

    def _replace(self, rule: Rule, match: re.Match[str]) -> str:
        groups = match.groupdict()
        name = next((n for n, v in groups.items() if v is not None), None)
        value = match.group(name) if name else match.group(0)
        if _HARMLESS.match(value) or _TOKEN.search(value) or (rule.kind == "ip" and value.startswith(_LOOPBACK)):
            return match.group(0)
        start, end = match.span(name) if name else match.span(0)
        whole, offset = match.group(0), match.start()
        return whole[: start - offset] + self._token(rule, value) + whole[end - offset :]

    def _token(self, rule: Rule, value: str) -> str:
        key = (rule.kind, value)
        if key not in self._tokens:
            self._counts[rule.kind] = self._counts.get(rule.kind, 0) + 1
            token = self._tokens[key] = f"<{rule.kind}#{self._counts[rule.kind]}>"
            if not rule.secret:
                self._values[token] = value
        return self._tokens[key]


def without_secrets(quote: str) -> str:
    """The longest piece of a quote that holds no secret's token: what can stand verbatim in a report."""
    pieces, start = [], 0
    for match in _TOKEN.finditer(quote):
        if match.group(1) in _SECRET_KINDS:
            pieces.append(quote[start : match.start()])
            start = match.end()
    return max([*pieces, quote[start:]], key=len).strip() if pieces else quote
