"""Timelines as HTA draws them: of device work, stream by stream, and of what makes a rank a straggler."""

from __future__ import annotations

import re
from typing import List, Optional

import pandas as pd

from .._errors import UsageError
from .drawing import draw, plotly
from .symbol_table import TraceSymbolTable
from .trace import Trace

__all__ = [
    "plot_timeline",
    "plot_timeline_gpu_kernels",
    "plot_timeline_gpu_kernels_from_trace",
    "prepare_timeline_gpu_events",
]

_DRAWN = ("calibrated_start_global", "calibrated_end_global", "task", "label")
_HOVER = ("cat", "dur", "iteration", "name", "rank", "s_cat", "s_name", "stream")
_LONGEST_LABEL = 44
_METRIC = "normalized_start_time"
_LEAST_SHARE = 0.01  # of a step: shorter collectives delay nobody


def _need(frame: pd.DataFrame, columns: "tuple[str, ...]") -> None:
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise UsageError(
            f"the events have no column {', '.join(missing)}", "prepare_timeline_gpu_events makes what is drawn"
        )


def _known(frame: pd.DataFrame, column: str) -> List[int]:
    """What a column has, -1 apart."""
    return sorted(value for value in frame[column].unique().tolist() if value != -1)


def _label(name: str) -> str:
    """HTA's labels: without parameters, the last template arguments, void, blanks and autograd's prefix."""
    for pattern in (r"\(.+\)", r"<[^<]+>?", r"^void\s+", r"\s+", "autograd::engine::evaluate_function"):
        name = re.sub(pattern, "", name)
    return name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 2] + "..."


def rows_of_ranks(trace: Trace, ranks: List[int]) -> pd.DataFrame:
    """The frames of some ranks below each other, with the rank in front."""
    return pd.concat([trace.get_trace(rank) for rank in ranks], axis=0, keys=ranks, names=["rank", "idx"]).reset_index()


def prepare_timeline_gpu_events(
    df: pd.DataFrame,
    symbol_table: TraceSymbolTable,
    ranks: Optional[List[int]] = None,
    iterations: Optional[List[int]] = None,
    streams: Optional[List[int]] = None,
    duration_threshold: int = 1000,
) -> pd.DataFrame:
    """Device rows of some ranks, steps and streams (by default all), with what `plot_timeline` needs.
    What is shorter than the threshold is drawn as long as that."""
    _need(df, ("iteration", "name", "cat", "rank", "stream", "ts"))
    chosen = df["rank"].isin(_known(df, "rank") if ranks is None else ranks)
    chosen &= df["iteration"].isin(_known(df, "iteration") if iterations is None else iterations)
    chosen &= df["stream"].isin(_known(df, "stream") if streams is None else streams)
    events = df[chosen].copy()
    symbols = symbol_table.get_sym_table()
    events["s_name"] = [_label(symbols[number]) for number in events["name"]]
    events["s_cat"] = [symbols[number] for number in events["cat"]]
    events["calibrated_start_global"] = pd.to_datetime(events["ts"], unit="us")
    events["calibrated_end_global"] = pd.to_datetime(
        events["ts"] + events["dur"].clip(lower=duration_threshold), unit="us"
    )
    events["label"] = events["s_name"]
    events["task"] = "rank " + events["rank"].astype("str") + " stream " + events["stream"].astype("str")
    return events.sort_values(["rank", "stream", "ts"], kind="stable")


def plot_timeline(title: str, events: pd.DataFrame, ranks: Optional[List[int]] = None) -> None:
    """Draws what `prepare_timeline_gpu_events` gave, where plotly is installed."""
    _need(events, _DRAWN)
    express = plotly("express")
    if express is None:
        return
    shown = ranks if ranks is not None else list(events["rank"].unique()) if "rank" in events.columns else []
    draw(
        "timeline",
        events,
        title,
        x_start="calibrated_start_global",
        x_end="calibrated_end_global",
        y="task",
        hover_data=[column for column in _HOVER if column in events.columns],
        category_orders={"task": sorted(events["task"].unique())},
        color="label",
        color_discrete_sequence=express.colors.qualitative.D3,
        width=1600,
        height=200 + 120 * len(shown),
    )


