"""Orrery: what bounds a step, and what would happen if it were otherwise. See docs/PYTHON.md.

    import orrery
    t = orrery.open("trace.json.gz")
    print(orrery.path(t).verdict)
"""

from ._engine import version as __version__
from ._errors import Error, Failure, InternalError, UsageError
from ._results import (
    Align, Blame, Breakdown, Check, Diff, Graphs, Hang, Info, Kernels, Launches, Link, Llm, Memory, MotifFit, MotifRun, Path, Replay, Report, Result, Roofline, Simulate, Steps, Top, WhatIf,
)
from ._step import Solution, Step, step
from ._trace import Category, Diagnostic, Lane, Names, Rank, Source, StepEvent, Trace, open
from ._verbs import (
    align, blame, breakdown, check, diff, graphs, hang, info, kernels, launches, link, llm, memory, motif_fit, motif_run, path, query, replay, report, roofline, run, simulate, steps, top, whatif,
)

__all__ = [
    "Align", "Blame", "Breakdown", "Category", "Check", "Diagnostic", "Diff", "Error", "Failure", "Graphs", "Hang", "Info", "InternalError", "Kernels", "Lane", "Launches",
    "Link", "Llm", "Memory", "MotifFit", "MotifRun", "Names", "Path", "Rank", "Replay", "Report", "Result", "Roofline", "Simulate", "Solution", "Source", "Step",
    "StepEvent", "Steps", "Top", "Trace", "UsageError", "WhatIf", "__version__", "align", "blame", "breakdown", "check", "diff", "graphs", "hang", "info", "kernels", "launches",
    "link", "llm", "memory", "motif_fit", "motif_run", "open", "path", "query", "replay", "report", "roofline", "run", "simulate", "step", "steps", "top", "whatif",
]
