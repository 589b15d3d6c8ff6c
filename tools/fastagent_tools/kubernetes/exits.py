"""What a container's exit code means."""

import re

_CODES = {
    1: "a general error",
    2: "wrong usage or a shell error",
    125: "the command's own choice, or the container could not be run",
    126: "the command cannot be executed",
    127: "the command was not found",
    128: "an invalid exit",
    134: "SIGABRT: it aborted",
    136: "SIGFPE: an arithmetic error",
    137: "SIGKILL: killed, out of memory or after its grace period",
    139: "SIGSEGV: a segmentation fault",
    143: "SIGTERM: asked to stop",
    255: "a general error",
}
_CURL = {
    3: "curl: malformed URL",
    5: "curl: could not resolve the proxy",
    6: "curl: could not resolve the host name (DNS)",
    7: "curl: could not connect to the host",
    22: "curl: the server answered with an HTTP error",
    28: "curl: timed out",
    35: "curl: the TLS handshake failed",
    52: "curl: an empty answer",
    56: "curl: receiving failed",
    60: "curl: the certificate is not trusted",
}


def meaning(code: int, command: str = "") -> str:
    """The code in words; curl has codes of its own. "" for a code that only the program can explain."""
    if re.match(r"(\S*/)?curl\b", command) and code in _CURL:
        return _CURL[code]
    if code in _CODES:
        return _CODES[code]
    return f"signal {code - 128}" if 128 < code < 160 else ""
