"""Charts, where plotly is installed; nothing where it is not. What they show, and their titles, are HTA's."""

from __future__ import annotations

import importlib
from typing import Any, Dict, List, Mapping, Optional, Sequence

import pandas as pd

_CROWDED: Dict[str, Any] = {
    "margin": {"l": 50, "r": 50, "b": 50, "t": 50},
    "showlegend": True,
    "legend": {"yanchor": "bottom", "y": -0.1, "xanchor": "left", "x": 0},
}


def plotly(module: str) -> Any:
    """A module of plotly; None where it is not installed."""
    try:
        return importlib.import_module("plotly." + module)
    except ImportError:
        return None


def _show(figure: Any, renderer: Optional[str]) -> None:
    figure.show(**({"renderer": renderer} if renderer else {}))


def draw(
    kind: str,
    frame: pd.DataFrame,
    title: str,
    renderer: Optional[str] = None,
    layout: Optional[Mapping[str, Any]] = None,
    **what: Any,
) -> None:
    """A chart of plotly.express by its name: bar, pie, histogram, timeline."""
    express = plotly("express")
    if express is None:
        return
    figure = getattr(express, kind)(frame, title=title, **what)
    figure.update_layout(**(layout or {}))
    _show(figure, renderer)


def draw_temporal(frame: pd.DataFrame) -> None:
    parts = ["idle_time", "compute_time", "non_compute_time"]
    shares = frame.assign(**{part: frame[f"{part}(us)"] / frame["kernel_time(us)"] for part in parts})
    layout = {"yaxis_tickformat": ".2%", "yaxis_title": "Percentage", "legend_title": "Time Breakdown"}
    draw("bar", shares, "Temporal breakdown across ranks", layout=layout, x="rank", y=parts, labels={"rank": "Rank"})


def draw_overlap(frame: pd.DataFrame) -> None:
    shares = frame.assign(comp_comm_overlap_ratio=frame["comp_comm_overlap_pctg"] / 100)
    labels = {"rank": "Rank", "comp_comm_overlap_ratio": "Computation-Communication Overlap Percentage"}
    draw(
        "bar",
        shares,
        "Computation-Communication Overlap",
        layout={"yaxis_tickformat": ".2%"},
        x="rank",
        y="comp_comm_overlap_ratio",
        labels=labels,
    )


def draw_idle(frame: pd.DataFrame, as_share: bool) -> None:
    """A chart per rank, by stream. Shares are drawn as they are, though the frame has them rounded."""
    layout = {"yaxis_tickformat": ".2%", "yaxis_title": "Percentage"} if as_share else {"yaxis_title": "Idle time (us)"}
    for rank in frame["rank"].unique():
        of_rank = frame[frame["rank"] == rank]
        shares = of_rank["idle_time"] / of_rank.groupby("stream")["idle_time"].transform("sum")
        draw(
            "bar",
            of_rank.assign(idle_time_ratio=shares),
            f"Idle time breakdown on rank {rank} per CUDA stream",
            layout={**layout, "legend_title": "Idle Time Breakdown"},
            x="stream",
            y="idle_time_ratio" if as_share else "idle_time",
            color="idle_category",
            hover_data=["idle_time", "idle_time_ratio"],
        )


def draw_kernel_types(
    types: pd.DataFrame, kernels: pd.DataFrame, kinds: Sequence[str], ranks: Sequence[int], renderer: Optional[str]
) -> None:
    """The share of every type; then, type by type, what it is made of."""
    layout = {**_CROWDED, "legend": {**_CROWDED["legend"], "y": -0.4}}
    draw(
        "pie",
        types[types["percentage"] > 0],
        "Kernel Type Percentage Across All Ranks",
        renderer,
        layout,
        values="percentage",
        names="kernel_type",
        height=500,
    )
    for kind in kinds:
        of_kind = kernels[kernels["kernel_type"] == kind]
        about = f'Kernel type "{kind}" - '
        draw_names(of_kind, ranks, about + "kernel distribution on each rank", about, renderer)


