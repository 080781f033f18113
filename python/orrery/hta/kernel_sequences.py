"""Which kernels, in which order, an operator leads to, and the trace with them marked."""

from __future__ import annotations

import os
from typing import Any, Dict, List

import pandas as pd

from .drawing import draw
from .logger import logger
from .trace import Trace


def frequent_sequences(
    trace: Trace, operator_name: str, output_dir: str, min_pattern_len: int, rank: int, top_k: int, visualize: bool, compress_other_kernels: bool,
) -> pd.DataFrame:
    """The most frequent first; the trace is written again to `output_dir` with the first `top_k` marked. An empty frame if there are none."""
    if not operator_name:
        logger.error("operator_name must be a non-empty string and a valid operator name in the trace file.")
        return pd.DataFrame()
    if not (os.path.isdir(output_dir) and os.access(output_dir, os.W_OK)):
        logger.error("Argument output_dir `%s` is not a valid output path.", output_dir)
        return pd.DataFrame()
    found = trace._engine_job().sequences(trace.place_of(rank), operator_name, min_pattern_len)
    if not found:
        logger.error("operator_name %s not found in the trace file, or no frequent cuda kernel sequences found.", operator_name)
        return pd.DataFrame()
    frame = pd.DataFrame({
        "pattern": ["|".join(names) for names, *_ in found],
        "count": [count for _, count, *_ in found],
        "GPU kernel duration (us)": [device for _, _, device, _, _ in found],
        "CPU op duration (us)": [host for *_, host, _ in found],
    })
    if trace.type_of(rank, "dur").kind == "i":
        frame["CPU op duration (us)"] = frame["CPU op duration (us)"].astype("int64")
    top = min(top_k, len(frame))
    patterns: Dict[int, Dict[str, int]] = {}
    for (*_, indices), pattern, count in zip(found[:top], frame["pattern"], frame["count"]):
        for index in set(indices.tolist()):
            patterns.setdefault(index, {})[pattern] = int(count)
    output = os.path.join(os.path.normpath(output_dir), "overlaid_" + os.path.basename(trace.trace_files[rank]))
    trace.write_raw_trace(output, _marked(trace, rank, patterns, compress_other_kernels))
    if visualize:
        shown = frame[:top].assign(pattern=frame["pattern"][:top].str.replace("|", "<br>", regex=False))
        title = f"Top {top} frequent patterns for rank {rank}"
        draw("bar", shown, title, layout={"xaxis_type": "category"}, x=shown.index, y="count",
             hover_data=["pattern", "count"], labels={"x": "Pattern Index", "count": "Pattern Count"})
    return frame


def _marked(trace: Trace, rank: int, patterns: Dict[int, Dict[str, int]], compress: bool) -> Dict[str, Any]:
    """The document of a rank with `Patterns` among the arguments of what belongs to one. Compressed: other complete events have a number for
    their name and no arguments; the profiler's own event has the list of names."""
    document = trace.get_raw_trace_for_one_rank(rank)
    numbers = trace.symbol_table.sym_index
    events: List[Dict[str, Any]] = document["traceEvents"]
    for index, event in enumerate(events):
        if index in patterns:
            event["args"] = {**(event.get("args") or {}), "Patterns": patterns[index]}
        elif compress and event.get("ph") == "X":
            event["args"] = {}
            event["name"] = str(numbers[event["name"]]) if event.get("name") in numbers else event.get("name")
    if compress:
        for event in events:
            if event.get("pid") == "Spans" and "PyTorch Profiler" in str(event.get("name")):
                event["args"] = {str(number): name for name, number in numbers.items()}
    return document
