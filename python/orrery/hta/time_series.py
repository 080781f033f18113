"""Queue lengths and copy rates over time, and what they come to."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import pandas as pd

from .frames import lane_column
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
        lengths = {name: samples[name] for name in ("stream", "queue_length")}
        index = pd.Index(samples["index"], name="index")
        frame = pd.DataFrame({"ts": samples["ts"], "pid": pid, "tid": tid, **lengths}, index=index)
        found[rank] = frame.astype({name: trace.type_of(rank, name) for name in ("ts", "stream")})
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
        ts = samples["ts"].astype(trace.type_of_ends(rank))
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


def _lane_columns(trace: Trace, place: int, rows: Any) -> Tuple[Any, Any]:
    job = trace._engine_job()
    lanes, lane = job.lanes(place), job.columns(place)["lane"]
    return lane_column([pid for pid, _ in lanes], lane)[rows], lane_column([tid for _, tid in lanes], lane)[rows]
