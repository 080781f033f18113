"""Charts, where plotly is installed; nothing where it is not."""

from __future__ import annotations

from typing import Any, List, Optional

import pandas as pd


def draw(kind: str, frame: pd.DataFrame, title: str, renderer: Optional[str] = None, **what: Any) -> None:
    """A chart of plotly.express by its name: bar, pie, histogram."""
    try:
        import plotly.express as express  # type: ignore[import]
    except ImportError:
        return
    getattr(express, kind)(frame, title=title, **what).show(**({"renderer": renderer} if renderer else {}))


def draw_pies(frame: pd.DataFrame, title: str, renderer: Optional[str]) -> None:
    """Time by name, a chart per rank."""
    for rank, of_rank in frame.groupby("rank"):
        draw("pie", of_rank, f"{title} on rank {rank}", renderer, values="sum (us)", names="name")


def draw_table(frame: pd.DataFrame, title: str) -> None:
    try:
        from plotly import graph_objects as graph
    except ImportError:
        return
    figure = graph.Figure(data=[graph.Table(header={"values": list(frame.columns)}, cells={"values": [frame[column] for column in frame.columns]})])
    figure.update_layout(title=title)
    figure.show()


def draw_groups(frame: pd.DataFrame, title: str, columns: List[str], show: bool, export: Optional[str]) -> None:
    """Bars side by side, one colour per column; shown, or written as an image."""
    try:
        from plotly import graph_objects as graph
    except ImportError:
        return
    figure = graph.Figure(data=[graph.Bar(name=column, x=frame.index, y=frame[column]) for column in columns])
    figure.update_layout(barmode="group", title_text=title)
    if show:
        figure.show()
    if export:
        figure.write_image(export)
