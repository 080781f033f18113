"""A directed graph with networkx's interface: networkx's own where it is installed, else the part of it that HTA's users need."""

from __future__ import annotations

from typing import Any, Dict, Iterator, KeysView, List, Tuple

Node = Any
Data = Dict[str, Any]


class _Edges:
    """`graph.edges`: pairs of nodes; `edges[u, v]` is the data of an edge, `edges(data=True)` has it behind every pair."""

    def __init__(self, graph: "PlainDiGraph") -> None:
        self._graph = graph

    def __iter__(self) -> Iterator[Tuple[Node, Node]]:
        return ((u, v) for u, reached in self._graph._successors.items() for v in reached)

    def __len__(self) -> int:
        return self._graph.number_of_edges()

    def __contains__(self, edge: Tuple[Node, Node]) -> bool:
        return edge[1] in self._graph._successors.get(edge[0], {})

    def __getitem__(self, edge: Tuple[Node, Node]) -> Data:
        return self._graph._successors[edge[0]][edge[1]]

    def __call__(self, data: bool = False) -> List[Tuple[Any, ...]]:
        return [(u, v, self[u, v]) for u, v in self] if data else list(self)


class PlainDiGraph:
    """Nodes and edges stay in the order in which they came; an edge that is added again has new data in its old place."""

    def __init__(self, incoming_graph_data: Any = None) -> None:
        self._successors: Dict[Node, Dict[Node, Data]] = {}
        self._predecessors: Dict[Node, Dict[Node, Data]] = {}
        if incoming_graph_data is not None:
            for node in incoming_graph_data.nodes:
                self.add_node(node)
            for u, v, data in incoming_graph_data.edges(data=True):
                self.add_edge(u, v, **data)

    def add_node(self, node: Node) -> None:
        self._successors.setdefault(node, {})
        self._predecessors.setdefault(node, {})

    def add_edge(self, u: Node, v: Node, **data: Any) -> None:
        self.add_node(u)
        self.add_node(v)
        kept = self._successors[u].setdefault(v, {})
        kept.update(data)
        self._predecessors[v][u] = kept

    def remove_edge(self, u: Node, v: Node) -> None:
        del self._successors[u][v], self._predecessors[v][u]

    @property
    def nodes(self) -> KeysView[Node]:
        return self._successors.keys()

    @property
    def edges(self) -> _Edges:
        return _Edges(self)

    def has_edge(self, u: Node, v: Node) -> bool:
        return (u, v) in self.edges

    def successors(self, node: Node) -> Iterator[Node]:
        return iter(self._successors[node])

    neighbors = successors

    def predecessors(self, node: Node) -> Iterator[Node]:
        return iter(self._predecessors[node])

    def in_degree(self, node: Node) -> int:
        return len(self._predecessors[node])

    def out_degree(self, node: Node) -> int:
        return len(self._successors[node])

    def number_of_nodes(self) -> int:
        return len(self._successors)

    def number_of_edges(self) -> int:
        return sum(map(len, self._successors.values()))

    def __len__(self) -> int:
        return len(self._successors)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._successors)

    def __contains__(self, node: Node) -> bool:
        return node in self._successors


try:
    from networkx import DiGraph as DiGraph  # type: ignore[import]
except ImportError:
    DiGraph = PlainDiGraph
