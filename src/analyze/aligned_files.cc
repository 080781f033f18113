#include "analyze/aligned_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "base/output_file.h"
#include "formats/xspace/rewriter.h"

namespace orrery::analyze {
namespace {

namespace fs = std::filesystem;

TimePs middle(std::vector<TimePs>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

NodeCorrection describe(const trace::RankTrace& rank, const align::NodeAlignment& node) {
  NodeCorrection correction;
  std::vector<TimePs> shifts, bands;
  shifts.reserve(rank.event_count());
  bands.reserve(rank.event_count());
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const trace::Clock& clock = node.clock(rank.lanes[rank.lane[e]].clock);
    const TimePs start = rank.start[e];
    shifts.push_back(clock.map(start) - start);
    bands.push_back(clock.uncertainty(start));
    if (node.observations == 0 || rank.lanes[rank.lane[e]].clock != 0) continue;
    if (start < node.first_observed_ps) ++correction.before_first;
    if (start > node.last_observed_ps) ++correction.after_last;
  }
  correction.events = rank.event_count();
  if (shifts.empty()) return correction;
  const auto [least, most] = std::minmax_element(shifts.begin(), shifts.end());
  correction.least_ps = *least;
  correction.most_ps = *most;
  correction.most_uncertainty_ps = *std::max_element(bands.begin(), bands.end());
  correction.median_ps = middle(shifts);
  correction.median_uncertainty_ps = middle(bands);
  return correction;
}

/// Unix ns, rounded down, of the earliest thing any node shows after the alignment.
std::int64_t common_origin(const trace::Trace& trace, const align::Alignment& alignment) {
  TimePs earliest = std::numeric_limits<TimePs>::max();
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const trace::RankTrace& rank = trace.ranks[i];
    if (rank.source.base_time_ns) {
      const TimePs start = (*rank.source.base_time_ns + rank.era_ns - trace.epoch_unix_ns) * 1000;
      earliest = std::min(earliest, alignment.nodes[i].host.map(start));
    }
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e)
      earliest = std::min(earliest, alignment.nodes[i].clock(rank.lanes[rank.lane[e]].clock).map(rank.start[e]));
  }
  if (earliest == std::numeric_limits<TimePs>::max()) return trace.epoch_unix_ns;
  const TimePs whole_ns = earliest / 1000 - (earliest % 1000 < 0 ? 1 : 0);
  return trace.epoch_unix_ns + whole_ns;
}

std::string node_name(const std::string& file) {
  std::string name = fs::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".xplane.pb"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

std::string record_of(const align::Alignment& alignment) {
  std::string text = "aligned from ";
  for (std::size_t i = 0; i < alignment.sources.size(); ++i) text += (i > 0 ? ", " : "") + alignment.sources[i];
  return text;
}

/// Files of one folder need names of their own.
Status check_names(const trace::Trace& trace) {
  std::map<std::string, std::string> path_of_name;
  for (const trace::RankTrace& rank : trace.ranks) {
    const auto [found, is_new] = path_of_name.emplace(node_name(rank.source.path), rank.source.path);
    if (!is_new)
      return Error{"this would be written under the same name as " + found->second, rank.source.path, Error::kNoOffset,
                   "are both of one run? name them node0.xplane.pb, node1.xplane.pb, ..."};
  }
  return {};
}

double us(TimePs ps) { return static_cast<double>(ps) / 1e6; }

}  // namespace

void write_node_statistics(JsonWriter& json, const align::NodeAlignment& node, const NodeCorrection& correction) {
  json.field("node", node.rank).field("calibrated", node.calibrated).field("file", correction.file);
  json.field("events_corrected", correction.events).field("extrapolated_before", correction.before_first);
  json.field("extrapolated_after", correction.after_last);
  json.field("observations_used", node.observations - node.rejected).field("observations_rejected", node.rejected);
  json.field("device_snapshots", node.has_snapshots);
  json.key("steps").begin_array();
  for (const align::ClockStep& step : node.steps)
    json.begin_object().field("at_us", step.at_ns / 1e3).field("jump_us", step.jump_ns / 1e3).end_object();
  json.end_array();
  json.key("correction_us").begin_object();
  json.field("min", us(correction.least_ps)).field("median", us(correction.median_ps)).field("max", us(correction.most_ps)).end_object();
  json.key("uncertainty_us").begin_object();
  json.field("median", us(correction.median_uncertainty_ps)).field("max", us(correction.most_uncertainty_ps)).end_object();
  json.field("median_residual_us", us(node.median_residual_ps));
}

std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment) {
  std::vector<NodeCorrection> corrections;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) corrections.push_back(describe(trace.ranks[i], alignment.nodes[i]));
  return corrections;
}

Status write_aligned(const trace::Trace& trace, const align::Alignment& alignment, const std::string& folder,
                     std::vector<NodeCorrection>& corrections) {
  for (const trace::RankTrace& rank : trace.ranks) {
    if (rank.source.format != "xspace")
      return Error{"aligned files are written of XSpace profiles only", rank.source.path, Error::kNoOffset,
                   "--dry-run says how the clocks relate; --perfetto FILE with it writes a timeline"};
  }
  if (const Status distinct = check_names(trace); !distinct) return distinct;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{"this folder cannot be made: " + failed.message(), folder};
  const std::int64_t origin = common_origin(trace, alignment);
  std::string report;
  JsonWriter all(report);
  all.begin_object().field("origin_unix_ns", origin).key("nodes").begin_array();
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const trace::RankTrace& rank = trace.ranks[i];
    const align::NodeAlignment& node = alignment.nodes[i];
    std::string name = fs::path(rank.source.path).filename().string();
    const fs::path target = fs::path(folder) / name;
    if (fs::exists(target) && fs::equivalent(target, rank.source.path, failed))
      return Error{"the aligned file would replace its original", target.string(), Error::kNoOffset, "choose another folder with -o"};
    xspace::Retiming retiming;
    for (const trace::Lane& lane : rank.lanes) retiming.clock_of_lane.push_back(&node.clock(lane.clock));
    retiming.host_clock = &node.host;
    retiming.epoch_unix_ns = trace.epoch_unix_ns - rank.era_ns;
    retiming.origin_unix_ns = origin - rank.era_ns;
    retiming.era_ns = rank.era_ns;
    retiming.record = record_of(alignment);
    const Result<xspace::RewriteSummary> written = xspace::rewrite(rank.source.path, target.string(), retiming);
    if (!written) return written.error();
    corrections[i].file = target.string();
    std::string statistics;
    JsonWriter json(statistics);
    json.begin_object();
    write_node_statistics(json, node, corrections[i]);
    json.end_object();
    statistics += '\n';
    const std::string beside = (fs::path(folder) / (node_name(name) + ".alignment_stats.json")).string();
    if (const Status done = write_whole_file(beside, statistics); !done) return done;
    all.begin_object();
    write_node_statistics(all, node, corrections[i]);
    all.end_object();
  }
  all.end_array().end_object();
  report += '\n';
  return write_whole_file((fs::path(folder) / "alignment_report.json").string(), report);
}

}  // namespace orrery::analyze
