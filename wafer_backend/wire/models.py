"""GET /v1/models and /v1/models/{id}."""

from typing import Any

from wafer_backend.wire import errors

RELEASED = 1_790_812_800  # Unix time; a date for the model object, nothing depends on it


def model(name: str) -> dict[str, Any]:
    """One model object."""
    return {"id": name, "object": "model", "created": RELEASED, "owned_by": "wafer"}


def listing(served: tuple[str, ...]) -> dict[str, Any]:
    """The models that are served."""
    return {"object": "list", "data": [model(name) for name in served]}


def one(name: str, served: tuple[str, ...]) -> dict[str, Any]:
    """The model of that name. Raises the 404 that the API answers."""
    if name not in served:
        raise errors.model_not_found(name)
    return model(name)
