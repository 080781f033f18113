#include "formats/mpitrace/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/io/file_content.h"
#include "base/json/json_writer.h"
#include "base/parallel.h"
#include "formats/mpitrace/clock_map.h"
#include "formats/mpitrace/definitions.h"
#include "formats/mpitrace/diagnostics.h"
#include "formats/mpitrace/file_walk.h"
#include "formats/mpitrace/rank_builder.h"
#include "formats/mpitrace/request_table.h"
#include "match/mpi/mpi_communicators.h"
#include "report/counted.h"

// Two passes over each file: the first collects what calls refer to (texts, sites, communicators, requests, also those
// that are defined after their use) and finds the place of any damage; the second makes events of the calls before it.
// Maps of clocks that an alignment added are applied at the end, in the order of the file.

namespace orrery::mpitrace {
namespace {

/// What a first pass over a file finds: all that a call may refer to, also to what comes after it.
struct Outline {
  explicit Outline(std::int64_t world_size) : definitions(world_size) {}

  Definitions definitions;
  RequestTable requests;
  std::vector<ClockMap> maps;  // in the order in which they are to be applied
  bool is_finished = false;
  bool is_cut = false;
  std::uint64_t cut_at = 0;
  std::optional<Error> damage;
  std::uint64_t usable_end = 0;  // records from here on are not read: they come after damage
};

/// Calls of a file in turn, with the times that a block counts from.
class CallTimes {
 public:
  bool decode(const Record& record, std::int64_t world_size, std::size_t most_counts, CallRecord& call) {
    if (record.base_ns != base_ns_ || record.is_first_of_block)
      previous_ns_ = static_cast<std::int64_t>(record.base_ns);
    base_ns_ = record.base_ns;
    if (record.kind != tracer::RecordKind::call) return true;
    call.fields = 0;
    if (!decode_call(record.body, previous_ns_, world_size, most_counts, call)) return false;
    previous_ns_ = call.enter_ns;
    return true;
  }

