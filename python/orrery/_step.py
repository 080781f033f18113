"""The graph of a step: why it took as long as it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _engine
from ._errors import UsageError
from ._trace import Diagnostic, Paths, Trace, open

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Instance = Union[int, str, Tuple[int, int]]

_MOST_PS = 2**63 - 1


@dataclass(frozen=True)
class Solution:
    """The longest path: `finish_ps` of every node, and the edges of the path in order."""

    length_ps: int
    finish_ps: "NDArray[np.int64]"
    path: "NDArray[np.uint32]"


class Step:
    """Nodes are moments in order of time, edges what passes between them. Edges that lead to node n are `rows[n]` to `rows[n + 1]`.

    `source`, `weight_ps`, `kind` and `owner` have a value per edge; all are read-only views that keep the step alive. `kind` counts into
    `kinds`, `owner` into `owner_names` and `owner_event`; `NO_OWNER` where the time is nobody's.
    """

    NO_OWNER = 0xFFFFFFFF

    def __init__(self, step: _engine.Step, made_from: Tuple[Any, ...]) -> None:
        self._step = step
        self._made_from = made_from  # what a pickle holds: files and what was asked for, not the trace, which a step outlives

    def __reduce__(self) -> Tuple[Any, ...]:
        return _make_again, self._made_from

    def __repr__(self) -> str:
        return f"<orrery.Step {self.label} of rank {self.rank}: {self.length_ps / 1e9:.3f} ms, {len(self.source):,} edges>"

    @property
    def rows(self) -> "NDArray[np.uint32]":
        return self._step.rows

    @property
    def source(self) -> "NDArray[np.uint32]":
        return self._step.source

    @property
    def weight_ps(self) -> "NDArray[np.int64]":
        return self._step.weight_ps

    @property
    def kind(self) -> "NDArray[np.uint8]":
        return self._step.kind

    @property
    def owner(self) -> "NDArray[np.uint32]":
        return self._step.owner

    @property
    def time_ps(self) -> "NDArray[np.int64]":
        """By node: the measured moment, since the begin of the step."""
        return self._step.time_ps

    @property
    def owner_event(self) -> "NDArray[np.uint32]":
        """By owner: its event in the columns of the rank."""
        return self._step.owner_event

    @property
    def owner_names(self) -> List[str]:
        return self._step.owner_names

    @property
    def kinds(self) -> List[str]:
        """Names of the kinds of time, as in the answers of `path`."""
        return _engine.kind_names()

    @property
    def begin(self) -> int:
        """The node at which the step begins."""
        return self._step.begin

    @property
    def end(self) -> int:
        return self._step.end

    @property
    def rank(self) -> int:
        return self._step.rank

    @property
    def label(self) -> str:
        return self._step.label

    @property
    def begin_ps(self) -> int:
        """When the step begins, in the time of the trace."""
        return self._step.begin_ps

    @property
    def length_ps(self) -> int:
        return self._step.length_ps

    @property
    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        return tuple(Diagnostic(**remark) for remark in self._step.diagnostics)

    def solve(self, weights: Optional["ArrayLike"] = None) -> Solution:
        """The longest path to the end of the step, with other weights (whole picoseconds, one per edge) or as measured."""
        length_ps, finish_ps, path = self._step.solve(None if weights is None else whole_picoseconds(weights))
        finish_ps.flags.writeable = path.flags.writeable = False
        return Solution(length_ps, finish_ps, path)


def whole_picoseconds(weights: "ArrayLike") -> "NDArray[np.int64]":
    """Refuses what would be cut (fractions, what is not a number) or wrap around, alone or added up along a path."""
    given = np.asarray(weights)
    if given.dtype.kind == "O" and all(isinstance(weight, int) for weight in given.flat):
        given = given.astype(np.float64) if any(abs(weight) > _MOST_PS for weight in given.tolist()) else given.astype(np.int64)
    if given.dtype.kind not in "iuf" or (given.dtype.kind == "f" and not np.array_equal(given, np.rint(given))):
        raise UsageError("weights are whole picoseconds", "round them: numpy.rint(weights).astype('int64')")
    # A path takes an edge once: no sum on the way is larger than this one. In doubles, it is right to a millionth.
    if float(np.abs(given.astype(np.float64)).sum()) >= _MOST_PS * (1 - 1e-6):
        raise UsageError("these weights add up to more than 2^63 picoseconds (106 days)", "weights are in picoseconds")
    return np.ascontiguousarray(given, dtype=np.int64)


def instance_range(instance: Optional[Instance]) -> Tuple[Optional[int], Optional[int]]:
    """The first and last of 3, "0:3" or (0, 3)."""
    if instance is None:
        return None, None
    given: Sequence[Union[int, str]]
    if isinstance(instance, str):
        given = instance.split(":")
    else:
        given = instance if isinstance(instance, tuple) else (instance,)
    try:
        parts = [int(part) for part in given]
    except ValueError:
        parts = []
    if len(parts) not in (1, 2) or parts[0] < 0 or parts[-1] < parts[0]:
        raise UsageError("instance takes a number or a range", "like 3, (0, 3) or '0:3', counting from 0")
    return parts[0], parts[-1]


def step(t: Union[Trace, Paths], *, rank: Optional[int] = None, annotation: Optional[str] = None, instance: Optional[Instance] = None) -> Step:
    """The graph of one step of one rank (by default a typical step of the lowest), chosen as `path` chooses it."""
    trace = t if isinstance(t, Trace) else open(t)
    chosen = trace.ranks[0] if rank is None else trace[rank]
    made_from = (trace._trace.named, trace._trace.salvage, chosen.rank, annotation, instance)
    return Step(_engine.make_step(chosen._rank, annotation, *instance_range(instance)), made_from)


def _make_again(named: List[str], salvage: bool, rank: int, annotation: Optional[str], instance: Optional[Instance]) -> Step:
    return step(open(named, salvage=salvage), rank=rank, annotation=annotation, instance=instance)
