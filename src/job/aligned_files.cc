#include "job/aligned_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/output_file.h"
#include "base/output_set.h"
#include "base/parallel.h"
#include "formats/kineto/rewriter.h"
#include "formats/xspace/rewriter.h"
#include "job/aligned_names.h"

namespace orrery::job {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kNotMoved{"A731", Severity::warning, "event whose times are out of range or no numbers",
                                   "it has the same times in the aligned file"};

TimePs middle(std::vector<TimePs>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Extremes are of all events, medians of a sample: there may be more events than there is memory for another two columns.
NodeCorrection describe(const trace::RankTrace& rank, const align::NodeAlignment& node) {
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
  correction.median_ps = middle(shifts);
  correction.median_uncertainty_ps = middle(bands);
  return correction;
}

std::string record_of(const align::Alignment& alignment) {
  if (!alignment.calibrated) return "uncalibrated";
  std::string text = "aligned from ";
  for (std::size_t i = 0; i < alignment.sources.size(); ++i) text += (i > 0 ? ", " : "") + alignment.sources[i];
  return text;
}

/// What became of one rank's file.
struct Written {
  Status status;
  std::uint64_t unusable = 0;  ///< events left as they are
};

Written write_xspace(const trace::Trace& trace, const trace::RankTrace& rank, const align::NodeAlignment& node, std::int64_t origin,
                     const std::string& note, const std::string& target) {
  xspace::Retiming retiming;
  for (const trace::Lane& lane : rank.lanes) retiming.clock_of_lane.push_back(&node.clock(lane.clock));
  retiming.host_clock = &node.host;
  retiming.epoch_unix_ns = trace.epoch_unix_ns - rank.era_ns;
  retiming.origin_unix_ns = origin - rank.era_ns;
  retiming.era_ns = rank.era_ns;
  retiming.record = note;
  const Result<xspace::RewriteSummary> summary = xspace::rewrite(rank.source.path, target, retiming);
  return {summary ? Status() : Status(summary.error())};
}

// Each file goes on counting from its own base time: base + ts is what agrees between ranks.
Written write_kineto(const trace::Trace& trace, const trace::RankTrace& rank, const align::NodeAlignment& node, const std::string& note,
                     const std::string& target) {
  const kineto::Retiming retiming{
      .clock = &node.host, .epoch_unix_ns = trace.epoch_unix_ns, .base_unix_ns = rank.source.base_time_ns.value_or(0), .note = note};
  const Result<kineto::RewriteSummary> summary = kineto::rewrite(rank.source.path, target, retiming);
  if (!summary) return {summary.error()};
  return {{}, summary->unusable};
}

/// Each rank's file to the one named in its correction, side by side. The first that fails, in the order of ranks, is the Error.
Status write_traces(const trace::Trace& trace, const align::Alignment& alignment, std::int64_t origin,
                    const std::vector<NodeCorrection>& corrections, Diagnostics& diagnostics) {
  const std::string note = record_of(alignment);
  std::vector<Written> written(trace.ranks.size());
  parallel_for(trace.ranks.size(), [&](std::size_t i) {
    const trace::RankTrace& rank = trace.ranks[i];
    const align::NodeAlignment& node = alignment.nodes[i];
    if (rank.source.format == "xspace") written[i] = write_xspace(trace, rank, node, origin, note, corrections[i].file);
    else if (rank.source.format == "kineto") written[i] = write_kineto(trace, rank, node, note, corrections[i].file);
    else written[i].status = Error{"aligned files are written of XSpace and Kineto traces only", rank.source.path};
  });
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!written[i].status) return written[i].status;
    if (written[i].unusable > 0) diagnostics.add_many(kNotMoved, written[i].unusable, corrections[i].file);
  }
  return {};
}

/// NODE.alignment_stats.json beside each trace, and one report of all.
Status write_statistics(const align::Alignment& alignment, const std::string& folder, const std::vector<AlignedName>& names,
                        std::int64_t origin, const std::vector<NodeCorrection>& corrections) {
  std::string report;
  JsonWriter all(report);
  all.begin_object().field("origin_unix_ns", origin).key("nodes").begin_array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string statistics;
    JsonWriter json(statistics);
    for (JsonWriter* writer : {&json, &all}) {
      writer->begin_object();
      write_node_statistics(*writer, alignment.nodes[i], corrections[i]);
      writer->end_object();
    }
    statistics += '\n';
    if (const Status done = write_whole_file((fs::path(folder) / names[i].statistics).string(), statistics); !done) return done;
  }
  all.end_array().end_object();
  report += '\n';
  return write_whole_file((fs::path(folder) / kAlignmentReport).string(), report);
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
  json.key("logical_clock").begin_object().field("pushes", node.logical.jumps);
  json.field("largest_push_us", us(node.logical.largest_push_ps)).field("total_push_us", us(node.logical.total_push_ps));
  json.field("largest_shift_us", us(node.logical.largest_shift_ps)).end_object();
}

std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment) {
  std::vector<NodeCorrection> corrections;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) corrections.push_back(describe(trace.ranks[i], alignment.nodes[i]));
  return corrections;
}

std::int64_t common_origin(const trace::Trace& trace, const align::Alignment& alignment) {
  TimePs earliest = std::numeric_limits<TimePs>::max();
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const trace::RankTrace& rank = trace.ranks[i];
    if (rank.source.base_time_ns && rank.source.format == "xspace") {  // the recording began there; to Kineto it is just a number
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

Status write_aligned(const trace::Trace& trace, const align::Alignment& alignment, std::int64_t origin, const AlignedTarget& target,
                     std::vector<NodeCorrection>& corrections, Diagnostics& diagnostics) {
  const std::string& folder = target.folder;
  const Result<std::vector<AlignedName>> names = aligned_names(trace, target, diagnostics);
  if (!names) return names.error();
  OutputSet files;  // some nodes without the others are of no use
  for (const trace::RankTrace& rank : trace.ranks) files.protect(rank.source.path);
  if (Status made = OutputSet::make_folder(folder); !made) return made;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    corrections[i].file = (fs::path(folder) / (*names)[i].file).string();
    // Before the work, which may take long.
    if (Status allowed = OutputSet::check_target(corrections[i].file); !allowed) return allowed;
  }
  if (Status written = write_traces(trace, alignment, origin, corrections, diagnostics); !written) return written;
  if (Status written = write_statistics(alignment, folder, *names, origin, corrections); !written) return written;
  return files.publish();
}

}  // namespace orrery::job
