#include "ask/graphs/hta_path.h"

#include <fmt/format.h>

#include "base/percent.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using analyze::HtaBreakdownRow;
using analyze::HtaSummary;
using analyze::HtaTypeTotals;
using causal::hta::CriticalPath;
using causal::hta::EdgeType;
using causal::hta::kEdgeTypes;
using causal::hta::kNoRow;

// Whole microseconds as integers, as HTA has them; anything else as a decimal.
void write_hta_us(report::Facts& facts, TimePs ps) {
  if (ps % kPsPerUs == 0) facts.value(ps / kPsPerUs);
  else facts.value(to_us(ps));
}

void write_edge_counts(report::Facts& facts, const HtaTypeTotals& totals) {
  facts.begin_object();
  for (std::size_t t = 0; t < kEdgeTypes; ++t) facts.field(to_string(static_cast<EdgeType>(t)), totals.edges[t]);
  facts.end_object();
}

void write_breakdown_row(report::Facts& facts, const CriticalPath& path, const HtaBreakdownRow& row) {
  const causal::hta::Rows& rows = path.rows;
  const auto write_key = [&](trace::LaneKey key) {
    if (key.text != 0) facts.value(rows.trace->strings.text(key.text));
    else facts.value(key.number);
  };
  facts.begin_object();
  facts.key("event_idx");
  if (row.attributed == kNoRow) facts.null();
  else facts.value(rows.index[row.attributed]);
  facts.key("duration");
  write_hta_us(facts, row.duration);
  facts.field("type", std::string("critical_path_") + to_string(row.type));
  if (row.attributed != kNoRow) {
    facts.field("s_name", analyze::shorten_name(rows.name_text(row.attributed)));
    facts.field("cat", rows.category_text(row.attributed));
    facts.key("pid");
    write_key(rows.lane(row.attributed).process);
    facts.key("tid");
    write_key(rows.lane(row.attributed).thread);
    facts.field("stream", rows.stream[row.attributed]);
  }
  facts.field("bound_by", row.bound_by);
  facts.end_object();
}

// By hand, not from Sheets: programs that compare with HTA read HTA's own shape, objects whose keys are the types of
// edges and what bounds
// ("bound_by_us": {"cpu_bound": 12}), where a Sheet gives a list of rows.
void write_members(report::Facts& facts, const CriticalPath& path, const HtaSummary& summary, bool with_breakdown) {
  facts.field("success", path.success());
  if (path.failure) facts.field("failure", *path.failure);
  facts.field("nodes", path.graph_nodes).field("edges", path.edges.size());
  facts.key("edges_per_type");
  write_edge_counts(facts, summary.graph);
  facts.key("edge_weight_us_per_type").begin_object();
  for (std::size_t t = 0; t < kEdgeTypes; ++t) {
    facts.key(to_string(static_cast<EdgeType>(t)));
    write_hta_us(facts, summary.graph.weight[t]);
  }
  facts.end_object();
  facts.key("path").begin_object();
  facts.field("nodes", path.path_nodes.size())
      .field("edges", path.path_edges.size())
      .field("events", summary.path_events);
  facts.key("weight_us");
  write_hta_us(facts, summary.path_weight);
  facts.key("edges_per_type");
  write_edge_counts(facts, summary.path);
  facts.end_object();
  facts.key("bound_by_us").begin_object();
  for (const auto& [name, weight] : summary.bound_by) {
    facts.key(name);
    write_hta_us(facts, weight);
  }
  facts.end_object();
  facts.key("summary_pct").begin_object();
  for (const auto& [name, weight] : summary.bound_by) {
    facts.field(name, share_percent(weight, summary.path_weight));
  }
  facts.end_object();
  if (!with_breakdown) return;
  facts.key("breakdown").begin_array();
  for (const HtaBreakdownRow& row : summary.breakdown) write_breakdown_row(facts, path, row);
  facts.end_array();
}

}  // namespace

void tell_hta_path(report::Answer& answer, const CriticalPath& path, const HtaSummary& summary, bool with_breakdown) {
  if (answer.for_programs()) write_members(answer.facts(), path, summary, with_breakdown);
  if (path.success()) {
    answer.text(fmt::format("Critical path as HTA 0.6.1 computes it: {} over {}.\n\n",
                            format_duration(summary.path_weight), report::counted(summary.path_events, "event")));
  } else {
    answer.line(fmt::format("HTA finds no critical path: {}.", *path.failure));
  }
  const auto readers = path.success() ? report::Readers::people_and_tables : report::Readers::tables;
  answer.table(analyze::hta_bound_by_sheet(summary), {.readers = readers});
}

}  // namespace orrery::ask
