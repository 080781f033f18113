"""The graph of HTA's critical path: points in time, what passes between them, and the longest way through."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

import pandas as pd

from .. import _engine
from .digraph import DiGraph
from .logger import logger
from .symbol_table import TraceSymbolTable, decode_symbol_id_to_symbol_name
from .trace import Trace


@dataclass
class CPNode:
    """The start or the end of an event. `idx` is its place in `CPGraph.node_list`, `ev_idx` the event's in the trace."""

    idx: int = -1
    ev_idx: int = -1
    ts: int = 0
    is_start: bool = False
    is_blocking: bool = False


class CPEdgeType(Enum):
    """In the engine's order. Equal to HTA's own member of the same name, so that code may import either."""

    OPERATOR_KERNEL = "critical_path_operator"
    DEPENDENCY = "critical_path_dependency"
    KERNEL_LAUNCH_DELAY = "critical_path_kernel_launch_delay"
    KERNEL_KERNEL_DELAY = "critical_path_kernel_kernel_delay"
    SYNC_DEPENDENCY = "critical_path_sync_dependency"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Enum) and (type(other).__name__, other.name) == ("CPEdgeType", self.name)

    def __hash__(self) -> int:  # as Enum has it
        return hash(self.name)


class BoundType(Enum):
    GPU_KERNEL_KERNEL_OVERHEAD = "gpu_kernel_kernel_overhead"
    GPU_KERNEL_LAUNCH_OVERHEAD = "gpu_kernel_launch_overhead"
    DATA_LOADING = "data_loading"
    CPU_BOUND = "cpu_bound"
    GPU_COMPUTE_BOUND = "gpu_compute_bound"
    GPU_COMMUNICATION_BOUND = "gpu_communication_bound"


@dataclass(frozen=True)
class CPEdge:
    """From node to node; the weight is time, in microseconds."""

    begin: int
    end: int
    type: CPEdgeType
    weight: float = 0


_ATTRIBUTED = (CPEdgeType.OPERATOR_KERNEL, CPEdgeType.KERNEL_KERNEL_DELAY)
_WEIGHTLESS = (CPEdgeType.DEPENDENCY, CPEdgeType.SYNC_DEPENDENCY)


def is_asked_for(option: str) -> bool:
    """HTA's options are environment variables."""
    return os.environ.get(option, "0") == "1"


def is_strict() -> bool:
    return is_asked_for("CRITICAL_PATH_STRICT_NEGATIVE_WEIGHT_CHECKS")


def _number(weight: float) -> float:
    return int(weight) if float(weight).is_integer() else float(weight)