def plot_timeline_gpu_kernels(
    title: str,
    df: pd.DataFrame,
    symbol_table: TraceSymbolTable,
    ranks: Optional[List[int]] = None,
    iterations: Optional[List[int]] = None,
    streams: Optional[List[int]] = None,
    duration_threshold: int = 1000,
) -> None:
    """The timeline of some ranks, steps and streams (by default all). `df`: all ranks, with a column `rank`."""
    plot_timeline(title, prepare_timeline_gpu_events(df, symbol_table, ranks, iterations, streams, duration_threshold))


def plot_timeline_gpu_kernels_from_trace(
    title: str,
    trace_data: Trace,
    ranks: Optional[List[int]] = None,
    iterations: Optional[List[int]] = None,
    streams: Optional[List[int]] = None,
    duration_threshold: int = 1000,
) -> None:
    """The same, of a trace."""
    known = list(trace_data.get_all_traces())
    rows = rows_of_ranks(trace_data, known if ranks is None else [rank for rank in known if rank in ranks])
    plot_timeline_gpu_kernels(title, rows, trace_data.symbol_table, ranks, iterations, streams, duration_threshold)


def draw_stragglers(rows: pd.DataFrame, symbols: TraceSymbolTable, candidates: int) -> None:
    """The collectives that HTA looks at, the one that it chooses, and who starts that last.
    `rows`: of all ranks, in the steps that count."""
    if plotly("express") is None:
        return
    ranks, steps = _known(rows, "rank"), _known(rows, "iteration")
    first = rows["ts"].min()
    step_time = ((rows["ts"] + rows["dur"]).max() - first) / len(steps)
    collectives = [number for symbol, number in symbols.sym_index.items() if symbol.startswith("ncclKernel")]
    is_long = (rows["dur"] >= step_time * _LEAST_SHARE) & rows["name"].isin(collectives)
    long = rows[is_long & (rows["stream"] > 0) & (rows["iteration"] > 0)]
    title = f"Timeline of Communication Kernels Longer Than {_LEAST_SHARE * 100:.2f}% of Iteration Time\n"
    plot_timeline_gpu_kernels(title, long, symbols, ranks=ranks, duration_threshold=2000)

    last = long.groupby(["rank", "stream", "iteration", "name"], as_index=False).last()
    last[_METRIC] = (last["ts"] - first) / step_time
    spread = (last["dur"] / step_time).groupby([last["stream"], last["iteration"], last["name"]]).std()
    stream, name = spread.groupby(["stream", "name"]).mean().idxmax()
    chosen = last[(last["stream"] == stream) & (last["name"] == name)]
    plot_timeline_gpu_kernels(f"Timeline of Candidate Kernels (Iterations={steps})", chosen, symbols, ranks=ranks)

    _draw_starts(chosen, candidates)


def _draw_starts(chosen: pd.DataFrame, candidates: int) -> None:
    """When each rank starts the collective, step by step; those that start it last are stragglers."""
    metric = chosen[["rank", "iteration", _METRIC]].copy()
    steps = metric["iteration"].nunique()
    latest = metric.groupby("iteration")[_METRIC].transform(lambda starts: starts.nlargest(candidates).iloc[-1])
    metric["is_straggler"] = ["Yes" if late else "No" for late in metric[_METRIC] >= latest]
    columns = ["rank", "iteration", _METRIC] if steps > 1 else ["rank", _METRIC]
    draw(
        "bar",
        metric[[*columns, "is_straggler"]],
        "Potential Stragglers",
        x="rank",
        y=_METRIC,
        facet_col="iteration" if steps > 1 else None,
        color="is_straggler",
        color_discrete_map={"Yes": "red", "No": "blue"},
        hover_data=columns,
        width=300 * steps,
    )
