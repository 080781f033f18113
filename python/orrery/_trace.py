"""A trace: what happened. Columns of plain values, not copied out of the engine."""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _engine
from ._errors import UsageError
from ._frozen import FrozenDict

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

PathLike = Union[str, "os.PathLike[str]"]
Paths = Union[PathLike, Sequence[PathLike]]

_EVENT_COLUMNS = ("start_ps", "duration_ps", "name", "category", "activity", "lane", "ordinal")


@dataclass(frozen=True)
class Diagnostic:
    """A counted remark about the input (docs/DIAGNOSTICS.md)."""

    code: str
    severity: str
    count: int
    message: str
    hint: str


@dataclass(frozen=True)
class Lane:
    """A row of the timeline: a host thread or a device stream. `process` and `thread` are as the file writes them."""

    process: Union[int, str]
    thread: Union[int, str]
    process_name: str
    thread_name: str
    clock: int


@dataclass(frozen=True)
class Category:
    """What a kind of event is called in the file, and the kind of work that analyses take it for."""

    text: str
    activity: str


@dataclass(frozen=True)
class StepEvent:
    """A step that the profiler marked. `event` is its place in the columns."""

    name: str
    start_ps: int
    duration_ps: int
    event: int


@dataclass(frozen=True)
class Source:
    """The file that a rank was read from, and what it says about itself."""

    path: str
    format: str
    file_bytes: int
    text_bytes: int
    world_size: Optional[int]
    host: str
    backend: str
    devices: Tuple[Tuple[int, str, int], ...]
    properties: Mapping[str, str]


