#include "job/write/aligned_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/parallel.h"
#include "formats/kineto/rewriter.h"
#include "formats/mpitrace/clock_map.h"
#include "formats/xspace/rewriter.h"
#include "job/alignment_sheets.h"
#include "job/read/registry.h"
#include "trace/names/rank_numbers.h"

// Names first, since two files must not fall together and none may be overwritten; then every trace is rewritten by its
// format's own means, side by side; then the statistics. Nothing is in place until all of it is written.

namespace orrery::job {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStatisticsEnding = ".alignment_stats.json";
constexpr DiagnosticKind kNamedByRank{"A732", Severity::note,
                                      "aligned file that has the number of its rank in its name",
                                      "several files, of different folders, have the same name"};

/// "host.xplane.pb.gz" -> "host".
std::string_view stem_of(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".xplane.pb", ".json", ".mpitrace"}) {
    // One after the other, so that only the ending of a name goes, in the order in which programs put it there.
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

/// XSpaces say in their names which node they are of: two of one node are of two runs, or one file named twice.
Status check_nodes(const trace::Trace& trace) {
  std::map<std::int64_t, std::string> path_of_node;
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::optional<std::int64_t> node =
        rank.source.format == "xspace" ? trace::node_in_name(rank.source.path) : std::nullopt;
    if (!node) continue;
    const auto [found, is_new] = path_of_node.emplace(*node, rank.source.path);
    if (!is_new)
      return Error{"by its name this is of the same node as " + found->second, rank.source.path, Error::kNoOffset,
                   "are both of one run? name them node0.xplane.pb, node1.xplane.pb, ..."};
  }
  return {};
}

}  // namespace

AlignedTarget aligned_target(const std::string& output, std::size_t traces) {
  const fs::path path(output);
  const std::string name = path.filename().string();
  std::error_code none;
  const std::string ending = name.substr(stem_of(name).size());
  const bool is_file = ending.find(".xplane.pb") != std::string::npos || ending.find(".json") != std::string::npos ||
                       ending.find(".mpitrace") != std::string::npos;
  // Several traces need a folder, and so does a name without an ending of a trace.
  if (traces != 1 || !is_file || fs::is_directory(path, none)) return {output, {}};
  return {path.has_parent_path() ? path.parent_path().string() : ".", name};
}

Result<std::vector<AlignedName>> aligned_names(const trace::Trace& trace, const AlignedTarget& target,
                                               Diagnostics& diagnostics) {
  if (!target.file.empty()) {
    const std::string stem(stem_of(target.file));
    return std::vector<AlignedName>{{target.file, stem + std::string(kStatisticsEnding)}};
  }
  if (const Status distinct = check_nodes(trace); !distinct) return distinct.error();
  std::map<std::string, int, std::less<>> uses;
  for (const trace::RankTrace& rank : trace.ranks)
    ++uses[std::string(stem_of(fs::path(rank.source.path).filename().string()))];
  std::vector<AlignedName> names;
  std::set<std::string> taken;
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::string name = fs::path(rank.source.path).filename().string();
    std::string stem(stem_of(name));
    const std::string ending = name.substr(stem.size());
    // Files of several folders may have one name.
    if (uses.find(stem)->second > 1) {
      stem += ".rank" + std::to_string(rank.rank);
      diagnostics.add(kNamedByRank, [&] { return stem + ending; });
    }
    AlignedName& added = names.emplace_back(AlignedName{stem, stem});
    added.file += ending;
    added.statistics += kStatisticsEnding;
    if (!taken.insert(stem).second)
      return Error{.message = "two aligned files would be called " + added.file,
                   .file = rank.source.path,
                   .hint = "give the files of different ranks different names"};
  }
  return names;
}

bool is_alignment_report(std::string_view name) {
  return name == kAlignmentReport || name.ends_with(kStatisticsEnding);
}

namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kNotMoved{"A731", Severity::warning, "event whose times are out of range or no numbers",
                                   "it has the same times in the aligned file"};

// docs/formats/ampip.md: a record has the time since the call before, and no clock was read that others could be held
// against.
constexpr std::string_view kNoMoments =
    "an A-mpiP trace has no moments that could be moved: it says how long after the call before each call ended";
constexpr std::string_view kNoMomentsHint =
    "simulate and motif fit take it as it is; to put ranks on one clock, record with liborrery_mpi";

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

