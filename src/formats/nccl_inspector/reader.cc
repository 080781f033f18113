#include "formats/nccl_inspector/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/io/file_content.h"
#include "base/json/json_writer.h"
#include "base/parallel.h"
#include "formats/nccl_inspector/diagnostics.h"
#include "formats/nccl_inspector/records.h"
#include "formats/nccl_inspector/timeline.h"

// All files first, since ranks, members of communicators and, without times, the moments at which collectives ended are
// known only from all of them together. Then a rank per process, with a lane per communicator.

namespace orrery::nccl_inspector {
namespace {

using trace::Field;

constexpr std::int64_t kUsPerSecond = 1'000'000;

/// As other recorders of NCCL spell them: allreduce, reducescatter, send.
std::string kind_of(std::string_view function) {
  std::string kind(function);
  for (char& c : kind) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return kind;
}

/// Ranks by the largest communicator of each process; none if two processes would be the same rank.
std::vector<std::int64_t> number_processes(const std::vector<const ProcessLog*>& processes, Diagnostics& diagnostics) {
  std::vector<std::int64_t> ranks;
  std::set<std::int64_t> seen;
  for (const ProcessLog* const process : processes) {
    const Communicator* largest = nullptr;
    for (const Communicator& communicator : process->communicators) {
      if (largest == nullptr || communicator.size > largest->size ||
          (communicator.size == largest->size && communicator.id < largest->id))
        largest = &communicator;
    }
    ranks.push_back(largest == nullptr ? 0 : largest->rank);
    seen.insert(ranks.back());
  }
  if (seen.size() == processes.size()) return ranks;
  diagnostics.add(kInspectorRankGuessed, [&] { return processes.front()->path; });
  for (std::size_t p = 0; p < processes.size(); ++p) ranks[p] = static_cast<std::int64_t>(p);
  return ranks;
}

/// By communicator: the rank of the job at each place, -1 where its log is missing.
using Members = std::map<std::string, std::vector<std::int64_t>>;

Members find_members(const std::vector<const ProcessLog*>& processes, const std::vector<std::int64_t>& ranks) {
  Members members;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    for (const Communicator& communicator : processes[p]->communicators) {
      std::vector<std::int64_t>& places = members[communicator.id];
      places.resize(std::max(places.size(), static_cast<std::size_t>(communicator.size)), -1);
      places[static_cast<std::size_t>(communicator.rank)] = ranks[p];
    }
  }
  return members;
}

/// Makes the rank of one process.
class RankMaker {
 public:
  RankMaker(const ProcessLog& process, std::int64_t rank, const Members& members, Interner& strings)
      : process_(process), members_(members), strings_(strings) {
    out_.rank = rank;
    out_.categories.push_back({strings.intern("coll_perf"), trace::Activity::kernel});
    out_.categories.push_back({strings.intern("p2p_perf"), trace::Activity::kernel});
    for (const Communicator& communicator : process.communicators) {
      const StringId text = strings.intern(communicator.name.empty() ? communicator.id : communicator.name);
      out_.lanes.push_back({{process.pid}, {0, strings.intern(communicator.id)}, strings.intern("NCCL"), text});
      const std::vector<std::int64_t>& places = members.at(communicator.id);
      if (std::find(places.begin(), places.end(), -1) == places.end())
        out_.source.groups.push_back({communicator.id, places});
    }
  }

  void add(const Operation& operation, const Timeline::Span& span, std::int64_t epoch_us, std::uint32_t ordinal) {
    const Communicator& communicator = process_.communicators[operation.communicator];
    const TimePs start = (span.begin_us - epoch_us) * kPsPerUs;
    trace::EventRow row{.start = start,
                        .duration = (span.end_us - span.begin_us) * kPsPerUs,
                        .name = strings_.intern(operation.function),
                        .lane = operation.communicator,
                        .category = static_cast<std::uint16_t>(operation.is_message ? 1 : 0)};
    const trace::EventIndex event = out_.append_event(row, {ordinal, operation.offset});
    const std::string kind = kind_of(operation.function);
    out_.field(Field::stream).push(event, operation.communicator);
    // One rank's part of an all-gather is what it puts in, of a reduce-scatter what it gets.
    const std::int64_t parts = kind == "reducescatter" ? communicator.size : 1;
    std::int64_t bytes = 0;
    if (!__builtin_mul_overflow(operation.bytes, parts, &bytes)) out_.field(Field::in_elements).push(event, bytes);
    out_.field(Field::dtype_text).push(event, strings_.intern("Byte"));
    out_.field(Field::group_size).push(event, communicator.size);
    out_.field(Field::collective_text).push(event, strings_.intern(kind));
    out_.field(Field::group_name_text).push(event, strings_.intern(communicator.id));
    if (operation.is_message) add_peer(event, operation, communicator, kind == "send");
    // Numbers of messages count what one process did: only those of collectives are the same on all.
    else out_.field(Field::collective_sequence).push(event, operation.number);
    const auto add_text = [&](const char* key, const std::string& text) {
      if (!text.empty()) out_.arguments.named(key, trace::ValueType::text).push(event, strings_.intern(text));
    };
    add_text("algorithm", operation.algorithm);
    add_text("protocol", operation.protocol);
  }

