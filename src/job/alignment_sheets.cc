#include "job/alignment_sheets.h"

#include <algorithm>

#include "base/statistics.h"
#include "report/sheet_json.h"

namespace orrery::job {
namespace {

/// Extremes are of all events, medians of a sample: there may be more events than there is memory for another two
/// columns.
NodeCorrection correction_of(const trace::RankTrace& rank, const align::NodeAlignment& node) {
  constexpr std::size_t kSample = 1u << 20;
  NodeCorrection correction;
  std::vector<TimePs> shifts, bands;
  const std::size_t stride = rank.event_count() / kSample + 1;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const trace::Clock& clock = node.clock(rank.lanes[rank.lane[e]].clock);
    const TimePs start = rank.start[e], shift = clock.map(start) - start, band = clock.uncertainty(start);
    if (e % stride == 0) {
      shifts.push_back(shift);
      bands.push_back(band);
    }
    correction.least_ps = e == 0 ? shift : std::min(correction.least_ps, shift);
    correction.most_ps = e == 0 ? shift : std::max(correction.most_ps, shift);
    correction.most_uncertainty_ps = std::max(correction.most_uncertainty_ps, band);
    if (node.observations == 0 || rank.lanes[rank.lane[e]].clock != 0) continue;
    if (start < node.first_observed_ps) ++correction.before_first;
    if (start > node.last_observed_ps) ++correction.after_last;
  }
  correction.events = rank.event_count();
  correction.median_ps = lower_median(shifts);
  correction.median_uncertainty_ps = lower_median(bands);
  return correction;
}

}  // namespace

std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment) {
  std::vector<NodeCorrection> corrections;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i)
    corrections.push_back(correction_of(trace.ranks[i], alignment.nodes[i]));
  return corrections;
}

namespace {

using report::Cell;
using report::Sheet;
using report::SheetColumn;
using report::Type;
using report::Unit;

/// In microseconds with all digits: the clocks of nodes are compared down to tens of nanoseconds, whatever they are
/// apart.
SheetColumn microseconds(const char* name, const char* title = "", bool is_change = false) {
  return {.name = name, .type = Type::time, .unit = Unit::us, .title = title, .is_change = is_change, .decimals = 3};
}

SheetColumn node_number() {
  return {.name = "node", .type = Type::integer, .title = "node", .decimals = report::kExact};
}

}  // namespace

Sheet aligned_nodes_sheet(const align::Alignment& alignment, const std::vector<NodeCorrection>& corrections) {
  Sheet sheet("nodes");
  sheet.add(node_number()).add({.name = "calibrated", .type = Type::flag}).add({.name = "file"});
  for (const char* name : {"events_corrected", "extrapolated_before", "extrapolated_after"})
    sheet.add({.name = name, .type = Type::integer});
  sheet.add(microseconds("median_correction", "median correction µs", true))
      .add(microseconds("least_correction", "least µs", true))
      .add(microseconds("largest_correction", "largest µs", true))
      .add(microseconds("median_uncertainty", "uncertainty µs"))
      .add(microseconds("largest_uncertainty"))
      .add(microseconds("median_residual"))
      .add({.name = "observations_used", .type = Type::integer, .title = "observations"})
      .add({.name = "observations_rejected", .type = Type::integer, .title = "rejected"})
      .add({.name = "device_snapshots", .type = Type::flag})
      .add({.name = "steps_in_words", .type = Type::integer, .title = "steps", .people_only = true})
      .add({.name = "pushes", .type = Type::integer})
      .add(microseconds("largest_push"))
      .add(microseconds("total_push"))
      .add(microseconds("largest_shift"));
  for (std::size_t i = 0; i < alignment.nodes.size(); ++i) {
    const align::NodeAlignment& node = alignment.nodes[i];
    const NodeCorrection& correction = corrections[i];
    sheet.add_row({node.rank,
                   node.calibrated,
                   correction.file.empty() ? Cell(nullptr) : Cell(correction.file),
                   correction.events,
                   correction.before_first,
                   correction.after_last,
                   correction.median_ps,
                   correction.least_ps,
                   correction.most_ps,
                   correction.median_uncertainty_ps,
                   correction.most_uncertainty_ps,
                   node.median_residual_ps,
                   node.observations - node.rejected,
                   node.rejected,
                   node.has_snapshots,
                   node.steps.size(),
                   node.logical.jumps,
                   node.logical.largest_push_ps,
                   node.logical.total_push_ps,
                   node.logical.largest_shift_ps},
                  node.calibrated ? report::Tone::plain : report::Tone::warning);
  }
  return sheet;
}

Sheet clock_steps_sheet(const align::Alignment& alignment, std::optional<std::size_t> only) {
  Sheet sheet("steps");
  sheet.add(node_number())
      .add({.name = "at", .type = Type::real, .unit = Unit::us, .title = "at µs"})
      .add({.name = "jump", .type = Type::real, .unit = Unit::us, .title = "jumps by µs", .is_change = true});
  for (std::size_t i = 0; i < alignment.nodes.size(); ++i) {
    if (only && *only != i) continue;
    for (const align::ClockStep& step : alignment.nodes[i].steps)
      sheet.add_row({alignment.nodes[i].rank, step.at_ns / 1e3, step.jump_ns / 1e3});
  }
  return sheet;
}

Sheet logical_clock_sheet(const align::Alignment& alignment) {
  Sheet sheet("logical_clock");
  sheet.add(node_number())
      .add({.name = "pushes", .type = Type::integer, .title = "pushes"})
      .add(microseconds("largest_push"))
      .add(microseconds("largest_shift", "largest shift µs"))
      .add(microseconds("total_push", "pushed in all µs"));
  for (const align::NodeAlignment& node : alignment.nodes) {
    sheet.add_row({node.rank, node.logical.jumps, node.logical.largest_push_ps, node.logical.largest_shift_ps,
                   node.logical.total_push_ps});
  }
  return sheet;
}

void write_node(JsonWriter& json, const Sheet& nodes, const align::Alignment& alignment, std::size_t node) {
  json.begin_object();
  report::write_members(json, nodes, node);
  report::write_sheet(json, clock_steps_sheet(alignment, node));
  json.end_object();
}

}  // namespace orrery::job
