from typing import Any

import jsonschema_rs
import pytest

from wafer_backend.engines.schema_fill import fill

TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["name", "next"],
            "additionalProperties": False,
        }
    },
}
SCHEMAS = [
    {},
    {"type": "string"},
    {"type": "string", "minLength": 12},
    {"type": "string", "maxLength": 2},
    {"type": "string", "format": "date-time"},
    {"type": "integer", "minimum": -4, "maximum": -2},
    {"type": "integer", "exclusiveMinimum": 0},
    {"type": "integer", "minimum": 4, "multipleOf": 3},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.4},
    {"type": "number", "exclusiveMaximum": 0},
    {"type": "number", "minimum": 0.25, "maximum": 1},
    {"type": "boolean"},
    {"type": "null"},
    {"type": ["null", "string"]},
    {"enum": ["x", "y"]},
    {"const": {"a": 1}},
    {"anyOf": [{"type": "null"}, {"type": "integer"}]},
    {"oneOf": [{"type": "integer"}, {"type": "string"}]},
    {"type": "array", "items": {"type": "integer"}, "minItems": 3},
    {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "minItems": 3, "items": {"const": 3}},
    {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {}}, "required": ["a"]},
    {"properties": {"a": {"enum": [2]}}, "required": ["a"], "additionalProperties": False},
    {"allOf": [{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}], "required": []},
    {"$ref": "#/$defs/odd~1name", "$defs": {"odd/name": {"type": "integer"}}},
    TREE,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_what_is_filled_in_satisfies_the_schema(schema: Any) -> None:
    assert jsonschema_rs.is_valid(schema, fill(schema))


def test_a_nullable_field_is_filled() -> None:
    assert fill({"anyOf": [{"type": "null"}, {"type": "integer"}]}) == 0
    assert fill({"type": ["null", "string"]}) == "sample"


def test_a_recursive_schema_ends_where_it_may() -> None:
    value = fill(TREE)
    while value["next"]:
        value = value["next"]
    assert value == {"name": "sample", "next": None}


@pytest.mark.parametrize("schema", [{"$ref": "#/$defs/nowhere"}, {"$ref": "https://example.org/schema"}])
def test_a_reference_that_leads_nowhere_is_an_error(schema: Any) -> None:
    with pytest.raises(ValueError, match="not in it"):
        fill(schema)


def test_a_schema_without_end_is_an_error() -> None:
    with pytest.raises(ValueError, match="without end"):
        fill({"$ref": "#"})