Written write_xspace(const trace::Trace& trace, const trace::RankTrace& rank, const align::NodeAlignment& node,
                     std::int64_t origin, const std::string& note, const std::string& target) {
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
Written write_kineto(const trace::Trace& trace, const trace::RankTrace& rank, const align::NodeAlignment& node,
                     const std::string& note, const std::string& target) {
  const kineto::Retiming retiming{.clock = &node.host,
                                  .epoch_unix_ns = trace.epoch_unix_ns,
                                  .base_unix_ns = rank.source.base_time_ns.value_or(0),
                                  .note = note};
  const Result<kineto::RewriteSummary> summary = kineto::rewrite(rank.source.path, target, retiming);
  if (!summary) return {summary.error()};
  return {{}, summary->unusable};
}

// The recording stays as it is; how its times are to be read is added at the end.
Written write_mpitrace(const trace::Trace& trace, const trace::RankTrace& rank, const align::NodeAlignment& node,
                       const std::string& note, const std::string& target) {
  return {mpitrace::write_aligned(rank.source.path, target, {node.host, trace.epoch_unix_ns, note})};
}

/// Each rank's file to the one named in its correction, side by side. The first that fails, in the order of ranks, is
/// the Error.
Status write_traces(const trace::Trace& trace, const align::Alignment& alignment, std::int64_t origin,
                    const std::vector<NodeCorrection>& corrections, Diagnostics& diagnostics) {
  const std::string note = record_of(alignment);
  std::vector<Written> written(trace.ranks.size());
  parallel_for(trace.ranks.size(), [&](std::size_t i) {
    const trace::RankTrace& rank = trace.ranks[i];
    const align::NodeAlignment& node = alignment.nodes[i];
    if (rank.source.format == "xspace") written[i] = write_xspace(trace, rank, node, origin, note, corrections[i].file);
    else if (rank.source.format == "kineto") written[i] = write_kineto(trace, rank, node, note, corrections[i].file);
    else if (rank.source.format == "mpitrace")
      written[i] = write_mpitrace(trace, rank, node, note, corrections[i].file);
    else if (rank.source.format == "ampip")
      written[i].status =
          Error{std::string(kNoMoments), rank.source.path, Error::kNoOffset, std::string(kNoMomentsHint)};
    else
      written[i].status =
          Error{"aligned files are written of XSpace, Kineto and liborrery_mpi traces only", rank.source.path};
  });
  // In the order of ranks, so that the same failure is told whatever thread was first.
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!written[i].status) return written[i].status;
    if (written[i].unusable > 0) diagnostics.add_many(kNotMoved, written[i].unusable, corrections[i].file);
  }
  return {};
}

/// NODE.alignment_stats.json beside each trace, and one report of all.
Status write_statistics(const align::Alignment& alignment, const std::string& folder,
                        const std::vector<AlignedName>& names, std::int64_t origin,
                        const std::vector<NodeCorrection>& corrections) {
  std::string report;
  JsonWriter all(report);
  const report::Sheet nodes = aligned_nodes_sheet(alignment, corrections);
  all.begin_object().field("origin_unix_ns", origin).key("nodes").begin_array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string statistics;
    JsonWriter json(statistics);
    for (JsonWriter* writer : {&json, &all}) write_node(*writer, nodes, alignment, i);
    statistics += '\n';
    if (const Status done = write_whole_file((fs::path(folder) / names[i].statistics).string(), statistics); !done)
      return done;
  }
  all.end_array().end_object();
  report += '\n';
  return write_whole_file((fs::path(folder) / kAlignmentReport).string(), report);
}

Status undo_file(const std::string& file, std::string_view format, const std::string& target) {
  if (format == "xspace") return xspace::undo(file, target);
  if (format == "mpitrace") return mpitrace::undo(file, target);
  return kineto::undo(file, target);
}

}  // namespace

std::int64_t common_origin(const trace::Trace& trace, const align::Alignment& alignment) {
  TimePs earliest = std::numeric_limits<TimePs>::max();
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const trace::RankTrace& rank = trace.ranks[i];
    if (rank.source.base_time_ns &&
        rank.source.format == "xspace") {  // the recording began there; to Kineto it is just a number
      const TimePs start = (*rank.source.base_time_ns + rank.era_ns - trace.epoch_unix_ns) * 1000;
      earliest = std::min(earliest, alignment.nodes[i].host.map(start));
    }
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e)
      earliest = std::min(earliest, alignment.nodes[i].clock(rank.lanes[rank.lane[e]].clock).map(rank.start[e]));
  }
  if (earliest == std::numeric_limits<TimePs>::max()) return trace.epoch_unix_ns;
  // Rounded down, so that no event comes before the origin.
  const TimePs whole_ns = earliest / 1000 - (earliest % 1000 < 0 ? 1 : 0);
  return trace.epoch_unix_ns + whole_ns;
}

Status write_aligned(const trace::Trace& trace, const align::Alignment& alignment, std::int64_t origin,
                     const AlignedTarget& target, std::vector<NodeCorrection>& corrections, Diagnostics& diagnostics) {
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

Status undo_alignment(const std::vector<std::string>& files, const std::string& folder) {
  OutputSet restored;
  if (Status made = OutputSet::make_folder(folder); !made) return made;
  std::set<std::string> targets;
  for (const std::string& file : files) {
    const std::string target = (fs::path(folder) / fs::path(file).filename()).string();
    // Files of several folders may have one name; the second would silently replace the first.
    if (!targets.insert(target).second) return Error{"two files would be restored to this one", target};
    const Result<const formats::Format*> format = detect(file);
    if (!format) return format.error();
    if (Status undone = undo_file(file, (*format)->name, target); !undone) return undone;
  }
  return restored.publish();
}

}  // namespace orrery::job
