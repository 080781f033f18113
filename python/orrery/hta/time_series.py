"""Queue lengths and copy rates over time, and what they come to."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import pandas as pd

from .trace import Trace


def queue_lengths(trace: Trace, ranks: Sequence[int]) -> Dict[int, pd.DataFrame]:
    """By rank, where there are launches: after every launch and start, stream by stream, what is launched and has not started."""
    found = {}
    for rank in ranks:
        place = trace.place_of(rank)
        samples = trace._engine_job().queue_samples(place)
        if not len(samples["ts"]):
            continue
        pid, tid = _lane_columns(trace, place, samples["device"])
        columns = {"ts": samples["ts"], "pid": pid, "tid": tid, "stream": samples["stream"], "queue_length": samples["queue_length"]}
        frame = pd.DataFrame(columns, index=pd.Index(samples["index"], name="index"))
        found[rank] = frame.astype({"stream": trace.type_of(rank, "stream")})
    return found


def queue_length_summary(series: Dict[int, pd.DataFrame]) -> Optional[pd.DataFrame]:
    """Statistics by rank and stream; None of no series."""
    described = []
    for rank, frame in series.items():
        frame["rank"] = rank
        described.append(frame[["rank", "stream", "queue_length"]].groupby(["rank", "stream"]).describe())
    return pd.concat(described) if described else None


def time_at_full_queue(trace: Trace, series: Dict[int, pd.DataFrame], most: int) -> pd.DataFrame:
    """By rank, of the streams whose queue was full the last: how long it was, and as a share of the trace."""
    rows: List[List[Any]] = []
    for rank, frame in series.items():
        full: Optional[List[Any]] = None
        for stream in frame["stream"].unique():
            of_stream = frame[frame["stream"] == stream]
            lasts = of_stream["ts"].shift(-1) - of_stream["ts"]
            is_full = of_stream["queue_length"] >= most
            if is_full.any():
                blocked = lasts[is_full].sum()
                full = [rank, stream, blocked, blocked / trace.get_trace_duration(rank)]
        if full is not None:
            rows.append(full)
    columns = ["rank", "stream", "duration_at_max_queue_length", "relative_duration_at_max_queue_length"]
    return pd.DataFrame(rows, columns=columns, index=range(len(rows)))


def copy_rates(trace: Trace, ranks: Sequence[int]) -> Dict[int, pd.DataFrame]:
    """By rank, where there are copies: after every start and end, kind by kind, what copies run at together."""
    found = {}
    for rank in ranks:
        place = trace.place_of(rank)
        samples = trace._engine_job().copy_samples(place)
        if not len(samples["ts"]):
            continue
        pid, _ = _lane_columns(trace, place, samples["row"])
        # A start plus a duration has the type of durations.
        ts = samples["ts"].astype(np.int64 if trace.type_of(rank, "dur").kind == "i" else np.float64)
        columns = {"ts": ts, "pid": pid, "name": samples["name"], "memory_bw_gbps": samples["memory_bw_gbps"]}
        found[rank] = pd.DataFrame(columns, index=samples["place"])
    return found


def copy_rate_summary(series: Dict[int, pd.DataFrame]) -> Optional[pd.DataFrame]:
    """Statistics of what is above 0, by rank and kind; None of no series."""
    described = []
    for rank, frame in series.items():
        frame["rank"] = rank
        above_zero = frame[frame["memory_bw_gbps"] > 0]
        described.append(above_zero[["rank", "name", "memory_bw_gbps"]].groupby(["rank", "name"]).describe())
    return pd.concat(described) if described else None


def _lane_columns(trace: Trace, place: int, rows: Any) -> Any:
    job = trace._engine_job()
    lanes = job.lanes(place)
    lane = job.columns(place)["lane"][rows]
    pairs = np.empty((len(lanes), 2), dtype=object)
    for number, pair in enumerate(lanes):
        pairs[number] = pair
    return pairs[lane, 0], pairs[lane, 1]