class CPGraph(DiGraph):  # type: ignore[misc]
    """Nodes are numbers of `node_list`; `edges[u, v]["object"]` is the CPEdge. Where networkx is installed it is a graph of networkx."""

    def __init__(self, t: Optional[Trace] = None, t_full: Optional[Trace] = None, rank: int = 0, G: Any = None,
                 data_load_events: Optional[List[str]] = None) -> None:
        super().__init__(G)
        self.rank = rank
        self.t = t
        self.t_full = t_full
        self.symbol_table = t_full.symbol_table if t_full is not None else TraceSymbolTable()
        self.data_load_events = data_load_events
        self.node_list: List[CPNode] = []
        self.critical_path_nodes: List[int] = []
        self.critical_path_events_set: Set[int] = set()
        self.critical_path_edges_set: Set[CPEdge] = set()
        self.event_to_start_node_map: Dict[int, int] = {}
        self.event_to_end_node_map: Dict[int, int] = {}
        self.edge_to_event_map: Dict[Tuple[int, int], int] = {}
        self._clipped: Optional[pd.DataFrame] = None
        self._rows: List[int] = []

    def __repr__(self) -> str:
        return f"<CPGraph of rank {self.rank}: {self.number_of_nodes()} nodes, {self.number_of_edges()} edges, {len(self.critical_path_nodes)} on the path>"

    def _take(self, graph: Mapping[str, Any]) -> None:
        """The engine's columns."""
        starts = zip(graph["node_event"].tolist(), graph["node_ts"].tolist(), graph["node_is_start"].tolist(), graph["node_is_blocking"].tolist())
        for event, ts, is_start, is_blocking in starts:
            self._add_node(CPNode(-1, event, ts, is_start, is_blocking))
        types = list(CPEdgeType)
        columns = (graph[name].tolist() for name in ("edge_begin", "edge_end", "edge_type", "edge_weight", "edge_event"))
        for begin, end, kind, weight, event in zip(*columns):
            self._add_edge(CPEdge(begin, end, types[kind], _number(weight)))
            if event >= 0:
                self.edge_to_event_map[begin, end] = event
        self._rows = graph["rows"].tolist()

    @property
    def full_trace_df(self) -> pd.DataFrame:
        """All events of the rank."""
        assert self.t_full is not None
        return self.t_full.get_trace(self.rank)

    @property
    def trace_df(self) -> pd.DataFrame:
        """The events that the graph is made of."""
        if self._clipped is None:
            full = self.full_trace_df
            self._clipped = full[full["index"].isin(self._rows)].sort_values("index", kind="stable").copy()
        return self._clipped

    @trace_df.setter
    def trace_df(self, frame: pd.DataFrame) -> None:
        self._clipped = frame

    def _add_node(self, node: CPNode) -> int:
        # It becomes part of the graph with its first edge.
        node.idx = len(self.node_list)
        self.node_list.append(node)
        (self.event_to_start_node_map if node.is_start else self.event_to_end_node_map)[node.ev_idx] = node.idx
        return node.idx

    def _add_edge(self, edge: CPEdge) -> None:
        self.add_edge(edge.begin, edge.end, weight=edge.weight, object=edge)

    def _add_edge_helper(self, src: CPNode, dest: CPNode, type: CPEdgeType, zero_weight: bool = False) -> CPEdge:
        weight = 0 if type in _WEIGHTLESS or zero_weight else dest.ts - src.ts
        edge = CPEdge(src.idx, dest.idx, type, weight)
        self._add_edge(edge)
        return edge

    def _attribute_edge(self, e: CPEdge, src_parent: Optional[int]) -> None:
        """Whose time an edge is: of the event in which it lies; between two events that of the one around them, `src_parent`."""
        if e.type not in _ATTRIBUTED:
            return
        source, target = self.node_list[e.begin], self.node_list[e.end]
        event: Optional[int] = src_parent
        if e.type == CPEdgeType.KERNEL_KERNEL_DELAY or source.is_start:
            event = source.ev_idx
        elif not target.is_start:
            event = target.ev_idx
        assert event is not None, "an edge from an end to a start is its parent's"
        self.edge_to_event_map[e.begin, e.end] = int(event)

    def _add_gpu_cpu_sync_edge(self, gpu_node: CPNode, runtime_eid: int) -> None:
        _, end = self.get_nodes_for_event(runtime_eid)
        if end is not None:
            self._add_edge_helper(gpu_node, end, CPEdgeType.SYNC_DEPENDENCY)

    def _add_kernel_launch_delay_edge(self, runtime_index: int, kernel_start_node: CPNode, zero_weight: bool = False) -> bool:
        start, _ = self.get_nodes_for_event(runtime_index)
        if start is None:
            return False
        self._add_edge_helper(start, kernel_start_node, CPEdgeType.KERNEL_LAUNCH_DELAY, zero_weight)
        return True

    def _get_node_name(self, ev_id: int) -> str:
        if ev_id < 0:
            return "ROOT"
        name = self.trace_df["name"].loc[ev_id]
        return self.symbol_table.sym_table[int(name.iloc[0] if isinstance(name, pd.Series) else name)]

    def get_nodes_for_event(self, ev_id: int) -> Tuple[Optional[CPNode], Optional[CPNode]]:
        """Its start and its end; None for what has no nodes."""
        start, end = self.event_to_start_node_map.get(ev_id), self.event_to_end_node_map.get(ev_id)
        return None if start is None else self.node_list[start], None if end is None else self.node_list[end]

    def get_events_for_edge(self, edge: CPEdge) -> Tuple[int, int]:
        return self.node_list[edge.begin].ev_idx, self.node_list[edge.end].ev_idx

    def get_event_attribution_for_edge(self, edge: CPEdge) -> Optional[int]:
        """The event whose time it is; None for dependencies and delays of launches."""
        return self.edge_to_event_map.get((edge.begin, edge.end))

    def get_edges_attributed_to_event(self, ev_idx: int) -> List[CPEdge]:
        return [self.edges[edge]["object"] for edge, event in self.edge_to_event_map.items() if event == ev_idx]

    def _get_cuda_event_record_df(self) -> Optional[pd.DataFrame]:
        """cudaEventRecord calls that somebody waits for, with the launch before each (`index_previous_launch`, -1: none)."""
        assert self.t_full is not None
        found = self.t_full._engine_job().event_records(self.t_full.place_of(self.rank))
        if not len(found["call"]):
            return None
        full = self._unique_events()
        frame = full.loc[found["call"], ["index", "pid", "tid", "ts", "name", "correlation"]].reset_index(drop=True)
        frame["stream"] = found["stream"]
        frame["index_previous_launch"] = found["launch"]
        frame["correlation_launch_event"] = full["correlation"].reindex(found["launch"]).to_numpy()
        return frame

    def _get_cuda_stream_wait_event_df(self) -> Optional[pd.DataFrame]:
        """cudaStreamWaitEvent calls, with the launch that each holds up (`index_next_launch`, -1: none)."""
        assert self.t_full is not None
        if "cudaStreamWaitEvent" not in self.symbol_table.sym_index or "Stream Wait Event" not in self.symbol_table.sym_index:
            return None
        found = self.t_full._engine_job().stream_waits(self.t_full.place_of(self.rank))
        full = self._unique_events()
        frame = full.loc[found["call"], ["index", "name", "ts", "pid", "tid", "correlation", "index_correlation"]].reset_index(drop=True)
        frame["stream"] = full["stream"].loc[found["wait"]].to_numpy()
        frame["index_next_launch"] = found["launch"]
        return frame.sort_values("ts", kind="stable").set_index("index")

    def _unique_events(self) -> pd.DataFrame:
        # The step filter may repeat a device row: one per launch call of its correlation.
        full = self.full_trace_df
        return full[~full.index.duplicated()]

    def _lift_negative_weights(self) -> None:
        """Weights of -1 and less, which rounding leaves, count as 0 unless checks are strict."""
        if not is_strict():
            for _, _, data in self.edges(data=True):
                if data["object"].weight <= -1:
                    data["weight"] = 0

    def _validate_graph(self) -> bool:
        """Whether the longest path means anything."""
        self._lift_negative_weights()
        streams = dict(zip(self.trace_df["index"], self.trace_df["stream"]))
        valid = True
        for u, v in self.edges:
            edge = self.edges[u, v]["object"]
            if edge.weight < -1 and is_strict():
                logger.error("an edge has a negative weight: %s", edge)
                valid = False
            if edge.type == CPEdgeType.SYNC_DEPENDENCY:
                source, target = (streams.get(event, -1) for event in self.get_events_for_edge(edge))
                if source != -1 and source == target:
                    logger.error("a synchronisation joins two nodes of the same stream: %s", edge)
                    valid = False
        if valid and self._longest_path() is None:
            logger.error("the graph has a cycle")
            return False
        return valid

    def _longest_path(self) -> Optional[List[int]]:
        edges = [(u, v, data["weight"]) for u, v, data in self.edges(data=True)]
        columns = [list(column) for column in zip(*edges)] or [[], [], []]
        return _engine.hta_longest_path(len(self.node_list), columns[0], columns[1], columns[2], list(self.nodes))

    def critical_path(self) -> bool:
        """Finds the longest path of the graph as it stands; False if the graph is not fit for it."""
        if not self._validate_graph():
            return False
        nodes = self._longest_path()
        assert nodes is not None and len(nodes) >= 2, "the critical path has fewer than two nodes"
        self._set_path(nodes)
        return True

    def _set_path(self, nodes: List[int]) -> None:
        self.critical_path_nodes = nodes
        self.critical_path_events_set = {self.node_list[node].ev_idx for node in nodes}
        self.critical_path_edges_set = set(self._path_edges())

    def _path_edges(self) -> List[CPEdge]:
        return [self.edges[u, v]["object"] for u, v in zip(self.critical_path_nodes, self.critical_path_nodes[1:])]

    def bound_by(self, row: Mapping[str, Any]) -> str:
        """What bounds an edge of the path: a value of BoundType, "" for dependencies. A row of the breakdown."""
        kind = CPEdgeType(row["type"])
        if kind == CPEdgeType.KERNEL_KERNEL_DELAY:
            return BoundType.GPU_KERNEL_KERNEL_OVERHEAD.value
        if kind == CPEdgeType.KERNEL_LAUNCH_DELAY:
            return BoundType.GPU_KERNEL_LAUNCH_OVERHEAD.value
        if kind in _WEIGHTLESS:
            return ""
        name = str(row["s_name"])
        if row["stream"] < 0:
            loads = any(re.search(pattern, name) for pattern in self.data_load_events or ())
            return (BoundType.DATA_LOADING if loads else BoundType.CPU_BOUND).value
        communicates = _engine.hta_kernel_type(name) == "COMMUNICATION"
        return (BoundType.GPU_COMMUNICATION_BOUND if communicates else BoundType.GPU_COMPUTE_BOUND).value

    def get_critical_path_breakdown(self) -> Optional[pd.DataFrame]:
        """One row per edge of the path, front to back: event, duration, type of edge, name, category, lane, and what bounds it."""
        if not self.critical_path_nodes:
            return None
        decode_symbol_id_to_symbol_name(self.trace_df, self.symbol_table, use_shorten_name=True)
        path = self._path_edges()
        edges = pd.DataFrame({
            "event_idx": pd.Series([self.get_event_attribution_for_edge(edge) for edge in path], dtype="float64"),
            "duration": pd.Series([edge.weight for edge in path], dtype="int64" if self.trace_df["dur"].dtype.kind == "i" else "float64"),
            "type": [edge.type.value for edge in path],
        })
        of_events = self.trace_df[["s_name", "cat", "pid", "tid", "stream", "index"]]
        rows = pd.merge(edges, of_events[~of_events["index"].duplicated()], left_on="event_idx", right_on="index", how="left")
        rows["bound_by"] = [self.bound_by(row) for row in rows.to_dict("records")]
        return rows

    def summary(self) -> "pd.Series[float]":
        """Percent of the path by what bounds it. Prints a heading, as HTA does: a notebook shows both."""
        rows = self.get_critical_path_breakdown()
        assert rows is not None, "there is no critical path"
        share: "pd.Series[float]" = rows.groupby("bound_by")["duration"].sum() / rows["duration"].sum() * 100
        print("Critical Path broken down by boundedness = (in % of duration)")
        return share

    def show_critical_path(self) -> None:
        """Writes the nodes of the path to the log."""
        for number in self.critical_path_nodes:
            node = self.node_list[number]
            logger.info("Critical %s, ev_id = %d ev_name = %s", node, node.ev_idx, self._get_node_name(node.ev_idx))

    def save(self, out_dir: str) -> str:
        """Writes graph and path to the file `out_dir`.zip, for `restore_cpgraph`, and returns its path."""
        from .saved_graph import save

        return save(self, out_dir)
