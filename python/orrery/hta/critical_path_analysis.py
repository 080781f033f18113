"""Which part of a rank's work is critical, as HTA finds it, and the trace with it marked."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Set, Tuple, Union

from .critical_path_graph import BoundType, CPEdge, CPEdgeType, CPGraph, CPNode, is_asked_for, is_strict
from .logger import logger
from .saved_graph import restore_cpgraph
from .trace import Trace

__all__ = ["BoundType", "CPEdge", "CPEdgeType", "CPGraph", "CPNode", "CriticalPathAnalysis", "DEFAULT_EDGE_TYPES_IN_VIZ", "restore_cpgraph"]

DEFAULT_EDGE_TYPES_IN_VIZ: Set[CPEdgeType] = {CPEdgeType.DEPENDENCY, CPEdgeType.KERNEL_LAUNCH_DELAY, CPEdgeType.SYNC_DEPENDENCY}
_OVERLAY = "overlaid_critical_path_"


class CriticalPathAnalysis:
    @classmethod
    def critical_path_analysis(
        cls,
        t: Trace,
        rank: int,
        annotation: str,
        instance_id: Union[Optional[int], Tuple[int, int]],
        data_load_events: Optional[List[str]] = None,
    ) -> Optional[Tuple[CPGraph, bool]]:
        """The graph of what happens within an annotation, and whether it has a critical path; None if nothing is called like the annotation."""
        place = t.place_of(rank)
        if not any(annotation in symbol for symbol in t.symbol_table.sym_table):
            logger.error("Could not find annotation %s in the trace.", annotation)
            return None
        if instance_id is None:
            first, last = 0, 0
        elif isinstance(instance_id, tuple):
            first, last = instance_id
        elif isinstance(instance_id, int):
            first = last = instance_id
        else:
            logger.error("Unexpected input type instance_id")
            return None
        options = (is_asked_for("CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE"), is_strict())
        found = t._engine_job().critical_path(place, annotation, first, last, data_load_events or [], *options)
        graph = CPGraph(t, t, rank, data_load_events=data_load_events)
        graph._take(found)
        graph._lift_negative_weights()
        if found["failure"] is not None:
            logger.error("there is no critical path: %s", found["failure"])
            return graph, False
        graph._set_path(found["path_nodes"].tolist())
        return graph, True

    @staticmethod
    def _is_zero_weight_launch_edge(e: CPEdge) -> bool:
        return e.type == CPEdgeType.KERNEL_LAUNCH_DELAY and e.weight == 0

    @classmethod
    def overlay_critical_path_analysis(
        cls,
        t: Trace,
        rank: int,
        critical_path_graph: CPGraph,
        output_dir: str,
        only_show_critical_events: bool,
        show_all_edges: bool,
        edge_types_to_viz: Optional[Set[CPEdgeType]] = None,
    ) -> str:
        """Writes the trace again, with critical events marked and arrows along the path, and returns the file's path; "" if the folder is none."""
        folder = os.path.expanduser(output_dir)
        if os.path.exists(folder) and not os.path.isdir(folder):
            logger.error("%s is not a directory.", output_dir)
            return ""
        os.makedirs(folder, exist_ok=True)
        document = t.get_raw_trace_for_one_rank(rank)
        events = document["traceEvents"]
        for event in critical_path_graph.critical_path_events_set:
            events[event].setdefault("args", {})["critical"] = 1
        # HTA shows all edges only beside all events.
        all_edges = show_all_edges and not only_show_critical_events
        edges = cls._edges_to_show(critical_path_graph, all_edges, edge_types_to_viz or DEFAULT_EDGE_TYPES_IN_VIZ)
        arrows = [arrow for number, edge in enumerate(edges) for arrow in _arrow(critical_path_graph, events, edge, number)]
        if only_show_critical_events:
            events = [event for event in events if _stays(event)]
        document["traceEvents"] = events + arrows
        output = os.path.join(folder, _OVERLAY + os.path.basename(t.trace_files[rank]))
        t.write_raw_trace(output, document)
        return output

    @classmethod
    def _edges_to_show(cls, graph: CPGraph, all_edges: bool, types: Set[CPEdgeType]) -> List[CPEdge]:
        if not all_edges:
            return [edge for edge in graph._path_edges() if edge.type in types]
        with_zero = is_asked_for("CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE")
        return [data["object"] for _, _, data in graph.edges(data=True) if with_zero or not cls._is_zero_weight_launch_edge(data["object"])]


def _stays(event: Dict[str, Any]) -> bool:
    return event["ph"] != "X" or event.get("cat", "") in ("user_annotation", "python_function") or event.get("args", {}).get("critical", 0) == 1


def _arrow(graph: CPGraph, events: List[Dict[str, Any]], edge: CPEdge, number: int) -> List[Dict[str, Any]]:
    args = {"weight": int(edge.weight), "critical": edge in graph.critical_path_edges_set, "type": edge.type.value}
    ends = []
    for node, is_start in ((graph.node_list[edge.begin], True), (graph.node_list[edge.end], False)):
        event = events[node.ev_idx]
        # The viewer ties an arrow to what runs then: a device's event has ended at its end.
        until = event["ts"] + event["dur"] - (min(1, event["dur"]) if event["args"].get("device", -1) >= 0 else 0)
        ts = int(event["ts"] if node.is_start else until)
        ends.append(Trace.flow_event(number, event["pid"], event["tid"], ts, is_start, "critical_path", "critical_path", dict(args)))
    return ends
