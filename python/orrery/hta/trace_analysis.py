"""What users of Holistic Trace Analysis type, answered by the engine: HTA 0.6.1's frames, number for number."""

from __future__ import annotations

from enum import Flag, auto
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import pandas as pd

from .._errors import UsageError
from . import time_series
from .counters import OUTSIDE_CALLS
from .critical_path_analysis import CPGraph, CriticalPathAnalysis
from .drawing import (
    draw_idle, draw_kernel_types, draw_launches, draw_names, draw_operators, draw_overlap, draw_temporal,
)
from .kernel_sequences import frequent_sequences
from .logger import logger
from .symbol_table import decode_symbol_id_to_symbol_name
from .timeline import draw_stragglers, rows_of_ranks
from .trace import DEFAULT_TRACE_DIR, Trace

_TEMPORAL = {
    "rank": "rank", "idle_us": "idle_time(us)", "compute_us": "compute_time(us)", "non_compute_us": "non_compute_time(us)", "kernel_us": "kernel_time(us)",
    "idle_pct": "idle_time_pctg", "compute_pct": "compute_time_pctg", "non_compute_pct": "non_compute_time_pctg",
}
_TOTALS = {"name": "name", "sum_us": "sum (us)", "max_us": "max (us)", "min_us": "min (us)", "std_us": "stddev", "mean_us": "mean (us)"}
_IDLE = {"rank": "rank", "stream": "stream", "reason": "idle_category"}
_SPREAD = {"count": "count", **{f"{name}_us": name for name in ("mean", "std", "min")}, **{f"p{q}_us": f"{q}%" for q in (25, 50, 75)}, "max_us": "max"}
_LONGEST_QUEUE = 1024


class TimeSeriesTypes(Flag):
    QUEUE_LENGTH = auto()
    MEMCPY_BANDWIDTH = auto()


