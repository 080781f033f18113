"""What fills the device's memory, from a timeline that PyTorch's memory profiler exports."""

from __future__ import annotations

import gzip
import json
import os
from typing import List, Tuple

from .._errors import Error
from .drawing import plotly

_CATEGORIES = ("Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd", "Unknown")


class MemoryAnalysis:
    """`path` is what `export_memory_timeline` wrote: a JSON list of [time, action, bytes, category], gzip or not."""

    def __init__(self, path: str) -> None:
        self.path = path

    def _process_raw_events(self) -> Tuple[List[int], List[List[int]]]:
        """Times in nanoseconds, and the bytes of every category from each of them on."""
        try:
            with open(self.path, "rb") as file:
                raw = file.read()
            entries = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
        except (OSError, ValueError) as problem:
            raise Error(f"{self.path}: this is no memory timeline ({problem})", "give what export_memory_timeline wrote", self.path) from None
        times: List[int] = []
        sizes: List[List[int]] = []
        least = -1
        for time, _, number_of_bytes, category in entries:
            if least == -1 or 0 < time < least:
                least = time
            if not times or time != times[-1]:
                times.append(time)
                sizes.append(list(sizes[-1]) if sizes else [0] * len(_CATEGORIES))
            sizes[-1][category] += number_of_bytes
        # What was there before the recording has a negative time.
        return [least if time < 0 else time for time in times], sizes

    def plot_memory_timeline(self, save_graph: bool = False) -> None:
        """Draws it, where plotly is installed; `save_graph` writes images/memory_plot.png instead."""
        graph, colors = plotly("graph_objects"), plotly("colors")
        if graph is None or colors is None:
            return
        times, sizes = self._process_raw_events()
        figure = graph.Figure()
        first = min(times)
        for place, category in enumerate(_CATEGORIES):
            stacked = [sum(at[: place + 1]) / 1024**3 for at in sizes]
            color = colors.qualitative.Pastel[place]
            look = {"mode": "lines", "fill": "tonexty", "fillcolor": color, "marker": {"color": color}, "showlegend": True}
            figure.add_trace(graph.Scatter(x=[(time - first) / 1e6 for time in times], y=stacked, name=category, **look))
        titles = {"title_text": "Memory timeline", "xaxis_title": "Time (ms)", "yaxis_title": "Memory (GB)"}
        figure.update_layout(**titles, title_x=0.5, width=1200, height=800)
        if not save_graph:
            figure.show()
            return
        os.makedirs("images", exist_ok=True)
        figure.write_image("images/memory_plot.png")
