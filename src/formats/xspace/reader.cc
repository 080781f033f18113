#include "formats/xspace/reader.h"

#include <algorithm>
#include <set>

#include "base/json/json_writer.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "formats/xspace/diagnostics.h"
#include "formats/xspace/naming.h"
#include "formats/xspace/outline.h"
#include "formats/xspace/rank_builder.h"
#include "formats/xspace/schema.h"
#include "trace/names/rank_numbers.h"

// The outline of the file first (planes, lines and tables of names), from which the begin of the profile is known; then
// the events line by line into columns. Ranks of several files are read at once, each with its own texts, and joined
// afterwards.

namespace orrery::xspace {
namespace {

constexpr std::int64_t kNsPerDay = 86'400'000'000'000;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// Lines of files that were never put on the profile's start have Unix times of their own, which only fit TimePs if the
// epoch is near.
Result<std::int64_t> epoch_of_lines(const Contents& contents, const SpaceOutline& space) {
  for (const PlaneOutline& plane : space.planes) {
    for (const std::string_view line : plane.lines) {
      const Result<LineHeader> header = read_line_header(contents, line);
      if (!header) return header.error();
      if (header->event_count == 0) continue;
      // Times since a start are those of a recording, which does not last 20 days; larger ones are Unix times, and the
      // epoch is the whole second of the first.
      return header->timestamp_ns > 20 * kNsPerDay ? header->timestamp_ns / kNsPerSecond * kNsPerSecond : 0;
    }
  }
  return 0;
}

std::string quoted_list(const std::vector<std::string_view>& texts) {
  std::string json;
  JsonWriter writer(json);
  writer.begin_array();
  for (const std::string_view text : texts) writer.value(text);
  writer.end_array();
  return json;
}

void describe_device(const PlaneOutline& plane, trace::SourceInfo& source) {
  const std::optional<std::int64_t> number = device_number(plane.name);
  if (!number) return;
  trace::Device device;
  device.id = *number;
  for (const std::string_view message : plane.stats) {
    StatValue stat;
    if (!read_stat(message, stat)) continue;
    const std::string_view name = plane.stat_name(stat.metadata_id);
    if (name == "gpu_device_name" || name == "device_type_string") device.name = stat.text;
    if (name == "memory_size") device.memory_bytes = stat.number;
    if (name == "core_count") device.multiprocessors = static_cast<std::int64_t>(stat.number);
  }
  source.devices.push_back(std::move(device));
}

void check_names(const Contents& contents, const PlaneOutline& plane, Diagnostics& diagnostics) {
  for (const MetadataEntry& entry : plane.event_metadata) {
    if (!is_valid_utf8(entry.name))
      diagnostics.add(kInvalidUtf8, [&] {
        return contents.path() + ": byte " + std::to_string(contents.offset_of(entry.name.data()));
      });
  }
}

Status read_planes(const Contents& contents, const SpaceOutline& space, Interner& strings, Diagnostics& diagnostics,
                   RankBuilder& builder, const ReadOptions& options) {
  KnownNames known(strings);
  for (std::size_t p = 0; p < space.planes.size(); ++p) {
    const PlaneOutline& plane = space.planes[p];
    if (plane.lines.empty()) continue;
    PlaneNames names(plane, known);
    for (const std::string_view line : plane.lines) {
      if (const Status added = builder.add_line(plane, p, names, line); !added) return added;
      // A line that was read is not looked at again: its pages may go.
      contents.release(line);
      if (options.on_progress && !contents.is_compressed()) options.on_progress(line.size());
    }
    check_names(contents, plane, diagnostics);
  }
  return {};
}

/// The hosts that the file says it was recorded on, as one text; empty if it does not say.
std::string host_of(const trace::RankTrace& rank) {
  for (const auto& [key, json] : rank.source.properties) {
    if (key == "hostnames") return json;
  }
  return {};
}

/// Whether some event is a collective, or a kernel of a library of communication.
bool names_communication(const Interner& strings) {
  for (StringId text = 0; text < strings.size(); ++text) {
    const std::string_view name = strings.text(text);
    if (!collective_of(name).kind.empty() || is_communication_kernel(name)) return true;
  }
  return false;
}

struct Times {
  std::optional<std::int64_t> start_unix_ns;  ///< of the profile
  std::int64_t epoch_unix_ns = 0;
};

/// What comes of the events of a file: the rank, its texts, and what was noticed.
struct ReadEvents {
  Interner strings;
  Diagnostics remarks;
  trace::RankTrace rank;
};

Result<ReadEvents> read_events(const Contents& contents, const SpaceOutline& space, const Times& times,
                               const ReadOptions& options, HeaderWalk header_walk) {
  ReadEvents read;
  RankBuilder builder(contents, read.strings, read.remarks, times.start_unix_ns.value_or(0), times.epoch_unix_ns,
                      options.positions, header_walk);
  if (const Status added = read_planes(contents, space, read.strings, read.remarks, builder, options); !added)
    return added.error();
  read.rank = builder.finish();
  return read;
}

}  // namespace

Result<trace::RankTrace> read_rank(const std::string& path, Interner& strings, Diagnostics& diagnostics,
                                   const ReadOptions& options) {
  const Result<Contents> contents = Contents::open(path, options.on_progress);
  if (!contents) return contents.error();
  const Result<SpaceOutline> space = read_outline(*contents, options.salvage);
  if (!space) return space.error();
  Diagnostics remarks;
  if (space->damage) remarks.add(kSalvaged, [&] { return space->damage->to_string(); });
  for (const std::string_view complaint : space->complaints)
    remarks.add(kProfilerComplained, [&] { return path + ": " + repair_utf8(complaint); });

  Times times{profile_start_unix_ns(*space)};
  times.epoch_unix_ns = times.start_unix_ns.value_or(0);
  if (!times.start_unix_ns) {
    const Result<std::int64_t> epoch = epoch_of_lines(*contents, *space);
    if (!epoch) return epoch.error();
    times.epoch_unix_ns = *epoch;
    if (times.epoch_unix_ns == 0) remarks.add(kNoStartTime, [&] { return path; });
  }
  Result<ReadEvents> read = read_events(*contents, *space, times, options, HeaderWalk::with_events);
  // Lines in an order that no profiler writes, or damage: of that, the first in the walk over the lines is the one to
  // tell.
  if (!read) read = read_events(*contents, *space, times, options, HeaderWalk::before_events);
  if (!read) return read.error();
  trace::RankTrace& rank = read->rank;
  rank.source.path = path;
  rank.source.file_bytes = contents->file_bytes();
  rank.source.text_bytes = contents->bytes().size();
  rank.source.format = "xspace";
  rank.source.base_time_ns = times.start_unix_ns;
  for (const PlaneOutline& plane : space->planes) describe_device(plane, rank.source);
  if (!space->hostnames.empty()) rank.source.properties.emplace_back("hostnames", quoted_list(space->hostnames));
  rank.rank = trace::node_in_name(path).value_or(0);
  rank.source.communicates = names_communication(read->strings);
  remarks.merge(read->remarks);
  diagnostics.merge(remarks);
  strings = std::move(read->strings);
  return std::move(rank);
}

namespace {

/// Moves a rank whose times do not fit the job's epoch there: as another was moved before, so that clocks of one era
/// stay as far apart as they are, or else so that the profiles begin together.
bool add_far_rank(trace::Trace& job, trace::RankTrace&& rank, const Interner& strings) {
  std::vector<std::int64_t> eras;
  for (const trace::RankTrace& other : job.ranks) {
    if (other.era_ns != 0) eras.push_back(other.era_ns);
  }
  const std::int64_t file_epoch_unix_ns = rank.epoch_unix_ns;
  eras.push_back(job.epoch_unix_ns - file_epoch_unix_ns);
  return std::any_of(eras.begin(), eras.end(), [&](std::int64_t era_ns) {
    rank.era_ns = era_ns;
    rank.epoch_unix_ns = file_epoch_unix_ns + era_ns;
    return trace::add_rank(job, std::move(rank), strings);
  });
}

}  // namespace

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  std::vector<trace::ReadRank> ranks(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) {
    Result<trace::RankTrace> rank = read_rank(paths[i], ranks[i].strings, ranks[i].diagnostics, options);
    if (rank) ranks[i].rank = std::move(*rank);
    else errors[i] = rank.error();
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return join_ranks(paths, std::move(ranks), diagnostics, options);
}

Result<trace::Trace> join_ranks(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                Diagnostics& diagnostics, const ReadOptions& options) {
  std::vector<trace::ToldRank> told;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    told.push_back({trace::node_in_name(paths[i]), host_of(ranks[i].rank)});
  std::set<std::optional<std::int64_t>> numbers;
  for (const trace::ToldRank& rank : told) numbers.insert(rank.rank);
  // Names that number some nodes only, or several alike, number none.
  if (numbers.contains(std::nullopt) || (numbers.size() > 1 && numbers.size() < told.size())) {
    for (trace::ToldRank& rank : told) rank.rank.reset();
  }
  const Result<trace::Numbering> numbering = trace::number_ranks(paths, told, ranks);
  if (!numbering) return numbering.error();
  trace::Trace job;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    trace::ReadRank& read = ranks[i];
    trace::RankTrace& rank = read.rank;
    const bool is_run = rank.source.is_run;
    if (*numbering == trace::Numbering::place)
      read.diagnostics.add(kRankGuessed, [&] { return paths[i] + ": taken as node " + std::to_string(i); });
    diagnostics.merge(read.diagnostics);
    // A rank that does not fit is left whole.
    // NOLINTBEGIN(bugprone-use-after-move)
    bool fits = is_run ? trace::add_run(job, std::move(rank), read.strings)
                       : trace::add_rank(job, std::move(rank), read.strings);
    if (!fits && options.far_clocks) fits = add_far_rank(job, std::move(rank), read.strings);
    // NOLINTEND(bugprone-use-after-move)
    if (!fits) {
      return Error{"its events are more than 26 days away from those of the other files", paths[i], Error::kNoOffset,
                   "do the files belong to one job?"};
    }
    read.strings = Interner();
  }
  return job;
}

}  // namespace orrery::xspace
