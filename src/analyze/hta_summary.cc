#include "analyze/hta_summary.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace orrery::analyze {
namespace {

using link::hta::CriticalPath;
using link::hta::Edge;
using link::hta::EdgeType;
using link::hta::kEdgeTypes;
using link::hta::kNoRow;
using link::hta::RowIndex;

bool is_communication(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("hip") || name.starts_with("hccl") ||
         name.find("ncclKernel") != std::string_view::npos;
}

class BoundBy {
 public:
  static Result<BoundBy> create(const CriticalPath& path, const std::vector<std::string>& patterns) {
    BoundBy result(path);
    for (const std::string& pattern : patterns) {
      auto compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
      if (!compiled->ok()) return Error{"events that load data: \"" + pattern + "\" is not a regular expression: " + compiled->error()};
      result.data_load_.push_back(std::move(compiled));
    }
    return result;
  }

  [[nodiscard]] std::string_view of(const Edge& edge) const {
    switch (edge.type) {
      case EdgeType::kernel_kernel_delay: return "gpu_kernel_kernel_overhead";
      case EdgeType::kernel_launch_delay: return "gpu_kernel_launch_overhead";
      case EdgeType::dependency:
      case EdgeType::sync_dependency: return "";
      case EdgeType::operator_: break;
    }
    if (edge.attributed == kNoRow) return "";
    const std::string_view name = path_.rows.name_text(edge.attributed);
    if (path_.rows.stream[edge.attributed] >= 0) return is_communication(name) ? "gpu_communication_bound" : "gpu_compute_bound";
    const re2::StringPiece text(name.data(), name.size());
    const bool loads_data =
        std::any_of(data_load_.begin(), data_load_.end(), [&](const auto& pattern) { return RE2::PartialMatch(text, *pattern); });
    return loads_data ? "data_loading" : "cpu_bound";
  }

 private:
  explicit BoundBy(const CriticalPath& path) : path_(path) {}

  const CriticalPath& path_;
  std::vector<std::unique_ptr<RE2>> data_load_;
};

void count(HtaTypeTotals& totals, const Edge& edge) {
  ++totals.edges[static_cast<std::size_t>(edge.type)];
  totals.weight[static_cast<std::size_t>(edge.type)] += edge.weight;
}

// Whole microseconds as integers, as HTA has them; anything else as a decimal.
void write_us(JsonWriter& json, TimePs ps) {
  if (ps % kPsPerUs == 0) json.value(ps / kPsPerUs);
  else json.value(to_us(ps));
}

void write_counts(JsonWriter& json, const HtaTypeTotals& totals) {
  json.begin_object();
  for (std::size_t t = 0; t < kEdgeTypes; ++t) json.field(to_string(static_cast<EdgeType>(t)), totals.edges[t]);
  json.end_object();
}

void write_row(JsonWriter& json, const CriticalPath& path, const HtaBreakdownRow& row) {
  const link::hta::Rows& rows = path.rows;
  const auto write_key = [&](trace::LaneKey key) {
    if (key.text != 0) json.value(rows.trace->strings.text(key.text));
    else json.value(key.number);
  };
  json.begin_object();
  json.key("event_idx");
  if (row.attributed == kNoRow) json.null();
  else json.value(rows.index[row.attributed]);
  json.key("duration");
  write_us(json, row.duration);
  json.field("type", std::string("critical_path_") + to_string(row.type));
  if (row.attributed != kNoRow) {
    json.field("s_name", shorten_name(rows.name_text(row.attributed)));
    json.field("cat", rows.category_text(row.attributed));
    json.key("pid");
    write_key(rows.lane(row.attributed).process);
    json.key("tid");
    write_key(rows.lane(row.attributed).thread);
    json.field("stream", rows.stream[row.attributed]);
  }
  json.field("bound_by", row.bound_by);
  json.end_object();
}

}  // namespace

std::string shorten_name(std::string_view name) {
  std::string kept;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '-' && i + 1 < name.size() && name[i + 1] == '>') {
      ++i;
      continue;
    }
    if (c != '>' && c != ')') {
      kept += c;
      continue;
    }
    const std::size_t open = kept.rfind(c == '>' ? '<' : '(');
    kept.resize(open == std::string::npos ? 0 : open);
  }
  return kept.substr(kept.rfind(' ') + 1);
}

