"""HTA's Trace: the ranks of a job as data frames, read by the engine."""

from __future__ import annotations

import copy
import gzip
import json
import os
from typing import Any, Dict, Iterator, List, Mapping, MutableMapping, Optional, Sequence, Union

import numpy as np
import pandas as pd

from .. import _engine
from .._errors import Error, UsageError
from .frames import make_frame, typed_columns
from .logger import logger
from .symbol_table import TraceSymbolTable, decode_symbol_id_to_symbol_name

DEFAULT_TRACE_DIR = "/tmp/trace"
PHASE_COUNTER = "C"
PHASE_FLOW_START = "s"
PHASE_FLOW_END = "f"


class _Frames(MutableMapping[int, pd.DataFrame]):
    """By rank; made when they are asked for, kept from then on."""

    def __init__(self, trace: "Trace") -> None:
        self._trace = trace
        self._made: Dict[int, Optional[pd.DataFrame]] = {rank: None for rank in trace._places}

    def __getitem__(self, rank: int) -> pd.DataFrame:
        frame = self._made[rank]
        if frame is None:
            trace = self._trace
            frame = self._made[rank] = make_frame(trace._engine_job(), trace._places[rank], trace.symbol_table.sym_table, trace._aligned)
        return frame

    def __setitem__(self, rank: int, frame: pd.DataFrame) -> None:
        self._made[rank] = frame

    def __delitem__(self, rank: int) -> None:
        del self._made[rank]

    def __iter__(self) -> Iterator[int]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class _MetaData(Mapping[int, Dict[str, Any]]):
    """By rank: what a file has beside its events. Read when it is asked for."""

    def __init__(self, trace: "Trace") -> None:
        self._trace = trace
        self._read: Dict[int, Dict[str, Any]] = {}

    def __getitem__(self, rank: int) -> Dict[str, Any]:
        if rank not in self._read:
            if rank not in self._trace._places:
                raise KeyError(rank)
            said = self._trace.get_raw_trace_for_one_rank(rank)
            said.pop("traceEvents", None)
            said["device_type"] = _device_type(said, self._trace.symbol_table.sym_index)
            self._read[rank] = said
        return self._read[rank]

    def __iter__(self) -> Iterator[int]:
        return iter(self._trace._places)

    def __len__(self) -> int:
        return len(self._trace._places)


def _device_type(said: Mapping[str, Any], symbols: Mapping[str, int]) -> str:
    distributed = said.get("distributedInfo")
    if isinstance(distributed, dict) and "mtia:hccl" in str(distributed.get("backend", "")):
        return "MTIA"
    calls = {"cudaLaunchKernel": "NVIDIA GPU", "hipLaunchKernel": "AMD GPU", "runFunction - job_prep_and_submit_for_execution": "MTIA"}
    return next((device for call, device in calls.items() if call in symbols), "UNKNOWN GPU")


