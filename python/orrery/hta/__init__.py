"""What users of Holistic Trace Analysis type, answered by the engine: HTA 0.6.1's frames, number for number (docs/PYTHON.md).

    from orrery.hta import TraceAnalysis
    analysis = TraceAnalysis(trace_dir="traces/")
    analysis.get_temporal_breakdown()

HTA's own module names are here, too: hta.trace_analysis is orrery.hta.trace_analysis, hta.analyzers.critical_path_analysis
orrery.hta.analyzers.critical_path_analysis.
"""

from . import modules as _modules
from .critical_path_analysis import BoundType, CPEdge, CPEdgeType, CPGraph, CPNode, CriticalPathAnalysis, restore_cpgraph
from .memory_analysis import MemoryAnalysis
from .symbol_table import TraceSymbolTable
from .trace import Trace
from .trace_analysis import TimeSeriesTypes, TraceAnalysis
from .trace_diff import DeviceType, LabeledTrace, TraceDiff

__all__ = [
    "BoundType", "CPEdge", "CPEdgeType", "CPGraph", "CPNode", "CriticalPathAnalysis", "DeviceType", "LabeledTrace", "MemoryAnalysis", "TimeSeriesTypes", "Trace",
    "TraceAnalysis", "TraceDiff", "TraceSymbolTable", "restore_cpgraph",
]

_modules.name_as_hta_does(__name__)