class Names(Sequence[str]):
    """Every distinct text of a trace, by number. Number 0 is the empty text."""

    def __init__(self, trace: _engine.Trace) -> None:
        self._trace = trace

    def __len__(self) -> int:
        return self._trace.names

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> List[str]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[str, List[str]]:
        if isinstance(index, slice):
            return [self._trace.name(i) for i in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        return self._trace.name(place)


class Rank:
    """What one rank recorded: one row per event, in the order of the file.

    Columns are read-only views of the engine's memory; a view keeps it alive. Times are picoseconds since `Trace.epoch_unix_ns`.
    """

    def __init__(self, trace: "Trace", rank: _engine.Rank) -> None:
        self._trace = trace
        self._rank = rank

    def __len__(self) -> int:
        return self._rank.events

    def __reduce__(self) -> Tuple[Any, ...]:
        return operator.getitem, (self._trace, self.rank)

    def __repr__(self) -> str:
        return f"<orrery.Rank {self.rank}: {len(self):,} events of {self._rank.source['path']}>"

    @property
    def rank(self) -> int:
        return self._rank.rank

    @property
    def start_ps(self) -> "NDArray[np.int64]":
        return self._rank.start_ps

    @property
    def duration_ps(self) -> "NDArray[np.int64]":
        return self._rank.duration_ps

    @property
    def name_id(self) -> "NDArray[np.uint32]":
        """Into `Trace.names`."""
        return self._rank.name_id

    @property
    def lane(self) -> "NDArray[np.uint32]":
        """Into `lanes`."""
        return self._rank.lane

    @property
    def category(self) -> "NDArray[np.uint16]":
        """Into `categories`."""
        return self._rank.category

    @property
    def ordinal(self) -> "NDArray[np.uint32]":
        """Place in the file's list of events, counting entries of every phase. Empty where the format has none."""
        return self._rank.ordinal

    @property
    def source_offset(self) -> "NDArray[np.uint64]":
        """Byte position in the (inflated) file. Empty where the format has none."""
        return self._rank.source_offset

    @property
    def fields(self) -> Dict[str, bool]:
        """Arguments that some event has, with whether their values are numbers of texts (`Trace.name`)."""
        return self._rank.fields

    def field(self, name: str) -> Tuple["NDArray[np.uint32]", "NDArray[np.int64]"]:
        """Which events have the argument, ascending, and its values: two views. `name` as docs/SQL.md has it, or as the file writes it."""
        return self._rank.field(name)

    def dense(self, name: str, missing: int = -1) -> "NDArray[np.int64]":
        """The argument of every event, `missing` where it has none. A new array."""
        return self._rank.dense(name, missing)

    @property
    def lanes(self) -> List[Lane]:
        return [Lane(*lane) for lane in self._rank.lanes]

    @property
    def categories(self) -> List[Category]:
        return [Category(*category) for category in self._rank.categories]

    @property
    def steps(self) -> List[StepEvent]:
        """The profiler's steps, by start."""
        start, duration, name = self.start_ps, self.duration_ps, self.name_id
        return [StepEvent(self._trace.name(int(name[e])), int(start[e]), int(duration[e]), e) for e in self._rank.steps]

    @property
    def source(self) -> Source:
        described = self._rank.source
        described["devices"] = tuple(described["devices"])
        described["properties"] = FrozenDict(described["properties"])
        return Source(**described)

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> "pd.DataFrame":
        """Events as a DataFrame: by default start, duration, name, category, activity, lane and ordinal. `columns` names those and any argument
        of `fields`; texts become categoricals, arguments that not every event has become nullable integers."""
        import pandas as pd

        wanted = list(columns) if columns is not None else [c for c in _EVENT_COLUMNS if c != "ordinal" or len(self.ordinal) == len(self)]
        return pd.DataFrame({column: self._column(column) for column in wanted})

    def _column(self, column: str) -> Any:
        import pandas as pd

        if column == "name":
            return self._texts(self.name_id)
        if column in ("category", "activity"):
            of_category = [c.text if column == "category" else c.activity for c in self.categories]
            kinds = sorted(set(of_category))
            places = np.array([kinds.index(text) for text in of_category], dtype=np.int32)
            return pd.Categorical.from_codes(places[self.category] if len(self) else places[:0], kinds)
        if column in ("start_ps", "duration_ps", "name_id", "lane", "ordinal", "source_offset"):
            return getattr(self, column)
        event, value = self.field(column)
        if self.fields.get(column, False):
            ids = np.zeros(len(self), dtype=np.uint32)
            ids[event] = value
            return self._texts(ids)
        missing = np.ones(len(self), dtype=bool)
        missing[event] = False
        return pd.array(pd.arrays.IntegerArray(self.dense(column, 0), missing))

    def _texts(self, ids: "NDArray[np.uint32]") -> Any:
        import pandas as pd

        used, places = np.unique(ids, return_inverse=True)
        return pd.Categorical.from_codes(places, _distinct([self._trace.name(int(i)) for i in used]))


def _distinct(texts: List[str]) -> List[str]:
    # Two names whose bytes are no UTF-8 may read alike; pandas wants categories to differ.
    seen: Dict[str, int] = {}
    for i, text in enumerate(texts):
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1:
            texts[i] = f"{text} ({seen[text]})"
    return texts


class Trace:
    """A job: its ranks, in ascending order, on one epoch and with one table of texts. Made by `orrery.open`; a pickle names its files, which are
    read again."""

    def __init__(self, trace: _engine.Trace) -> None:
        self._trace = trace
        self._ranks = [Rank(self, rank) for rank in trace.ranks]

    def __repr__(self) -> str:
        return f"<orrery.Trace of {', '.join(self._trace.named)}: {len(self._ranks)} ranks, {sum(map(len, self._ranks)):,} events>"

    @property
    def ranks(self) -> List[Rank]:
        return list(self._ranks)

    def __getitem__(self, rank: int) -> Rank:
        """The rank with this number."""
        for candidate in self._ranks:
            if candidate.rank == rank:
                return candidate
        raise KeyError(f"there is no rank {rank}; ranks in these files: {', '.join(str(r.rank) for r in self._ranks)}")

    def __iter__(self) -> Iterator[Rank]:
        return iter(self._ranks)

    def __len__(self) -> int:
        return len(self._ranks)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _open_again, (self._trace.named, self._trace.salvage)

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> "pd.DataFrame":
        """Events of all ranks as one DataFrame: `rank`, then the columns of `Rank.to_pandas`; an argument that a rank does not have is missing there."""
        import pandas as pd

        frames = [rank.to_pandas(columns) for rank in self._ranks]
        joined = {column: _join_column([frame[column] for frame in frames]) for column in frames[0].columns if all(column in frame for frame in frames)}
        numbers = np.repeat([rank.rank for rank in self._ranks], [len(rank) for rank in self._ranks])
        return pd.DataFrame({"rank": numbers, **joined})

    def name(self, id: int) -> str:
        """The text with this number."""
        return self._trace.name(id)

    @property
    def names(self) -> Names:
        return Names(self._trace)

    @property
    def epoch_unix_ns(self) -> int:
        """What time 0 means."""
        return self._trace.epoch_unix_ns

    @property
    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        """What there was to remark when the files were read."""
        return tuple(Diagnostic(**remark) for remark in self._trace.diagnostics)


def _join_column(parts: "List[pd.Series[Any]]") -> Any:
    import pandas as pd
    from pandas.api.types import union_categoricals

    if not any(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        return pd.concat(parts, ignore_index=True)
    # A rank without the argument has no texts: its column is of missing numbers.
    texts = [part if isinstance(part.dtype, pd.CategoricalDtype) else part.astype("object").astype("category") for part in parts]
    return union_categoricals([part.cat.set_categories([str(text) for text in part.cat.categories]) for part in texts])


def _open_again(named: List[str], salvage: bool) -> Trace:
    return open(named, salvage=salvage)


def list_paths(paths: Paths) -> List[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def open(paths: Paths, *, salvage: bool = False, threads: int = 0) -> Trace:
    """Reads a job: files, folders or globs, as on the command line; several are several ranks.

    `salvage` reads a damaged file up to the damage; `threads` bounds the threads that read (0: one per core; the result does not depend on it).
    """
    if threads < 0:
        raise UsageError("threads: at least 0", "0 takes one per core")
    named = list_paths(paths)
    if not named:
        raise UsageError("there is nothing to open", "give files, folders or globs")
    return Trace(_engine.open(named, salvage, threads))