 private:
  std::uint64_t base_ns_ = 0;
  std::int64_t previous_ns_ = 0;
};

void clear_lists(CallRecord& call) {
  call.send_counts.clear();
  call.receive_counts.clear();
  call.values.clear();
  call.started.clear();
  call.completed.clear();
}

/// False if the record makes no sense.
bool take_record(const Record& record, Outline& outline, CallTimes& times, std::int64_t world_size, CallRecord& call,
                 Diagnostics& diagnostics, const std::string& path) {
  clear_lists(call);
  if (!times.decode(record, world_size, outline.definitions.most_counts(), call)) return false;
  switch (record.kind) {
    case tracer::RecordKind::text:
    case tracer::RecordKind::site:
    case tracer::RecordKind::communicator:
    case tracer::RecordKind::window: return outline.definitions.add(record);
    case tracer::RecordKind::call: {
      const std::string_view name = outline.definitions.text(call.function);
      // A call has to be of a function that was named before it.
      if (name.empty()) return false;
      outline.requests.add(call, name.ends_with("_init"));
      return true;
    }
    case tracer::RecordKind::end: outline.is_finished = true; return true;
    case tracer::RecordKind::clock_map: {
      ClockMap map;
      if (!decode_clock_map(record.body, map)) return false;
      outline.maps.push_back(std::move(map));
      return true;
    }
  }
  diagnostics.add(kUnknownRecord, [&] { return fmt::format("{}: byte {}", path, record.offset); });
  return true;
}

Outline read_outline(std::string_view bytes, const FileHead& head, const std::string& path, Diagnostics& diagnostics) {
  Outline outline(head.world_size);
  FileWalk walk(bytes, head, path);
  CallTimes times;
  CallRecord call;
  outline.usable_end = bytes.size();
  for (Record record; walk.next(record);) {
    if (take_record(record, outline, times, head.world_size, call, diagnostics, path)) continue;
    walk.set_damage("a record makes no sense", record.offset);
    outline.usable_end = record.offset;
  }
  outline.is_cut = walk.is_cut();
  outline.cut_at = walk.cut_at();
  outline.damage = walk.damage();
  outline.requests.finish();
  return outline;
}

void add_calls(std::string_view bytes, const FileHead& head, const std::string& path, const Outline& outline,
               RankBuilder& builder) {
  FileWalk walk(bytes, head, path);
  CallTimes times;
  CallRecord call;
  std::uint32_t ordinal = 0;
  for (Record record; walk.next(record) && record.offset < outline.usable_end;) {
    clear_lists(call);
    times.decode(record, head.world_size, outline.definitions.most_counts(),
                 call);  // what the first pass took makes sense
    if (record.kind == tracer::RecordKind::call) builder.add(call, {ordinal++, record.offset});
  }
}

void describe(const FileHead& head, trace::RankTrace& rank) {
  rank.source.format = "mpitrace";
  rank.source.rank = head.rank;
  rank.source.world_size = head.world_size;
  // Ranks of one node share its clock; where each rank was asked to count as a node, or containers have clocks of their
  // own, they do not.
  rank.source.host = fmt::format("{}#{}", head.host, head.node);
  rank.source.base_time_ns = rank.epoch_unix_ns;
  rank.source.entries = rank.event_count();
  rank.source.backend = head.library;
  const auto add = [&](const std::string& key, const std::string& value) {
    std::string quoted;
    append_json_string(quoted, value);
    rank.source.properties.emplace_back(key, std::move(quoted));
  };
  add("host", head.host);
  add("program", head.program);
  rank.source.properties.emplace_back("callsite_depth", std::to_string(head.depth));
}

}  // namespace

Result<trace::RankTrace> parse_rank(std::string_view bytes, const std::string& path, Interner& strings,
                                    Diagnostics& diagnostics, const ReadOptions& options) {
  const Result<FileHead> head = read_file_head(bytes, path);
  if (!head) return head.error();
  const Outline outline = read_outline(bytes, *head, path, diagnostics);
  if (outline.damage && !options.salvage) return *outline.damage;
  if (outline.damage) diagnostics.add(kSalvaged, [&] { return outline.damage->to_string(); });
  if (outline.is_cut) diagnostics.add(kCut, [&] { return fmt::format("{}: byte {}", path, outline.cut_at); });
  if (!outline.is_finished) diagnostics.add(kNotFinished, [&] { return path; });
  RankBuilder builder(*head, path, outline.definitions, outline.requests, strings, diagnostics);
  add_calls(bytes, *head, path, outline, builder);
  trace::RankTrace rank = builder.finish();
  for (const ClockMap& map : outline.maps) {
    const std::uint64_t left = apply(map, rank);
    if (left > 0) diagnostics.add_many(kUnusableTime, left, path);
  }
  describe(*head, rank);
  rank.source.path = path;
  rank.source.text_bytes = bytes.size();
  return rank;
}

Result<trace::ReadRank> read_rank(const std::string& path, const ReadOptions& options) {
  const Result<FileContent> content = FileContent::open(path, options.on_progress);
  if (!content) return content.error();
  trace::ReadRank read;
  Result<trace::RankTrace> rank = parse_rank(content->bytes(), path, read.strings, read.diagnostics, options);
  if (!rank) return rank.error();
  read.rank = std::move(*rank);
  read.rank.source.file_bytes = content->file_bytes();
  if (options.on_progress && !content->is_compressed()) options.on_progress(content->file_bytes());
  return read;
}

namespace {

/// Files of one job, each of another rank.
Status check_ranks(const std::vector<trace::ReadRank>& readings) {
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const trace::SourceInfo &before = readings[i - 1].rank.source, &source = readings[i].rank.source;
    if (source.world_size != before.world_size)
      return Error{fmt::format("this is of a job of {}, and {} of one of {}",
                               report::counted(*source.world_size, "rank"), before.path, *before.world_size),
                   source.path, Error::kNoOffset, "give the files of one job"};
    if (source.rank == before.rank)
      return Error{fmt::format("this and {} are both of rank {}", before.path, *source.rank), source.path,
                   Error::kNoOffset, "leave one of them"};
  }
  return {};
}

/// Communicators by their members, as other MPI traces call them: "world", "0,2", and "world#2" for the second of the
/// same members. `world/3:4` and the like, on which the ranks agreed, is the same on all of them, so that one table
/// does for all.
void name_groups(std::int64_t world_size, trace::Trace& job) {
  std::map<std::string, std::string> names;
  std::map<std::string, int> times;
  for (trace::RankTrace& rank : job.ranks) {
    for (trace::ProcessGroup& group : rank.source.groups) {
      const auto [at, is_new] = names.try_emplace(group.name);
      if (is_new) {
        at->second = match::name_of_members(group.ranks, world_size);
        const int time = ++times[at->second];
        if (time > 1) at->second += fmt::format("#{}", time);
      }
      group.name = at->second;
    }
    std::map<StringId, StringId> renamed;
    const auto rename = [&](trace::SparseColumn& column) {
      for (std::size_t i = 0; i < column.value.size(); ++i) {
        const auto old = static_cast<StringId>(column.value[i]);
        // Texts are few and values many: each text is looked up once.
        const auto [at, is_new] = renamed.try_emplace(old, old);
        if (is_new) {
          const auto name = names.find(std::string(job.strings.text(old)));
          if (name != names.end()) at->second = job.strings.intern(name->second);
        }
        column.value[i] = at->second;
      }
    };
    rename(rank.field(trace::Field::group_name_text));
    rename(rank.arguments.named(kCreatedArgument, trace::ValueType::text));
  }
}

}  // namespace

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  std::vector<std::optional<Result<trace::ReadRank>>> read(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) { read[i] = read_rank(paths[i], options); });
  std::vector<trace::ReadRank> ranks;
  for (std::optional<Result<trace::ReadRank>>& rank : read) {
    if (!*rank) return rank->error();
    ranks.push_back(std::move(**rank));
  }
  return join_ranks(std::move(ranks), diagnostics);
}

Result<trace::Trace> join_ranks(std::vector<trace::ReadRank> ranks, Diagnostics& diagnostics) {
  const std::size_t files = ranks.size();
  for (const trace::ReadRank& read : ranks) diagnostics.merge(read.diagnostics);
  // By rank, whatever order the files were given in.
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const trace::ReadRank& a, const trace::ReadRank& b) { return a.rank.rank < b.rank.rank; });
  if (const Status fits = check_ranks(ranks); !fits) return fits.error();
  trace::Trace job;
  std::int64_t world_size = 0;
  for (trace::ReadRank& read : ranks) {
    world_size = read.rank.source.world_size.value_or(0);
    if (!trace::add_rank(job, std::move(read.rank), read.strings))
      return Error{"its calls are more than 26 days away from those of the other files", read.rank.source.path,
                   Error::kNoOffset, "do the files belong to one job?"};
  }
  name_groups(world_size, job);
  const auto missing = static_cast<std::uint64_t>(world_size) - job.ranks.size();
  // Who names one file wants to see that rank, not the job.
  if (missing > 0 && files > 1) {
    std::size_t first = 0;
    while (first < job.ranks.size() && job.ranks[first].rank == static_cast<std::int64_t>(first)) ++first;
    diagnostics.add_many(kRanksMissing, missing, fmt::format("rank {} of {}", first, world_size));
  }
  return job;
}

}  // namespace orrery::mpitrace
