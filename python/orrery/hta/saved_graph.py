"""Graphs of critical paths in files: a zip of plain tables and JSON, nothing that runs when it is read."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import astuple
from typing import List

import pandas as pd

from .._errors import Error
from .critical_path_graph import CPEdge, CPEdgeType, CPGraph, CPNode
from .trace import Trace

_GRAPH, _EVENTS = "cp_graph.json", "trace_data.csv"


def save(graph: CPGraph, out_dir: str) -> str:
    """Writes beside and renames: the file is there whole, or not at all."""
    path = f"{os.path.normpath(os.path.expanduser(out_dir))}.zip"
    os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
    columns = {
        "nodes": [astuple(node) for node in graph.node_list],
        "order": list(graph.nodes),
        "edges": [[u, v, data["object"].type.name, data["object"].weight, data["weight"]] for u, v, data in graph.edges(data=True)],
        "events": [[u, v, event] for (u, v), event in graph.edge_to_event_map.items()],
        "path": graph.critical_path_nodes,
        "data_load_events": graph.data_load_events,
    }
    with zipfile.ZipFile(path + ".part", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_GRAPH, json.dumps(columns, default=int))
        archive.writestr(_EVENTS, graph.trace_df.to_csv(index=True, index_label="_index_"))
    os.replace(path + ".part", path)
    return path


def restore_cpgraph(zip_filename: str, t_full: Trace, rank: int) -> CPGraph:
    """What `CPGraph.save` wrote, about the same trace. The path can be found again, also after changes."""
    try:
        with zipfile.ZipFile(zip_filename) as archive:
            columns = json.loads(archive.read(_GRAPH))
            events = pd.read_csv(io.BytesIO(archive.read(_EVENTS)), low_memory=False).set_index("_index_")
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        raise Error(f"{zip_filename}: this is no graph that CPGraph.save wrote ({problem})", "HTA's own files hold pickles, which are not read", zip_filename) from None
    events.index.name = None
    graph = CPGraph(None, t_full, rank, data_load_events=columns["data_load_events"])
    for node in columns["nodes"]:
        graph._add_node(CPNode(*node))
    for number in columns["order"]:
        graph.add_node(number)
    for begin, end, kind, weight, used in columns["edges"]:
        graph._add_edge(CPEdge(begin, end, CPEdgeType[kind], weight))
        graph.edges[begin, end]["weight"] = used
    graph.edge_to_event_map = {(u, v): event for u, v, event in columns["events"]}
    graph.trace_df = events
    path: List[int] = columns["path"]
    graph._set_path(path)
    return graph
