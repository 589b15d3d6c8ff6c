"""A value that satisfies a JSON Schema: the smallest one that says something, always the same.

Covers the strict subset of the API (objects, arrays, enums, anyOf, references) and the usual bounds. Patterns and
formats are met where a fixed sample meets them.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

Schema = Mapping[str, Any]

NESTED = 8  # levels; below, what may be null is null
DEPTH = 32  # levels; a schema that is still not at its end refers to itself
ENDS = (("minimum", "exclusiveMinimum", float("-inf")), ("maximum", "exclusiveMaximum", float("inf")))
SAMPLES: Mapping[str, str] = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT1S",
    "email": "a@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "https://example.org/",
}


def fill(schema: Schema) -> Any:
    """A value for `schema`. Raises ValueError where a reference leads nowhere or never ends."""
    return _fill(schema, schema, 0)


def _fill(schema: Any, root: Schema, depth: int) -> Any:
    if depth > DEPTH:
        raise ValueError("the schema refers to itself without end")
    if not isinstance(schema, Mapping):
        return {}  # `true`: anything goes
    if "$ref" in schema:
        return _fill(_resolve(str(schema["$ref"]), root), root, depth + 1)
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    if schema.get("enum"):
        return schema["enum"][0]
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return _branch(branches, schema, root, depth)
    return _typed(_merged(schema, root), root, depth)


def _branch(branches: Sequence[Any], schema: Schema, root: Schema, depth: int) -> Any:
    """The first branch that ends, anything before null: a nullable field is filled, until it nests too deep."""
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
    for branch in sorted(branches, key=_is_null, reverse=depth > NESTED):
        try:
            return _fill({**rest, **branch} if isinstance(branch, Mapping) else branch, root, depth + 1)
        except ValueError:
            continue
    raise ValueError("no branch of the schema ends")


def _is_null(branch: Any) -> bool:
    return isinstance(branch, Mapping) and branch.get("type") == "null"


def _merged(schema: Schema, root: Schema) -> Schema:
    """`allOf` folded into the schema itself."""
    merged = dict(schema)
    for part in schema.get("allOf", ()):
        resolved = _resolve(str(part["$ref"]), root) if "$ref" in part else part
        for key, value in resolved.items():
            known = merged.get(key)
            if isinstance(known, Mapping):
                merged[key] = {**known, **value}
            elif isinstance(known, list):
                merged[key] = known + [entry for entry in value if entry not in known]
            else:
                merged[key] = value
    return merged


def _resolve(reference: str, root: Schema) -> Any:
    node: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if not reference.startswith("#") or (key and (not isinstance(node, Mapping) or key not in node)):
            raise ValueError(f"the schema refers to {reference!r}, which is not in it")
        node = node[key] if key else node
    return node


def _typed(schema: Schema, root: Schema, depth: int) -> Any:
    return FILLERS[_type(schema)](schema, root, depth)


def _type(schema: Schema) -> str:
    declared = schema.get("type")
    if isinstance(declared, str):
        return declared if declared in FILLERS else "string"
    if declared:  # a union such as ["string", "null"]: null only when alone
        return str(min(declared, key=lambda name: name == "null"))
    return "array" if "items" in schema else "object" if "properties" in schema else "string"


def _object(schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    return {name: _fill(properties.get(name, {"type": "string"}), root, depth + 1) for name in required}


def _array(schema: Schema, root: Schema, depth: int) -> list[Any]:
    least, prefix = schema.get("minItems", 0), schema.get("prefixItems", ())
    items = [_fill(entry, root, depth + 1) for entry in prefix]
    missing = max(0, least - len(items))
    return items + [_fill(schema.get("items", {"type": "string"}), root, depth + 1) for _ in range(missing)]


def _string(schema: Schema, root: Schema, depth: int) -> str:
    sample = SAMPLES.get(schema.get("format", ""), "sample")
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(sample))
    return sample[:most] if len(sample) >= least else sample + "x" * (least - len(sample))


def _number(schema: Schema, root: Schema, depth: int) -> float:
    low, high = (schema.get(key, schema.get(other, far)) for key, other, far in ENDS)
    return _bounded(schema, min(0.5, (high - low) / 2))


def _integer(schema: Schema, root: Schema, depth: int) -> int:
    return ceil(_bounded(schema, 1))


def _bounded(schema: Schema, gap: float) -> float:
    """The number nearest to zero inside the bounds, on the grid of `multipleOf`."""
    low = schema.get("minimum", schema.get("exclusiveMinimum", float("-inf")) + gap)
    high = schema.get("maximum", schema.get("exclusiveMaximum", float("inf")) - gap)
    value = min(max(0, low), high)
    step = schema.get("multipleOf")
    if not step:
        return float(value) if isinstance(value, float) else value
    up = ceil(value / step) * step
    return float(up) if up <= high else float(up - step)


FILLERS: Mapping[str, Callable[[Schema, Schema, int], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": lambda schema, root, depth: True,
    "null": lambda schema, root, depth: None,
}
