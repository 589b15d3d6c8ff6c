"""Where the recorded incidents are: in a checkout below examples/, in an installed package beside this code."""

from pathlib import Path

import fastagent
from fastagent.errors import InputError

INCIDENTS = Path("examples", "incidents")


def incident(name: str) -> Path:
    """The folder of an incident with its bundle. Raises `InputError` where it is not installed."""
    package = Path(fastagent.__file__).parent
    for place in (package / "_incidents" / name, package.parent / INCIDENTS / name):
        if (place / "bundle").is_dir():
            return place
    raise InputError(f"the recorded incident {name} is not installed; run this from a checkout")