def _frame(table: Mapping[str, Sequence[Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """A table of the engine under HTA's names. What is not known is not a number."""
    types = {"name": "object", "reason": "object", "type": "object", "rank": "int64", "stream": "int64"}
    return pd.DataFrame({ours: pd.Series(table[key], dtype=types.get(key, "float64")) for key, ours in columns.items()})


class TraceAnalysis:
    """`trace_files` maps ranks to files (or lists files, whose ranks are taken from their text); else all of `trace_dir` that are traces by name.
    `t` is the trace itself: a data frame per rank, and the symbols that its numbers stand for."""

    def __init__(
        self,
        trace_files: Union[Mapping[int, str], Sequence[str], None] = None,
        trace_dir: str = DEFAULT_TRACE_DIR,
        include_last_profiler_step: Optional[bool] = False,
    ) -> None:
        self.t = Trace(trace_files, trace_dir)
        self.t.load_traces(include_last_profiler_step)

    @property
    def trace_files(self) -> Dict[int, str]:
        return self.t.trace_files

    def _chosen(self, ranks: Optional[Sequence[int]]) -> List[int]:
        chosen = list(ranks) if ranks else [0]
        for rank in chosen:
            self.t.place_of(rank)
        return chosen

    def _by_rank(self, frame: pd.DataFrame) -> pd.DataFrame:
        """In the order in which the ranks were given."""
        order = {rank: place for place, rank in enumerate(self.t._places)}
        return frame.sort_values("rank", key=lambda ranks: ranks.map(order), kind="stable", ignore_index=True)

    def _lasts_whole_times(self) -> bool:
        """Whether durations of all ranks are whole by type."""
        return bool(self.t._places) and all(self.t.type_of(rank, "dur").kind == "i" for rank in self.t._places)

    def _totals(self, table: Mapping[str, Sequence[Any]], columns: Mapping[str, str]) -> pd.DataFrame:
        """Sums of durations have the type of durations: whole where the trace has whole ones only."""
        frame = _frame(table, columns)
        if self._lasts_whole_times():
            frame = frame.astype({"sum (us)": "int64", "max (us)": "int64", "min (us)": "int64"})
        return frame

    def get_profiler_steps(self) -> List[int]:
        """The profiler's steps, without the last one unless it was asked for."""
        return list(self.t._engine_job().steps())

    def get_temporal_breakdown(self, visualize: bool = True) -> pd.DataFrame:
        """Per rank: time in which the device idles, computes, and does something else."""
        frame = self._by_rank(_frame(self.t._engine_job().temporal(), _TEMPORAL))
        if self._lasts_whole_times():
            ends = np.result_type(*(self.t.type_of_ends(rank) for rank in self.t._places))
            whole = {"idle_time(us)": "int64", "compute_time(us)": "int64", "non_compute_time(us)": "int64"}
            frame = frame.astype(whole).astype({"kernel_time(us)": ends})
        if visualize:
            draw_temporal(frame)
        return frame

    def get_comm_comp_overlap(self, visualize: bool = True) -> pd.DataFrame:
        """Per rank: percent of the time of communication in which the device also computes."""
        frame = self._by_rank(_frame(self.t._engine_job().overlap(), {"rank": "rank", "overlap_pct": "comp_comm_overlap_pctg"}))
        if visualize:
            draw_overlap(frame)
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
        job = self.t._engine_job()
        types = _frame(job.types(include_memory_kernels), {"type": "kernel_type", "sum_us": "sum", "pct": "percentage"})
        types["sum"] = types["sum"].astype("int64")
        kernels = self._totals(job.kernels(include_memory_kernels, num_kernels, duration_ratio), {**_TOTALS, "type": "kernel_type", "rank": "rank"})
        if visualize:
            kinds = ["COMPUTATION", "COMMUNICATION", *(["MEMORY"] if include_memory_kernels else [])]
            draw_kernel_types(types, kernels, kinds, list(self.t._places), image_renderer)
        return types, kernels

    def get_gpu_kernels_with_user_annotations(self, rank: int, expand_names: bool = True, shorten_names: bool = True) -> Optional[pd.DataFrame]:
        """The device rows of a rank with the innermost device annotation that each lies in; None without such annotations."""
        place = self.t.place_of(rank)
        frame = self.t.get_trace(rank)
        frame["end"] = frame["ts"] + frame["dur"]
        frame["user_annotation"] = -1
        if "gpu_user_annotation" not in self.t.symbol_table.sym_index:
            logger.warning("Trace for rank %d does not contain any GPU user annotations", rank)
            return None
        job = self.t._engine_job()
        columns = job.columns(place)
        device, annotation = job.annotated_rows(place)
        # Both in the order of the frame, in which a row may stand twice.
        is_device = np.zeros(len(columns["index"]), dtype=bool)
        is_device[device] = True
        rows = frame[is_device[columns["frame"]]].reset_index(drop=True)
        rows["user_annotation"] = np.where(annotation >= 0, columns["name"][annotation], -1)
        if expand_names:
            decode_symbol_id_to_symbol_name(rows, self.t.symbol_table, shorten_names)
        return rows

    def get_gpu_user_annotation_breakdown(
        self,
        use_gpu_annotation: bool = True,
        visualize: bool = True,
        duration_ratio: float = 0.8,
        num_kernels: int = 1000,
        allowlist_patterns: Optional[List[str]] = None,
        image_renderer: Optional[str] = None,
    ) -> Optional[pd.DataFrame]:
        """Time by annotation, on the device or on the host; None if there are none."""
        category = "gpu_user_annotation" if use_gpu_annotation else "user_annotation"
        if category not in self.t.symbol_table.sym_index:
            logger.warning("Trace does not contain any %s", category)
            return None
        table = self.t._engine_job().annotations(category, num_kernels, duration_ratio, allowlist_patterns)
        frame = self._totals(table, {**_TOTALS, "rank": "rank"})
        if visualize:
            title = "User annotation distribution on each rank"
            draw_names(frame, list(self.t._places), title, "User annotation = ", image_renderer)
        return frame

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
        chosen = self._chosen(ranks)
        times, intervals = self.t._engine_job().idle([self.t.place_of(rank) for rank in chosen], consecutive_kernel_delay)

        def rows(table: Mapping[str, Sequence[Any]], columns: Mapping[str, str]) -> pd.DataFrame:
            every = _frame(table, {**_IDLE, **columns})
            kept = []
            for rank in chosen:
                of_rank = every[(every["rank"] == rank) & (every["stream"].isin(streams) if streams else True)].reset_index(drop=True)
                kept.append(of_rank.astype({"stream": self.t.type_of(rank, "stream")}))
            return pd.concat(kept)

        frame = rows(times, {"idle_us": "idle_time", "ratio": "idle_time_ratio"})
        if visualize:
            frame["stream"] = frame["stream"].astype(str)  # as HTA leaves it for its chart
            draw_idle(frame, visualize_pctg)
        if not show_idle_interval_stats:
            return frame, None
        return frame, rows(intervals, _SPREAD).set_index("idle_category")

    def get_potential_stragglers(
        self,
        profiler_steps: Optional[List[int]] = None,
        num_candidates: int = 2,
        visualize: bool = False,
        straggler_identification_impl: Optional[Callable[..., "pd.Series[int]"]] = None,
    ) -> List[int]:
        """The ranks that start the most varying collective last, the most suspicious first. `profiler_steps`: in these steps only.
        `straggler_identification_impl` is asked instead of the engine: (rows of all ranks, symbols, candidates, visualize) -> points by rank."""
        known, candidates = self.get_profiler_steps(), max(num_candidates, 1)
        steps = known if profiler_steps is None else [step for step in profiler_steps if step in known]
        if not steps:
            raise UsageError("there is no such step", "profiler_steps: some of " + (", ".join(map(str, known)) or "none: the trace has no steps"))
        if straggler_identification_impl is None:
            found = list(self.t._engine_job().stragglers(candidates, steps))
            if visualize:
                draw_stragglers(self._rows_of_steps(steps), self.t.symbol_table, candidates)
            return found
        points = straggler_identification_impl(self._rows_of_steps(steps), self.t.symbol_table, candidates, visualize)
        return [int(rank) for rank in points.sort_values(ascending=False)[:candidates].index]

    def _rows_of_steps(self, steps: Sequence[int]) -> pd.DataFrame:
        rows = rows_of_ranks(self.t, list(self.t.get_all_traces()))
        return rows[rows["iteration"].isin(steps)]

    def get_frequent_cuda_kernel_sequences(
        self,
        operator_name: str,
        output_dir: str,
        min_pattern_len: int = 3,
        rank: int = 0,
        top_k: int = 5,
        visualize: bool = False,
        compress_other_kernels: bool = True,
    ) -> pd.DataFrame:
        """The sequences of kernels that an operator leads to, the most frequent first; the trace with the first `top_k` marked goes to `output_dir`."""
        return frequent_sequences(self.t, operator_name, output_dir, min_pattern_len, rank, top_k, visualize, compress_other_kernels)

    def get_aten_op_kernels_and_delay(self, ranks: Optional[List[int]] = None, sort_by: Optional[List[str]] = None) -> Dict[int, pd.DataFrame]:
        """By rank: the kernels of each operator, how often, and how long they take to be launched and to start."""
        chosen = self._chosen(ranks)
        rows = self.t._engine_job().operators([self.t.place_of(rank) for rank in chosen])
        columns = ["aten_op_name", "kernel_sequence", "occurrence_count", "avg_aten_op_launch_delay", "avg_runtime_delay"]
        found = {}
        for rank in chosen:
            mine = [[name, " -> ".join(kernels), *numbers] for place, name, kernels, *numbers in rows if place == self.t.place_of(rank)]
            frame = pd.DataFrame(mine, columns=columns).sort_values(columns[:2], ignore_index=True)
            found[rank] = frame.sort_values(sort_by or ["occurrence_count"], ascending=False, kind="stable")
            draw_operators(found[rank], rank)
        return found

    def get_cuda_kernel_launch_stats(
        self,
        ranks: Optional[List[int]] = None,
        runtime_cutoff: int = 50,
        launch_delay_cutoff: int = 100,
        include_memory_events: bool = True,
        visualize: bool = True,
    ) -> Dict[int, pd.DataFrame]:
        """By rank: the durations of every launch call and of what it launched, and the delay between."""
        found = {}
        for rank in self._chosen(ranks):
            frame = self._launches(self.t.place_of(rank), rank, include_memory_events)
            found[rank] = frame
            if visualize:
                draw_launches(frame, rank, runtime_cutoff, launch_delay_cutoff)
        return found

    def _launches(self, place: int, rank: int, with_memory: bool) -> pd.DataFrame:
        job = self.t._engine_job()
        call, device, delay = job.launch_pairs(place, with_memory)
        columns, of_durations = job.columns(place), self.t.type_of(rank, "dur")
        duration = columns["dur"].astype(of_durations)
        return pd.DataFrame({
            "correlation": columns["correlation"][call].astype(self.t.type_of(rank, "correlation")),
            "cpu_duration": duration[call],
            "gpu_duration": duration[device],
            "launch_delay": delay.astype(self.t.type_of_ends(rank)),
        }, index=pd.Index(np.arange(len(call))))

    def get_queue_length_time_series(self, ranks: Optional[List[int]] = None) -> Dict[int, pd.DataFrame]:
        """By rank, where there are launches: what is launched and has not started, by stream and over time."""
        return time_series.queue_lengths(self.t, self._chosen(ranks))

    def get_queue_length_summary(self, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """Statistics of the queue lengths by rank (by default rank 0) and stream; None without launches."""
        return time_series.queue_length_summary(self.get_queue_length_time_series(ranks))

    def get_queue_length_summary_from_time_series(self, queue_length_dict: Dict[int, pd.DataFrame]) -> Optional[pd.DataFrame]:
        """The same, of what `get_queue_length_time_series` gave."""
        return time_series.queue_length_summary(queue_length_dict)

    def get_time_spent_blocked_on_full_queue(self, queue_length_dict: Dict[int, pd.DataFrame], max_queue_length: int = _LONGEST_QUEUE) -> Optional[pd.DataFrame]:
        """By rank: how long the queue of a stream was full, of what `get_queue_length_time_series` gave."""
        return time_series.time_at_full_queue(self.t, queue_length_dict, max_queue_length)

    def get_memory_bw_time_series(self, ranks: Optional[List[int]] = None) -> Dict[int, pd.DataFrame]:
        """By rank, where there are copies: what copies of a kind run at together, over time."""
        return time_series.copy_rates(self.t, self._chosen(ranks))

    def get_memory_bw_summary(self, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """Statistics of the rates by rank (by default rank 0) and kind of copy; None without copies."""
        return time_series.copy_rate_summary(self.get_memory_bw_time_series(ranks))

    def generate_trace_with_counters(self, time_series: Optional[TimeSeriesTypes] = None, ranks: Optional[List[int]] = None,
                                     output_suffix: str = "_with_counters") -> None:
        """Writes the trace of each rank (by default rank 0) again, with queue lengths and copy rates as counters, beside the original."""
        wanted = TimeSeriesTypes.QUEUE_LENGTH | TimeSeriesTypes.MEMCPY_BANDWIDTH if time_series is None else time_series
        counters: Dict[int, List[Dict[str, Any]]] = {}
        if wanted.value & TimeSeriesTypes.QUEUE_LENGTH.value:
            for rank, series in self.get_queue_length_time_series(ranks).items():
                events = self.t.convert_time_series_to_events(series.rename(columns={"stream": "id"}), "Queue Length", "queue_length")
                counters.setdefault(rank, []).extend(events)
        if wanted.value & TimeSeriesTypes.MEMCPY_BANDWIDTH.value:
            for rank, series in self.get_memory_bw_time_series(ranks).items():
                counters.setdefault(rank, []).extend(self.t.convert_time_series_to_events(series, "Memcpy BW", "memory_bw_gbps"))
        for rank, events in counters.items():
            document = self.t.get_raw_trace_for_one_rank(rank)
            document["traceEvents"].extend(events)
            self.t.write_raw_trace(self.t.trace_files[rank].replace(".json", f"{output_suffix or '_with_counters'}.json"), document)

    def get_cupti_counter_data_with_operators(self, ranks: Optional[List[int]] = None) -> List[pd.DataFrame]:
        """Per rank: the hardware counters of every kernel, with the operators that launched it. Empty without counters."""
        if "cuda_profiler_range" not in self.t.symbol_table.sym_index:
            logger.warning("Could not find events of 'cuda_profiler_range' category. Please check if you ran CUPTI profiler mode correctly")
            return []
        counted = self.t._engine_job().counters()
        frames = [self._counters(rank, [row[1:] for row in counted if row[0] == self.t.place_of(rank)]) for rank in self._chosen(ranks)]
        return [frame for frame in frames if len(frame)]

    def _counters(self, rank: int, rows: List[Tuple[int, int, List[str]]]) -> pd.DataFrame:
        index = self.t._engine_job().columns(self.t.place_of(rank))["index"]
        frame = self.t.get_trace(rank).loc[[index[row] for row, _, _ in rows]].reset_index(drop=True)
        frame = frame.assign(**OUTSIDE_CALLS)
        frame["index_runtime"] = np.array([index[launch] for _, launch, _ in rows], dtype=self.t.type_of(rank, "index"))
        frame["op_stack"] = pd.Series([stack for *_, stack in rows], dtype="object")
        frame["top_level_op"] = [stack[0] if stack else "" for *_, stack in rows]
        frame["bottom_level_op"] = [stack[-1] if stack else "" for *_, stack in rows]
        for column in ("name", "cat"):
            self.t.symbol_table.add_symbols_to_trace_df(frame, column)
        return frame

    def critical_path_analysis(
        self,
        rank: int,
        annotation: str,
        instance_id: Union[Optional[int], Tuple[int, int]] = None,
        data_load_events: Optional[List[str]] = None,
    ) -> Optional[Tuple[CPGraph, bool]]:
        """The critical path of one rank within an annotation, and whether HTA's own check of it holds; None if nothing is called so."""
        return CriticalPathAnalysis.critical_path_analysis(self.t, rank, annotation, instance_id, data_load_events)

    def overlay_critical_path_analysis(
        self,
        rank: int,
        critical_path_graph: CPGraph,
        output_dir: str,
        only_show_critical_events: bool = True,
        show_all_edges: bool = False,
    ) -> str:
        """Writes the trace again, with the path marked, to a file of `output_dir`, and returns its path."""
        return CriticalPathAnalysis.overlay_critical_path_analysis(self.t, rank, critical_path_graph, output_dir, only_show_critical_events, show_all_edges)