Result<HtaSummary> summarize(const CriticalPath& path, const std::vector<std::string>& data_load_patterns) {
  const auto bound_by = BoundBy::create(path, data_load_patterns);
  if (!bound_by) return bound_by.error();
  HtaSummary summary;
  for (const Edge& edge : path.edges) count(summary.graph, edge);
  summary.breakdown.reserve(path.path_edges.size());
  for (const std::uint32_t i : path.path_edges) {
    const Edge& edge = path.edges[i];
    count(summary.path, edge);
    summary.path_weight += edge.weight;
    const HtaBreakdownRow& row =
        summary.breakdown.emplace_back(HtaBreakdownRow{edge.attributed, edge.weight, edge.type, bound_by->of(edge)});
    summary.bound_by[row.bound_by] += row.duration;
  }
  std::vector<RowIndex> events;
  events.reserve(path.path_nodes.size());
  for (const link::hta::NodeNumber node : path.path_nodes) events.push_back(path.window.nodes.row[node]);
  std::sort(events.begin(), events.end());
  summary.path_events = static_cast<std::size_t>(std::unique(events.begin(), events.end()) - events.begin());
  return summary;
}

void write_json(JsonWriter& json, const CriticalPath& path, const HtaSummary& summary, bool with_breakdown) {
  json.field("success", path.success());
  if (path.failure) json.field("failure", *path.failure);
  json.field("nodes", path.graph_nodes).field("edges", path.edges.size());
  json.key("edges_per_type");
  write_counts(json, summary.graph);
  json.key("edge_weight_us_per_type").begin_object();
  for (std::size_t t = 0; t < kEdgeTypes; ++t) {
    json.key(to_string(static_cast<EdgeType>(t)));
    write_us(json, summary.graph.weight[t]);
  }
  json.end_object();
  json.key("path").begin_object();
  json.field("nodes", path.path_nodes.size()).field("edges", path.path_edges.size()).field("events", summary.path_events);
  json.key("weight_us");
  write_us(json, summary.path_weight);
  json.key("edges_per_type");
  write_counts(json, summary.path);
  json.end_object();
  json.key("bound_by_us").begin_object();
  for (const auto& [name, weight] : summary.bound_by) {
    json.key(name);
    write_us(json, weight);
  }
  json.end_object();
  json.key("summary_pct").begin_object();
  for (const auto& [name, weight] : summary.bound_by) {
    json.field(name, summary.path_weight == 0 ? 0.0 : 100.0 * static_cast<double>(weight) / static_cast<double>(summary.path_weight));
  }
  json.end_object();
  if (!with_breakdown) return;
  json.key("breakdown").begin_array();
  for (const HtaBreakdownRow& row : summary.breakdown) write_row(json, path, row);
  json.end_array();
}

Status dump_graph(const CriticalPath& path, const std::string& prefix) {
  const link::hta::Nodes& nodes = path.window.nodes;
  const auto us = [](TimePs ps) { return ps % kPsPerUs == 0 ? fmt::format("{}", ps / kPsPerUs) : fmt::format("{}", to_us(ps)); };
  auto node_file = OutputFile::create(prefix + ".nodes.csv.gz");
  if (!node_file) return node_file.error();
  auto edge_file = OutputFile::create(prefix + ".edges.csv.gz");
  if (!edge_file) return edge_file.error();

  constexpr std::string_view kBlocking[] = {
      "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize", "cudaMemcpy", "cudaMemcpyAsync"};
  std::string text = "node,ev_idx,ts,is_start,is_blocking\n";
  for (link::hta::NodeNumber n = 0; n < nodes.size(); ++n) {
    const bool blocking = std::find(std::begin(kBlocking), std::end(kBlocking), path.rows.name_text(nodes.row[n])) != std::end(kBlocking);
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", n, path.rows.index[nodes.row[n]], us(nodes.time[n]), nodes.is_start[n],
                   blocking ? 1 : 0);
  }
  node_file->write(text);

  Column<std::uint8_t> critical(path.edges.size(), 0);
  for (const std::uint32_t i : path.path_edges) critical[i] = 1;
  text = "u,v,type,weight_object,weight_graph,attributed_event,critical\n";
  for (std::size_t i = 0; i < path.edges.size(); ++i) {
    const Edge& edge = path.edges[i];
    fmt::format_to(std::back_inserter(text), "{},{},critical_path_{},{},{},{},{}\n", edge.from, edge.to, to_string(edge.type),
                   us(edge.weight), us(path.path_weight[i]),
                   edge.attributed == kNoRow ? std::string() : std::to_string(path.rows.index[edge.attributed]), critical[i]);
  }
  edge_file->write(text);
  if (const Status done = node_file->commit(); !done) return done;
  return edge_file->commit();
}

}  // namespace orrery::analyze
