"""What users of Holistic Trace Analysis type, answered by the engine: HTA 0.6.1's frames, number for number (docs/BREAKDOWN.md).

    from orrery.hta import TraceAnalysis
    analysis = TraceAnalysis(trace_dir="traces/")
    analysis.get_temporal_breakdown()
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import pandas as pd

from . import _engine
from ._errors import Error, UsageError
from ._verbs import ask

_OVERLAY = "overlaid_critical_path_"

_TEMPORAL = {
    "rank": "rank", "idle_us": "idle_time(us)", "compute_us": "compute_time(us)", "non_compute_us": "non_compute_time(us)", "kernel_us": "kernel_time(us)",
    "idle_pct": "idle_time_pctg", "compute_pct": "compute_time_pctg", "non_compute_pct": "non_compute_time_pctg",
}
_OVERLAP = {"rank": "rank", "overlap_pct": "comp_comm_overlap_pctg"}
_TYPES = {"type": "kernel_type", "sum_us": "sum", "pct": "percentage"}
_KERNELS = {
    "name": "name", "sum_us": "sum (us)", "max_us": "max (us)", "min_us": "min (us)", "std_us": "stddev", "mean_us": "mean (us)", "type": "kernel_type",
    "rank": "rank",
}
_IDLE = {"rank": "rank", "stream": "stream", "reason": "idle_category", "idle_us": "idle_time", "ratio": "idle_time_ratio"}
_SPREAD = ("count", "mean", "std", "min", "p25", "p50", "p75", "max")


def _quantile(name: str) -> str:
    return name[1:] + "%" if name[0] == "p" else name


def _frame(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame([[row[key] for key in columns] for row in rows], columns=list(columns.values()))
    for column in frame.columns:
        if column.endswith("_pctg") or column.endswith("(us)") or column in ("stddev", "percentage", "idle_time", "idle_time_ratio"):
            frame[column] = frame[column].astype("float64")
    return frame


def _draw(frame: pd.DataFrame, title: str, **what: Any) -> None:
    """A bar chart, where plotly is installed."""
    try:
        import plotly.express as express  # type: ignore[import]
    except ImportError:
        return
    express.bar(frame, title=title, **what).show()


@dataclass(frozen=True, repr=False)
class CPGraph:
    """The critical path of one rank as HTA finds it."""

    rank: int
    data: Mapping[str, Any] = field(repr=False)
    arguments: Mapping[str, Any] = field(repr=False)  # what it was asked for: the overlay asks for the same

    def __repr__(self) -> str:
        return f"<CPGraph of rank {self.rank}: {self.data['path']['events']} events on the path, {self.data['path']['weight_us']} us>"

    @property
    def critical_path_events_set(self) -> Set[int]:
        """The events whose time is on the path, by their index."""
        return {row["event_idx"] for row in self.data["breakdown"] if row["event_idx"] is not None}

    def get_critical_path_breakdown(self) -> pd.DataFrame:
        """One row per edge of the path: event, duration, type of edge, name, category, lane, and what bounds it."""
        columns = ["event_idx", "duration", "type", "s_name", "cat", "pid", "tid", "stream", "bound_by"]
        return pd.DataFrame(self.data["breakdown"], columns=columns)

    def summary(self) -> "pd.Series[float]":
        """Percent of the path by what bounds it."""
        return pd.Series(self.data["summary_pct"], name="duration_pctg", dtype="float64").sort_values(ascending=False)


class TraceAnalysis:
    """`trace_files` maps ranks to files (or lists files, whose ranks are taken from their text); else all of `trace_dir` that are Kineto's by name."""

    def __init__(
        self,
        trace_files: Union[Mapping[int, str], Sequence[str], None] = None,
        trace_dir: str = "",
        include_last_profiler_step: Optional[bool] = False,
    ) -> None:
        if trace_files is None:
            folder = os.path.expanduser(trace_dir or os.curdir)
            trace_files = [os.path.join(folder, name) for name in _names_in(folder) if name.endswith((".json", ".json.gz", ".gz"))]
            if not trace_files:
                raise Error(f"{folder}: there are no traces in this folder", "give trace_files, or a folder with .json or .json.gz files", folder)
        if isinstance(trace_files, Mapping):
            self.trace_files = {int(rank): os.fspath(path) for rank, path in sorted(trace_files.items())}
        else:  # of two files with one number the last counts
            self.trace_files = dict(sorted((_engine.hta_rank(os.fspath(path)), os.fspath(path)) for path in trace_files))
        if not self.trace_files:
            raise UsageError("there are no traces", "trace_files maps ranks to files: {0: 'rank0.json.gz'}")
        self._last_step = bool(include_last_profiler_step)
        self._answers: Dict[Tuple[Any, ...], Dict[str, Any]] = {}
        self._ask("breakdown")  # a file that cannot be read is told here, as it is by HTA

    def _ask(self, verb: str, **flags: Any) -> Dict[str, Any]:
        key = (verb, *sorted(flags.items()))
        if key not in self._answers:
            ranks = {path: rank for rank, path in self.trace_files.items()}
            if len(ranks) < len(self.trace_files):
                raise UsageError("one file is given for two ranks", "give every rank its own")
            given = {"compat": "hta", "include_last_step": self._last_step, **flags}
            self._answers[key] = ask(verb, list(self.trace_files.values()), given, ranks=ranks)["data"]
        return self._answers[key]

    def _table(self, answer: Mapping[str, Any], key: str) -> List[Dict[str, Any]]:
        if answer[key] is None:
            raise Error(f"HTA has no answer here: {answer['unavailable'][key]}")
        rows: List[Dict[str, Any]] = answer[key]
        return rows

    def _check_ranks(self, ranks: Optional[Sequence[int]]) -> List[int]:
        chosen = list(ranks) if ranks else [0]
        for rank in chosen:
            if rank not in self.trace_files:
                raise UsageError(f"there is no rank {rank}", "ranks in these files: " + ", ".join(map(str, self.trace_files)))
        return chosen

    def get_profiler_steps(self) -> List[int]:
        """The profiler's steps, without the last one unless it was asked for."""
        return list(self._ask("breakdown")["steps"])

    def get_temporal_breakdown(self, visualize: bool = True) -> pd.DataFrame:
        """Per rank: time in which the device idles, computes, and does something else."""
        frame = _frame(self._table(self._ask("breakdown"), "temporal"), _TEMPORAL)
        if visualize:
            _draw(frame, "Temporal breakdown", x="rank", y=["idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"])
        return frame

    def get_comm_comp_overlap(self, visualize: bool = True) -> pd.DataFrame:
        """Per rank: percent of the time of communication in which the device also computes."""
        frame = _frame(self._table(self._ask("breakdown"), "overlap"), _OVERLAP)
        if visualize:
            _draw(frame, "Overlap of communication and computation", x="rank", y="comp_comm_overlap_pctg")
        return frame

    def get_gpu_kernel_breakdown(
        self,
        visualize: bool = True,
        duration_ratio: float = 0.8,
        num_kernels: int = 10,
        include_memory_kernels: bool = True,
        image_renderer: str = "",
    ) -> Tuple[pd.DataFrame, pd.DataFrame]:
        """Time by type of kernel over all ranks, and by kernel on each."""
        answer = self._ask("kernels", duration_ratio=duration_ratio, top=num_kernels, no_memory=not include_memory_kernels)
        types, kernels = _frame(self._table(answer, "types"), _TYPES), _frame(self._table(answer, "kernels"), _KERNELS)
        if visualize:
            _draw(types, "Time by type of kernel", x="kernel_type", y="percentage")
        return types, kernels

    def get_idle_time_breakdown(
        self,
        ranks: Optional[List[int]] = None,
        streams: Optional[List[int]] = None,
        visualize: bool = True,
        visualize_pctg: bool = True,
        show_idle_interval_stats: bool = False,
        consecutive_kernel_delay: int = 30,
    ) -> Tuple[pd.DataFrame, Optional[pd.DataFrame]]:
        """Per rank (by default rank 0), stream and reason: how long the stream idled; on request how long the gaps are."""
        chosen = self._check_ranks(ranks)
        answer = self._ask("breakdown", kernel_delay_us=consecutive_kernel_delay)

        def rows(key: str) -> List[Dict[str, Any]]:
            every = self._table(answer, key)
            return [row for rank in chosen for row in every if row["rank"] == rank and (not streams or row["stream"] in streams)]

        frame = _frame(rows("idle"), _IDLE)
        if visualize:
            _draw(frame, "Idle time", x="stream", y="idle_time_ratio" if visualize_pctg else "idle_time", color="idle_category", facet_col="rank")
        if not show_idle_interval_stats:
            return frame, None
        names = {name if name == "count" else name + "_us": _quantile(name) for name in _SPREAD}
        intervals = _frame(rows("idle_intervals"), {"rank": "rank", "stream": "stream", "reason": "idle_category", **names})
        return frame, intervals.set_index("idle_category")

    def get_queue_length_summary(self, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """Per rank (by default rank 0) and stream: how many kernels were launched and had not started, sample by sample."""
        chosen = self._check_ranks(ranks)
        every = self._ask("launches")["queue"]
        rows = [row for rank in chosen for row in every or [] if row["rank"] == rank]
        if not rows:
            return None
        columns = pd.MultiIndex.from_tuples([("rank", ""), ("stream", ""), *(("queue_length", _quantile(name)) for name in _SPREAD)])
        return pd.DataFrame([[row["rank"], row["stream"], *(row[name] for name in _SPREAD)] for row in rows], columns=columns)

    def get_potential_stragglers(
        self,
        profiler_steps: Optional[List[int]] = None,
        num_candidates: int = 2,
        visualize: bool = False,
        straggler_identification_impl: Optional[Callable[..., Any]] = None,
    ) -> List[int]:
        """The ranks that start the most varying collective last, the most suspicious first. `profiler_steps`: in these steps only."""
        if straggler_identification_impl is not None:
            raise UsageError("straggler_identification_impl works on HTA's own frames", "leave it out; `orrery.blame` tells who was late by what the job shows")
        flags: Dict[str, Any] = {"candidates": num_candidates}
        if profiler_steps is not None:
            flags["step"] = tuple(profiler_steps)
        answer = self._ask("blame", **flags)
        return [int(rank) for rank in self._table(answer, "stragglers")]  # type: ignore[call-overload]

    def critical_path_analysis(
        self,
        rank: int,
        annotation: str,
        instance_id: Union[Optional[int], Tuple[int, int]] = None,
        data_load_events: Optional[List[str]] = None,
    ) -> Tuple[CPGraph, bool]:
        """The critical path of one rank within an annotation, and whether HTA's own check of it holds."""
        arguments = {
            "compat": "hta",
            "annotation": annotation,
            "instance": 0 if instance_id is None else instance_id,
            "data_load_events": data_load_events,
            "include_last_step": self._last_step,
            "zero_weight_launch_edges": os.environ.get("CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE", "0") == "1",
            "strict": os.environ.get("CRITICAL_PATH_STRICT_NEGATIVE_WEIGHT_CHECKS", "0") == "1",
        }
        data = ask("path", [self.trace_files[self._check_ranks([rank])[0]]], {**arguments, "breakdown": True})["data"]
        return CPGraph(rank, data, arguments), bool(data["success"])

    def overlay_critical_path_analysis(
        self,
        rank: int,
        critical_path_graph: CPGraph,
        output_dir: str,
        only_show_critical_events: bool = True,
        show_all_edges: bool = False,
    ) -> str:
        """Writes the trace again, with the path marked, to a file of `output_dir`, and returns its path."""
        file = self.trace_files[self._check_ranks([rank])[0]]
        folder = os.path.expanduser(output_dir)
        os.makedirs(folder, exist_ok=True)
        target = os.path.join(folder, _OVERLAY + os.path.basename(file))
        # HTA shows all edges only beside all events.
        all_edges = show_all_edges and not only_show_critical_events
        flags = {"overlay": target, "only_critical": only_show_critical_events, "all_edges": all_edges}
        ask("path", [file], {**critical_path_graph.arguments, **flags})
        return target


def _names_in(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as problem:
        raise Error(f"{folder}: {problem.strerror}", "trace_dir is a folder with a trace per rank", folder) from None