def find_trace_files(folder: str) -> Dict[int, str]:
    """The traces of a folder by the rank that their text has; none, with a word to the log, where there is no such folder or nothing in it."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as problem:
        logger.warning("%s: %s", folder, problem.strerror)
        return {}
    files = [os.path.join(folder, name) for name in names if name.endswith((".gz", ".json"))]
    if not files:
        logger.warning("%s: there are no traces in this folder", folder)
    return rank_files(files)


def rank_files(files: Sequence[str]) -> Dict[int, str]:
    """Of two files with one rank the last counts."""
    return {_engine.hta_rank(file): file for file in files}


class Trace:
    """`traces` has a data frame per rank. They are made by `load_traces` (aligned, complete steps only) or `parse_traces` (as the files have them)."""

    def __init__(
        self,
        trace_files: Union[Mapping[int, str], Sequence[str], None] = None,
        trace_dir: str = DEFAULT_TRACE_DIR,
        parser_config: Optional[Any] = None,
    ) -> None:
        if parser_config is not None:
            raise UsageError("parser_config chooses columns of HTA's own parser", "leave it out: frames have HTA's default columns")
        self.trace_path = os.path.realpath(os.path.expanduser(trace_dir or os.curdir))
        if trace_files is None:
            found = find_trace_files(self.trace_path)
        elif isinstance(trace_files, Mapping):
            found = {int(rank): os.fspath(path) for rank, path in trace_files.items()}
        else:
            found = rank_files([self._path(os.fspath(path)) for path in trace_files])
        self.trace_files: Dict[int, str] = {rank: self._path(path) for rank, path in found.items()}
        for path in self.trace_files.values():
            if not os.access(path, os.R_OK):
                raise Error(f"{path}: cannot be read", "trace_files maps ranks to files: {0: 'rank0.json.gz'}", path)
        self.is_parsed = False
        self.symbol_table = TraceSymbolTable()
        self.min_ts = 0
        self._places: Dict[int, int] = {}
        self._job: Optional[_engine.HtaJob] = None
        self._aligned = True
        self._types: Dict[int, Dict[str, Any]] = {}  # by place
        self.traces: MutableMapping[int, pd.DataFrame] = _Frames(self)
        self.meta_data: Mapping[int, Dict[str, Any]] = _MetaData(self)

    def __deepcopy__(self, memo: Any) -> "Trace":
        """Frames of its own, as they are by now; what the engine read is shared."""
        other = copy.copy(self)
        other.symbol_table = TraceSymbolTable(self.symbol_table.sym_table)
        other.trace_files = dict(self.trace_files)
        other.meta_data = _MetaData(other)
        frames = _Frames(other)
        if isinstance(self.traces, _Frames):
            frames._made = {rank: None if frame is None else frame.copy() for rank, frame in self.traces._made.items()}
        other.traces = frames
        return other

    def _path(self, path: str) -> str:
        beside = os.path.join(self.trace_path, path)
        return beside if not os.path.isabs(path) and os.path.exists(beside) else path

    def _engine_job(self) -> _engine.HtaJob:
        if self._job is None:
            raise UsageError("there are no traces", "load_traces() reads them")
        return self._job

    def _read(self, steps: str) -> None:
        self._aligned = steps != "all"
        self._places, self._types = {}, {}
        if self.trace_files:
            ranks = {path: rank for rank, path in self.trace_files.items()}
            if len(ranks) < len(self.trace_files):
                raise UsageError("one file is given for two ranks", "give every rank its own")
            self._job = _engine.hta_open(list(self.trace_files.values()), ranks, steps)
            # In the order in which they were given, as HTA's tables have them.
            known = {rank: place for place, rank in enumerate(self._job.ranks)}
            self._places = {rank: known[rank] for rank in self.trace_files if rank in known}
            self.symbol_table = TraceSymbolTable(self._job.symbols)
            self.min_ts = min(self._job.about(place)["zero_us"] for place in self._places.values())
        self.traces, self.meta_data = _Frames(self), _MetaData(self)

    def load_traces(self, include_last_profiler_step: Optional[bool] = False, use_multiprocessing: bool = True, use_memory_profiling: bool = True) -> None:
        """Reads the files: times since the first start of the job, without the last step unless it is asked for."""
        if self.is_parsed:
            logger.warning("Traces are already parsed and loaded!")
            return
        self._read("with_last" if include_last_profiler_step else "whole")
        self.is_parsed = True

    def parse_traces(self, max_ranks: int = -1, use_multiprocessing: bool = True, use_memory_profiling: bool = True) -> None:
        """Reads the files as they are: all steps, times of their own clocks."""
        self._read("all")

    def get_ranks(self) -> List[int]:
        return sorted(self.traces)

    def place_of(self, rank: int) -> int:
        """Where the engine has this rank."""
        if rank not in self._places:
            known = ", ".join(map(str, self.get_ranks())) or "none"
            raise UsageError(f"there is no rank {rank}", f"ranks in these files: {known}")
        return self._places[rank]

    def type_of(self, rank: int, column: str) -> Any:
        """The data type of a column of a rank's frame, without the frame."""
        place = self.place_of(rank)
        if place not in self._types:
            typed = typed_columns(self._engine_job().columns(place), self._engine_job().about(place))
            self._types[place] = {name: values.dtype for name, values in typed.items()}
        return self._types[place][column]

    def type_of_ends(self, rank: int) -> Any:
        """The data type of what is a start plus a duration."""
        return np.result_type(self.type_of(rank, "ts"), self.type_of(rank, "dur"))

    def get_trace(self, rank: int) -> pd.DataFrame:
        if rank not in self.traces:
            self.place_of(rank)  # says which there are
        return self.traces[rank]

    def get_all_traces(self) -> MutableMapping[int, pd.DataFrame]:
        return self.traces

    def get_iterations(self, rank: Optional[int] = None) -> List[int]:
        chosen = next(iter(self.get_ranks()), -1) if rank is None else rank
        return sorted(int(step) for step in self.traces[chosen]["iteration"].unique() if step >= 0) if chosen in self.traces else []

    def get_trace_duration(self, rank: Optional[int] = None) -> int:
        starts = self.get_trace(self.get_ranks()[0] if rank is None else rank)["ts"]
        return int(starts.max() - starts.min())

    def get_device_type(self) -> str:
        return str(self.meta_data[next(iter(self.traces))].get("device_type", "UNKNOWN"))

    def get_raw_trace_for_one_rank(self, rank: int = 0) -> Dict[str, Any]:
        """The whole document of a rank's file."""
        if rank not in self.trace_files:
            self.place_of(rank)
        path = self.trace_files[rank]
        with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as file:
            document: Dict[str, Any] = json.load(file)
        return document

    def write_raw_trace(self, output_file: str, trace_contents: Mapping[str, Any]) -> None:
        """Writes a document beside and renames it: it is there whole, or not at all."""
        with gzip.open(output_file + ".part", "wt", encoding="utf-8") as file:
            json.dump(trace_contents, file, indent=2)
        os.replace(output_file + ".part", output_file)

    def decode_symbol_ids(self, use_shorten_name: bool = True) -> None:
        """Adds s_name and s_cat to every frame."""
        for rank in self.traces:
            decode_symbol_id_to_symbol_name(self.get_trace(rank), self.symbol_table, use_shorten_name)

    def convert_time_series_to_events(self, series: pd.DataFrame, counter_name: str, counter_col: str) -> List[Dict[str, Any]]:
        """Counter events of the trace viewer's format. A series has pid, ts and the counter; its name and id where it has them."""
        if not {"pid", "ts", counter_col} <= set(series.columns):
            logger.warning("a time series needs pid, ts and %s; there are: %s", counter_col, list(series.columns))
            return []
        events = []
        for row in series.to_dict("records"):
            event = {"pid": row["pid"], "ts": row["ts"] + self.min_ts, "args": {counter_name: row[counter_col]}, "ph": PHASE_COUNTER}
            event["name"] = row.get("name", counter_name)
            if "id" in row:
                event["id"] = row["id"]
            events.append(event)
        return events

    @staticmethod
    def flow_event(id: int, pid: Any, tid: Any, ts: int, is_start: bool, name: str, cat: str, args: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        """One end of an arrow of the trace viewer's format."""
        event = {"ph": PHASE_FLOW_START if is_start else PHASE_FLOW_END, "id": id, "pid": pid, "tid": tid, "ts": ts, "cat": cat, "name": name}
        if args is not None:
            event["args"] = args
        return event if is_start else {**event, "bp": "e"}