  trace::RankTrace take(std::size_t processes, bool is_relative, std::int64_t epoch_us) {
    trace::SourceInfo& source = out_.source;
    source.path = process_.path;
    source.file_bytes = process_.file_bytes;
    source.text_bytes = process_.text_bytes;
    source.format = "nccl_inspector";
    source.rank = out_.rank;
    source.world_size = std::max<std::int64_t>(static_cast<std::int64_t>(processes), largest());
    source.host = process_.host;
    source.backend = "nccl";
    source.communicates = true;
    source.entries = out_.event_count();
    out_.epoch_unix_ns = epoch_us * 1000;
    const auto add = [&](const char* key, const std::string& text) {
      std::string quoted;
      append_json_string(quoted, text);
      source.properties.emplace_back(key, std::move(quoted));
    };
    add("inspector_output_format_version", process_.version);
    add("hostname", process_.host);
    source.relative_times = is_relative;
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::int64_t largest() const {
    std::int64_t size = 0;
    for (const Communicator& communicator : process_.communicators) size = std::max(size, communicator.size);
    return size;
  }

  void add_peer(trace::EventIndex event, const Operation& operation, const Communicator& communicator, bool is_send) {
    const std::vector<std::int64_t>& places = members_.at(communicator.id);
    if (operation.peer < 0 || static_cast<std::size_t>(operation.peer) >= places.size()) return;
    const std::int64_t rank = places[static_cast<std::size_t>(operation.peer)];
    if (rank >= 0) out_.field(is_send ? Field::destination_rank : Field::source_rank).push(event, rank);
  }

  const ProcessLog& process_;
  const Members& members_;
  Interner& strings_;
  trace::RankTrace out_;
};

Result<ProcessLogs> read_files(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                               const ReadOptions& options) {
  struct Read {
    ProcessLogs logs;
    Diagnostics diagnostics;
    std::optional<Error> error;
  };
  std::vector<Read> reads(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) {
    const Result<FileContent> content = FileContent::open(paths[i], options.on_progress);
    if (!content) {
      reads[i].error = content.error();
      return;
    }
    const Status read = read_records(content->bytes(), paths[i], reads[i].logs, reads[i].diagnostics);
    if (!read) reads[i].error = read.error();
    for (auto& [key, log] : reads[i].logs)
      log.file_bytes = content->file_bytes(), log.text_bytes = content->bytes().size();
    if (options.on_progress && !content->is_compressed()) options.on_progress(content->file_bytes());
  });
  ProcessLogs all;
  for (Read& read : reads) {
    if (read.error) return *read.error;
    diagnostics.merge(read.diagnostics);
    for (auto& [key, log] : read.logs) {
      const auto [at, is_new] = all.try_emplace(key, std::move(log));
      if (is_new) continue;
      // Records of one process in several files: its communicators are found again by their ids.
      ProcessLog& known = at->second;
      std::vector<std::uint32_t> places;
      for (Communicator& communicator : log.communicators) {
        const auto found = std::find_if(known.communicators.begin(), known.communicators.end(),
                                        [&](const Communicator& other) { return other.id == communicator.id; });
        places.push_back(static_cast<std::uint32_t>(found - known.communicators.begin()));
        if (found == known.communicators.end()) known.communicators.push_back(std::move(communicator));
      }
      for (Operation& operation : log.operations) {
        operation.communicator = places[operation.communicator];
        known.operations.push_back(std::move(operation));
      }
    }
  }
  return all;
}

}  // namespace

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  const Result<ProcessLogs> logs = read_files(paths, diagnostics, options);
  if (!logs) return logs.error();
  std::vector<const ProcessLog*> processes;
  for (const auto& [key, log] : *logs) processes.push_back(&log);
  const std::vector<std::int64_t> ranks = number_processes(processes, diagnostics);
  const Members members = find_members(processes, ranks);
  const Timeline timeline = lay_out(processes);
  if (timeline.is_relative) diagnostics.add(kRelativeTimes, [&] { return processes.front()->path; });
  std::int64_t epoch_us = std::numeric_limits<std::int64_t>::max();
  for (const auto& spans : timeline.spans) {
    for (const Timeline::Span& span : spans) {
      if (span.is_known) epoch_us = std::min(epoch_us, span.begin_us);
    }
  }
  if (epoch_us == std::numeric_limits<std::int64_t>::max()) epoch_us = 0;
  epoch_us = epoch_us / kUsPerSecond * kUsPerSecond;
  trace::Trace job;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    Interner strings;
    RankMaker maker(*processes[p], ranks[p], members, strings);
    for (std::uint32_t o = 0; o < processes[p]->operations.size(); ++o) {
      const Timeline::Span& span = timeline.spans[p][o];
      const bool fits = trace::is_moment(Int128{span.end_us - epoch_us} * kPsPerUs);
      if (span.is_known && fits) maker.add(processes[p]->operations[o], span, epoch_us, o);
      else
        diagnostics.add(kUntimedRecord, [&] {
          return fmt::format("{}: byte {}", processes[p]->path, processes[p]->operations[o].offset);
        });
    }
    if (!trace::add_rank(job, maker.take(processes.size(), timeline.is_relative, epoch_us), strings))
      return Error{"its records are more than 26 days away from those of the other files", processes[p]->path,
                   Error::kNoOffset, "do the files belong to one job?"};
  }
  return job;
}

}  // namespace orrery::nccl_inspector
