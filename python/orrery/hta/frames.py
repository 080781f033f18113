"""HTA's data frame of a rank: the engine's rows, with HTA's columns and data types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Tuple

import numpy as np
import pandas as pd

from .. import _engine

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Argument:
    """A column that comes from the arguments of events, and what rows without it have."""

    name: str
    written: str
    missing: Any


# In HTA's order, without those that the engine has as columns.
_ARGUMENTS = (
    Argument("bytes", "bytes", -1),
    Argument("memory_bw_gbps", "memory bandwidth (GB/s)", 0.0),
    Argument("input_dims", "Input Dims", "-1"),
    Argument("input_type", "Input type", "-1"),
    Argument("input_strides", "Input Strides", "-1"),
    Argument("external_id", "External id", -1),
    Argument("python_id", "Python id", -1),
    Argument("python_parent_id", "Python parent id", -1),
    Argument("collective_name", "Collective name", ""),
    Argument("in_msg_nelems", "In msg nelems", 0),
    Argument("out_msg_nelems", "Out msg nelems", 0),
    Argument("msg_dtype", "dtype", ""),
    Argument("group_size", "Group size", 0),
    Argument("process_rank", "Rank", -1),
    Argument("in_split_size", "In split size", "[]"),
    Argument("out_split_size", "Out split size", "[]"),
)
_ORDER = (
    "index", "cat", "name", "pid", "tid", "ts", "dur", "end", "stream", "correlation", "bytes", "memory_bw_gbps", "wait_on_stream",
    "wait_on_cuda_event_record_corr_id", "input_dims", "input_type", "input_strides", "external_id", "python_id", "python_parent_id", "collective_name",
    "in_msg_nelems", "out_msg_nelems", "msg_dtype", "group_size", "process_rank", "in_split_size", "out_split_size",
)
_COUNTED = "cuda_profiler_range"


def _smallest(values: Any) -> Any:
    """Integers in as few bytes as hold them, as HTA keeps them."""
    return pd.to_numeric(pd.Series(values), downcast="integer").to_numpy()


def _of_objects(values: List[Any]) -> "NDArray[Any]":
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _argument_column(found: Tuple[List[str], "NDArray[np.int32]"], missing: Any) -> Any:
    texts, codes = found
    values = _of_objects([*(json.loads(text) for text in texts), missing])
    column = values[codes]  # -1, the last, is what is missing
    kinds = {type(value) for value in values}
    if kinds <= {int}:
        return _smallest(column.astype(np.int64))
    return column.astype(np.float64) if kinds <= {int, float} else column


def lane_column(lanes: List[Any], lane: "NDArray[np.int64]") -> Any:
    column = _of_objects(lanes)[lane] if lanes else _of_objects([])
    # One lane with a text, like the profiler's own "Spans", makes HTA's column one of objects, also where no row is left of it.
    return _smallest(column.astype(np.int64)) if all(isinstance(key, int) for key in lanes) else column


def counter_names(job: _engine.HtaJob, place: int, symbols: List[str]) -> List[str]:
    """What counted ranges have among their arguments: each is a column."""
    if _COUNTED not in symbols:
        return []
    return sorted(job.argument_names(place, _COUNTED))


def typed_columns(columns: Mapping[str, Any], about: Mapping[str, Any]) -> Dict[str, Any]:
    """Those of the engine's columns whose type HTA chooses by their values, those of dropped rows included."""
    typed = {name: _smallest(columns[name]) for name in ("index", "stream", "correlation", "wait_on_stream", "wait_on_cuda_event_record_corr_id")}
    # Chosen when times are those of the file, kept when they are counted from the job's first start.
    typed["ts"] = columns["ts"].astype(_smallest(columns["ts"] + about["zero_us"]).dtype)
    # Events without a duration, of which nearly every file has some, make it a column of doubles.
    is_whole = about["every_event_lasts"] and bool(np.all(columns["dur"] == np.floor(columns["dur"])))
    typed["dur"] = _smallest(columns["dur"].astype(np.int64)) if is_whole else columns["dur"]
    return typed


def make_frame(job: _engine.HtaJob, place: int, symbols: List[str], aligned: bool) -> pd.DataFrame:
    """`aligned`: time 0 is the first start of the job; else times are those of the file."""
    columns: Dict[str, Any] = dict(job.columns(place))
    about = job.about(place)
    frame, lane = columns.pop("frame"), columns.pop("lane")
    lanes = job.lanes(place)
    columns["pid"] = lane_column([pid for pid, _ in lanes], lane)
    columns["tid"] = lane_column([tid for _, tid in lanes], lane)
    iteration = columns.pop("iteration").astype(np.float64)
    on_stream_0 = columns["stream"] == 0
    if "cpu_op" in symbols:
        on_stream_0 &= columns["cat"] != symbols.index("cpu_op")
    iteration[on_stream_0] = np.nan  # HTA's rule speaks of streams below and above 0
    links = _smallest(columns.pop("index_correlation"))
    columns.update(typed_columns(columns, about))
    type_of_ends = np.result_type(columns["ts"].dtype, columns["dur"].dtype)
    starts = columns["ts"].astype(np.int64) + about["zero_us"]
    columns["end"] = (starts + columns["dur"]).astype(type_of_ends)
    if not aligned:
        columns["ts"] = starts.astype(columns["ts"].dtype)
    counters = counter_names(job, place, symbols)
    read = job.arguments(place, [argument.written for argument in _ARGUMENTS] + counters)
    for argument in (*_ARGUMENTS, *(Argument(name, name, -1) for name in counters)):
        columns[argument.name] = _argument_column(read[argument.written], argument.missing)
    order = [name for name in _ORDER if name != "end" or about["fractional"]]
    order += [*counters, "index_correlation", "iteration", *([] if about["fractional"] else ["end"])]
    columns["index_correlation"], columns["iteration"] = links, pd.to_numeric(pd.Series(iteration), downcast="integer").to_numpy()
    made = pd.DataFrame({name: columns[name][frame] for name in order})
    made.index = pd.Index(made["index"].to_numpy(np.int64))
    return made
