"""Whom a name means: pods, upper and lower case, and columns that are called after a service."""

import re
from collections.abc import Iterable
from functools import cached_property

_POD = re.compile(r"-(?:[0-9a-f]{6,10}-)?[a-z0-9]{5}$|-\d{1,3}$")


class Names:
    """The services an incident knows."""

    def __init__(self, services: Iterable[str]) -> None:
        self.services = tuple(dict.fromkeys(s for s in services if s))

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {s.lower(): s for s in reversed(self.services)}

    @cached_property
    def _longest_first(self) -> tuple[str, ...]:
        return tuple(sorted(self._folded, key=len, reverse=True))

    def canonical(self, name: str) -> str:
        """The service that is meant, or the name itself: `cart-579f59597d-wc2lz` is a pod of `cart`."""
        name = name.strip()
        if known := self._folded.get(name.lower()):
            return known
        workload = _POD.sub("", name)
        return self._folded.get(workload.lower(), name)

    def of_column(self, column: str) -> tuple[str, str] | None:
        """Entity and metric of a column such as `cart_latency`; of `web_cart`, with both known, `web->cart`."""
        folded = column.lower()
        for service in self._longest_first:
            if folded.startswith(service) and len(folded) > len(service) + 1 and folded[len(service)] in "_-.:/ ":
                rest = column[len(service) + 1 :]
                caller = self._folded[service]
                if callee := self._folded.get(rest.lower()):
                    return f"{caller}->{callee}", ""
                return caller, rest
        return None
