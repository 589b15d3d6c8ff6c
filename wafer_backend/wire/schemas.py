"""JSON Schemas that clients send: refused when they are none, and what an answer must satisfy."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs
import orjson

from wafer_backend.wire import errors


def check_schema(schema: Mapping[str, Any], param: str, code: str) -> None:
    """Refuse a schema that cannot be compiled; `code` is OpenAI's for this place."""
    try:
        _validator(_key(schema))
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise errors.invalid(f"Invalid schema for '{param}': {reason}", param, code) from None


def violation(schema: Mapping[str, Any], text: str) -> str | None:
    """Why JSON `text` does not satisfy `schema`; None if it does."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return f"not JSON ({error})"
    validator = _validator(_key(schema))
    if validator.is_valid(value):
        return None
    return next(str(error.message) for error in validator.iter_errors(value))


def _key(schema: Mapping[str, Any]) -> bytes:
    return orjson.dumps(schema, option=orjson.OPT_SORT_KEYS)


@lru_cache(maxsize=512)
def _validator(schema: bytes) -> Any:
    return jsonschema_rs.validator_for(orjson.loads(schema), retriever=_refuse)


def _refuse(uri: str) -> Any:
    # A client's schema must not make this process fetch what it names.
    raise ValueError(f"remote reference {uri} is not followed")
