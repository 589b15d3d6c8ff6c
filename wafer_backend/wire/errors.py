"""OpenAI's error bodies: `{"error": {message, type, param, code}}`, and the refusals we answer with."""

from collections.abc import Iterable

import orjson


class WireError(Exception):
    """A request that gets an error body. `param` names the field at fault, as a path such as `tools[0].name`."""

    def __init__(
        self,
        status: int,
        message: str,
        param: str | None = None,
        code: str | None = None,
        type: str = "invalid_request_error",  # noqa: A002  OpenAI's word
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code, self.type = status, message, param, code, type

    def body(self) -> bytes:
        """The JSON body that the official clients turn into an exception."""
        fields = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return orjson.dumps({"error": fields})


def invalid(message: str, param: str | None, code: str | None = None) -> WireError:
    """A field with a value that cannot be."""
    return WireError(400, message, param, code)


def wrong_type(param: str, expected: str, value: object) -> WireError:
    """A field of the wrong JSON type; `expected` reads like "a string"."""
    message = f"Invalid type for '{param}': expected {expected}, but got {json_type(value)} instead."
    return WireError(400, message, param, "invalid_type")


def missing(param: str) -> WireError:
    """A required field that is not there."""
    return WireError(400, f"Missing required parameter: '{param}'.", param, "missing_required_parameter")


def unknown(param: str) -> WireError:
    """A field that the API does not have."""
    return WireError(400, f"Unknown parameter: '{param}'.", param, "unknown_parameter")


def unsupported(param: str) -> WireError:
    """A field of the API that this emulator does not honour and that would have changed the answer."""
    return WireError(400, f"Unsupported parameter: '{param}' is not emulated.", param, "unsupported_parameter")


def unknown_value(param: str, value: object, known: Iterable[str]) -> WireError:
    """A word that is not one of the `known` ones."""
    names = ", ".join(f"'{name}'" for name in known)
    message = f"Invalid value for '{param}': {value!r}. Supported values are: {names}."
    return WireError(400, message, param, "invalid_value")


def model_not_found(model: str) -> WireError:
    """A model that is not served."""
    message = f"The model '{model}' does not exist or you do not have access to it."
    return WireError(404, message, "model", "model_not_found")


def engine_fault(message: str) -> WireError:
    """An engine broke its contract: ours to mend, not the client's."""
    return WireError(500, f"The engine's answer is not what was asked for: {message}", type="server_error")


def json_type(value: object) -> str:
    """The JSON type of a parsed value, with its article, as OpenAI's messages word it."""
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a decimal", list: "an array"}
    return "null" if value is None else names.get(type(value), "an object")
