// HTA's critical path: its graph as columns, and the longest path of a graph that somebody changed.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>

#include "causal/hta/critical_path.h"
#include "causal/hta/edges.h"
#include "causal/hta/event_waits.h"
#include "causal/hta/name_set.h"
#include "python/failures.h"
#include "python/hta.h"
#include "python/texts.h"
#include "python/view.h"
#include "python/working.h"

namespace orrery::python {
namespace {

namespace py = pybind11;
using causal::hta::CriticalGraph;
using causal::hta::Edge;
using causal::hta::kNoRow;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

template <typename T, typename Values, typename ValueOf>
py::array column_of(const Values& values, ValueOf&& value_of) {
  auto array = fresh<T>(values.size());
  T* out = array.mutable_data();
  for (const auto& value : values) *out++ = value_of(value);
  return array;
}

std::int64_t index_or_none(const Rows& rows, RowIndex row) {
  return row == kNoRow ? -1 : static_cast<std::int64_t>(rows.index[row]);
}

// Nodes by number, edges in the order in which networkx has them, the path; rows as HTA's indices, -1 for none.
py::dict describe_graph(const RankRows& rank, const CriticalGraph& path) {
  const Rows& rows = rank.rows;
  const causal::hta::Nodes& nodes = path.window.nodes;
  const causal::hta::NameSet is_blocking(rows.trace->strings, causal::hta::kBlockingCalls);
  py::dict graph;
  graph["node_event"] = column_of<std::int64_t>(nodes.row, [&](RowIndex row) { return rows.index[row]; });
  graph["node_ts"] = column_of<std::int64_t>(nodes.time, [&](TimePs time) { return job_us(rank, time); });
  graph["node_is_start"] = column_of<bool>(nodes.is_start, [](std::uint8_t is_start) { return is_start != 0; });
  graph["node_is_blocking"] = column_of<bool>(nodes.row, [&](RowIndex row) { return is_blocking(rows.name(row)); });
  graph["edge_begin"] = column_of<std::int64_t>(path.edges, [](const Edge& edge) { return edge.from; });
  graph["edge_end"] = column_of<std::int64_t>(path.edges, [](const Edge& edge) { return edge.to; });
  graph["edge_weight"] = column_of<double>(path.edges, [](const Edge& edge) { return to_us(edge.weight); });
  graph["edge_type"] =
      column_of<std::uint8_t>(path.edges, [](const Edge& edge) { return static_cast<std::uint8_t>(edge.type); });
  graph["edge_event"] =
      column_of<std::int64_t>(path.edges, [&](const Edge& edge) { return index_or_none(rows, edge.attributed); });
  graph["rows"] = column_of<std::int64_t>(path.window.rows, [&](RowIndex row) { return rows.index[row]; });
  graph["path_nodes"] = column_of<std::int64_t>(path.path_nodes, [](causal::hta::NodeNumber node) { return node; });
  graph["failure"] = path.failure ? py::object(to_python(*path.failure)) : py::object(py::none());
  return graph;
}

py::dict critical_path(const HtaJobHandle& handle, std::size_t place, const std::string& annotation, std::size_t first,
                       std::size_t last, const std::vector<std::string>& data_load_events,
                       bool zero_weight_launch_edges, bool strict) {
  const RankRows& rank = handle.rank(place);
  causal::hta::Options options;
  options.window = {annotation, first, last, data_load_events};
  options.zero_weight_launch_edges = zero_weight_launch_edges;
  options.strict = strict;
  std::optional<Result<CriticalGraph>> path;
  work([&] { path = causal::hta::find_critical_path(rank.rows, options); });
  if (!*path) raise(path->error());
  return describe_graph(rank, **path);
}

// cudaEventRecord calls that somebody waits for: HTA's index of the call, the stream, and the launch before.
py::dict event_records(const HtaJobHandle& handle, std::size_t place) {
  const Rows& rows = handle.rank(place).rows;
  const auto records = causal::hta::find_event_records(rows, causal::hta::Launches(rows));
  using Record = causal::hta::EventRecord;
  py::dict columns;
  columns["call"] = column_of<std::int64_t>(records, [&](const Record& record) { return rows.index[record.call]; });
  columns["stream"] = column_of<std::int64_t>(records, [](const Record& record) { return record.stream; });
  columns["launch"] =
      column_of<std::int64_t>(records, [&](const Record& record) { return index_or_none(rows, record.launch_before); });
  return columns;
}

py::dict stream_waits(const HtaJobHandle& handle, std::size_t place) {
  const Rows& rows = handle.rank(place).rows;
  const auto waits = causal::hta::find_stream_waits(rows, causal::hta::Launches(rows));
  using Wait = causal::hta::StreamWait;
  py::dict columns;
  columns["call"] = column_of<std::int64_t>(waits, [&](const Wait& wait) { return rows.index[wait.call]; });
  columns["wait"] = column_of<std::int64_t>(waits, [&](const Wait& wait) { return rows.index[wait.wait]; });
  columns["launch"] =
      column_of<std::int64_t>(waits, [&](const Wait& wait) { return index_or_none(rows, wait.launch_after); });
  return columns;
}

// The nodes of the longest path as networkx finds it; None if there is a cycle. Edges in order of insertion, weights in
// microseconds.
py::object longest_path(std::size_t node_count, const std::vector<std::uint32_t>& begin,
                        const std::vector<std::uint32_t>& end, const std::vector<double>& weight_us,
                        const std::vector<std::uint32_t>& node_order) {
  if (begin.size() != end.size() || begin.size() != weight_us.size())
    throw py::value_error("edges have a begin, an end and a weight");
  Column<Edge> edges;
  Column<TimePs> weights;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] >= node_count || end[i] >= node_count)
      throw py::value_error("an edge leads to a node that is not there");
    weights.push_back(static_cast<TimePs>(std::llround(weight_us[i] * static_cast<double>(kPsPerUs))));
    edges.push_back({begin[i], end[i], weights.back(), kNoRow, causal::hta::EdgeType::operator_});
  }
  for (const std::uint32_t node : node_order) {
    if (node >= node_count) throw py::value_error("there is no such node");
  }
  std::optional<causal::hta::NodesAndEdges> found;
  work([&] { found = causal::hta::networkx_longest_path(node_count, edges, weights, node_order); });
  if (!found) return py::none();
  return py::cast(found->nodes);
}

}  // namespace

void bind_hta_path(py::module_& module, py::class_<HtaJobHandle>& job) {
  job.def("critical_path", critical_path).def("event_records", event_records).def("stream_waits", stream_waits);
  module.def("hta_longest_path", longest_path);
}

}  // namespace orrery::python
