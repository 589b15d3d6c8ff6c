"""A series of one metric of one entity, and where each of its values stands in its file."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

from fastagent.state import Source
from fastagent_tools.text.quote import MAX_CHARS, quote
from fastagent_tools.text.sheet import Sheet

EDGE = "->"  # in the entity of a series that is about calls: caller->callee


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time. The three lists run in parallel, oldest first."""

    entity: str  # service, host …; "caller->callee" for calls
    metric: str  # as the file calls it
    sheet: Sheet
    times_s: list[float] = field(default_factory=list)  # since the epoch
    values: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)  # index into sheet.lines
    column: int = -1  # of a wide table, where in the row the value stands

    def between(self, begin_s: float, end_s: float) -> range:
        """Indexes of the points from `begin_s` to `end_s`, both included."""
        return range(bisect_left(self.times_s, begin_s), bisect_right(self.times_s, end_s))

    def source(self, index: int) -> Source:
        """Where a point stands."""
        return Source(file=self.sheet.path, line=self.sheet.first + self.rows[index], metric=self.metric)

    def quote(self, index: int) -> str:
        """The row of a point as it stands in the file; of a long row the part that leads up to the value."""
        line = self.sheet.lines[self.rows[index]]
        if len(line) <= MAX_CHARS or self.column < 0:
            return quote(line)
        cells = line.split(",")
        upto = ",".join(cells[: self.column + 1])
        return quote(upto if len(upto) <= MAX_CHARS else ",".join(cells[max(0, self.column - 3) : self.column + 1]))


def sorted_by_time(series: Series) -> Series:
    """The same points in the order of time; files are not always written in it."""
    if all(a <= b for a, b in pairwise(series.times_s)):
        return series
    order = sorted(range(len(series.times_s)), key=series.times_s.__getitem__)
    return Series(
        series.entity,
        series.metric,
        series.sheet,
        [series.times_s[i] for i in order],
        [series.values[i] for i in order],
        [series.rows[i] for i in order],
        series.column,
    )