def draw_names(frame: pd.DataFrame, ranks: Sequence[int], title: str, about: str, renderer: Optional[str]) -> None:
    """Time by name, a pie per rank; then for every name the mean on each rank, with its range, titled `about` + name."""
    graph, subplots = plotly("graph_objects"), plotly("subplots")
    if graph is None or subplots is None:
        return
    lines = (len(ranks) + 1) // 2
    figure = subplots.make_subplots(rows=lines, cols=2, specs=[[{"type": "domain"}, {"type": "domain"}]] * lines)
    for place, rank in enumerate(ranks):
        of_rank = frame[frame["rank"] == rank]
        pie = graph.Pie(labels=of_rank["name"], values=of_rank["sum (us)"], title=f"Rank {rank}", automargin=False)
        figure.add_trace(pie, place // 2 + 1, place % 2 + 1)
    figure.update_layout(title_text=title, height=400 * (1 + len(ranks) / 2), **_CROWDED)
    _show(figure, renderer)
    for name in frame["name"].unique():
        if name == "others":
            continue
        rows = frame[frame["name"] == name]
        draw(
            "bar",
            rows,
            about + name,
            renderer,
            {"xaxis": {"tickmode": "linear", "tick0": 0, "dtick": 1}},
            x="rank",
            y="mean (us)",
            labels={"rank": "Rank", "mean (us)": "Mean Duration (us)"},
            error_y=rows["max (us)"] - rows["mean (us)"],
            error_y_minus=rows["mean (us)"] - rows["min (us)"],
        )


def draw_launches(frame: pd.DataFrame, rank: int, runtime_cutoff: int, launch_delay_cutoff: int) -> None:
    """Kernels shorter than their launch calls, long calls, and long delays."""
    calls = {"cpu_duration": "Cuda Runtime Event Duration (us)"}
    short = frame[(frame["cpu_duration"] <= runtime_cutoff) & (frame["gpu_duration"] < frame["cpu_duration"])]
    draw(
        "histogram",
        short,
        f"Short GPU kernels (gpu op duration < cpu op duration) on rank {rank}",
        x="cpu_duration",
        labels=calls,
    )
    draw(
        "histogram",
        frame[frame["cpu_duration"] > runtime_cutoff],
        f"Runtime Event Duration Outliers (duration > {runtime_cutoff} us)  on rank {rank}",
        x="cpu_duration",
        nbins=300,
        labels=calls,
    )
    draw(
        "histogram",
        frame[frame["launch_delay"] > launch_delay_cutoff],
        f"Launch Delay Outliers (duration > {launch_delay_cutoff} us) on rank {rank}",
        x="launch_delay",
        nbins=300,
        labels={"launch_delay": "Launch Delay Duration (us)"},
    )


def draw_operators(frame: pd.DataFrame, rank: int) -> None:
    graph = plotly("graph_objects")
    if graph is None:
        return
    headings = ["ATen Operation", "Kernel Sequence", "Occurrence Count"]
    headings += ["Average ATen Op Launch Delay (us)", "Average Runtime Delay (us)"]
    cells = {"values": [frame[column] for column in frame.columns], "height": 30, "align": "left"}
    figure = graph.Figure(data=[graph.Table(header={"values": headings}, cells=cells)])
    title = f"ATen Operations, Associated Kernels, ATen and Runtime Delays for Rank {rank}"
    margin = {"l": 10, "r": 10, "t": 40, "b": 10}
    figure.update_layout(title=title, width=1500, height=1500, autosize=True, margin=margin)
    figure.show()


def draw_change(
    frame: pd.DataFrame, what: str, change: str, layout: Mapping[str, Any], show: bool, export: Optional[str]
) -> None:
    """What `TraceDiff.compare_traces` gave: bars of both traces and of the difference; shown, or written to a file."""
    graph = plotly("graph_objects")
    if graph is None:
        return
    labels: List[str] = [
        column[: -len("_total_duration")] for column in frame.columns if column.endswith("_total_duration")
    ]
    bars = [graph.Bar(name=label, x=frame.index, y=frame[f"{label}_{what}"]) for label in labels]
    figure = graph.Figure(data=[*bars, graph.Bar(name="Difference", x=frame.index, y=frame[change])])
    figure.update_layout(barmode="group", **layout)
    if show:
        figure.show()
    if export:
        figure.write_image(export)
