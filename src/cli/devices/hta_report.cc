#include "cli/devices/hta_report.h"

#include <fmt/format.h>

#include "base/percent.h"
#include "report/counted.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::HtaBreakdownRow;
using analyze::HtaSummary;
using analyze::HtaTypeTotals;
using causal::hta::CriticalPath;
using causal::hta::EdgeType;
using causal::hta::kEdgeTypes;
using causal::hta::kNoRow;

// Whole microseconds as integers, as HTA has them; anything else as a decimal.
void write_hta_us(JsonWriter& json, TimePs ps) {
  if (ps % kPsPerUs == 0) json.value(ps / kPsPerUs);
  else json.value(to_us(ps));
}

void write_edge_counts(JsonWriter& json, const HtaTypeTotals& totals) {
  json.begin_object();
  for (std::size_t t = 0; t < kEdgeTypes; ++t) json.field(to_string(static_cast<EdgeType>(t)), totals.edges[t]);
  json.end_object();
}

void write_breakdown_row(JsonWriter& json, const CriticalPath& path, const HtaBreakdownRow& row) {
  const causal::hta::Rows& rows = path.rows;
  const auto write_key = [&](trace::LaneKey key) {
    if (key.text != 0) json.value(rows.trace->strings.text(key.text));
    else json.value(key.number);
  };
  json.begin_object();
  json.key("event_idx");
  if (row.attributed == kNoRow) json.null();
  else json.value(rows.index[row.attributed]);
  json.key("duration");
  write_hta_us(json, row.duration);
  json.field("type", std::string("critical_path_") + to_string(row.type));
  if (row.attributed != kNoRow) {
    json.field("s_name", analyze::shorten_name(rows.name_text(row.attributed)));
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

std::string hta_text(const Invocation& invocation, const CriticalPath& path, const HtaSummary& summary) {
  if (!path.success()) return fmt::format("HTA finds no critical path: {}.\n", *path.failure);
  return fmt::format("Critical path as HTA 0.6.1 computes it: {} over {}.\n\n", format_duration(summary.path_weight),
                     report::counted(summary.path_events, "event")) +
         to_text(analyze::hta_bound_by_sheet(summary), invocation.view());
}

// By hand, not from Sheets: programs that compare with HTA read HTA's own shape, objects whose keys are the types of
// edges and what bounds
// ("bound_by_us": {"cpu_bound": 12}), where a Sheet gives a list of rows.
void write_hta_json(JsonWriter& json, const CriticalPath& path, const HtaSummary& summary, bool with_breakdown) {
  json.field("success", path.success());
  if (path.failure) json.field("failure", *path.failure);
  json.field("nodes", path.graph_nodes).field("edges", path.edges.size());
  json.key("edges_per_type");
  write_edge_counts(json, summary.graph);
  json.key("edge_weight_us_per_type").begin_object();
  for (std::size_t t = 0; t < kEdgeTypes; ++t) {
    json.key(to_string(static_cast<EdgeType>(t)));
    write_hta_us(json, summary.graph.weight[t]);
  }
  json.end_object();
  json.key("path").begin_object();
  json.field("nodes", path.path_nodes.size())
      .field("edges", path.path_edges.size())
      .field("events", summary.path_events);
  json.key("weight_us");
  write_hta_us(json, summary.path_weight);
  json.key("edges_per_type");
  write_edge_counts(json, summary.path);
  json.end_object();
  json.key("bound_by_us").begin_object();
  for (const auto& [name, weight] : summary.bound_by) {
    json.key(name);
    write_hta_us(json, weight);
  }
  json.end_object();
  json.key("summary_pct").begin_object();
  for (const auto& [name, weight] : summary.bound_by) {
    json.field(name, share_percent(weight, summary.path_weight));
  }
  json.end_object();
  if (!with_breakdown) return;
  json.key("breakdown").begin_array();
  for (const HtaBreakdownRow& row : summary.breakdown) write_breakdown_row(json, path, row);
  json.end_array();
}

}  // namespace orrery::cli
