#include "formats/liballprof/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "base/io/file_content.h"
#include "base/parallel.h"
#include "formats/liballprof/diagnostics.h"
#include "match/mpi/mpi_files.h"
#include "report/counted.h"
#include "trace/names/rank_numbers.h"

// Ranks are read side by side, each with communicators as its own handle, size and place. Then members are found: ranks
// with one handle and size whose places fill the communicator belong together. Last, partners that calls name by place
// become ranks.

namespace orrery::liballprof {
namespace {

using match::MpiRankFile;
using trace::Field;

struct Reading {
  RankCalls calls;
  Diagnostics diagnostics;
  Status status;
};

Result<std::vector<MpiRankFile>> number_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<MpiRankFile> files;
  bool all_numbered = true;
  for (const std::string& path : paths) {
    const std::optional<std::int64_t> rank =
        trace::rank_at_end(std::filesystem::path(path).filename().string(), ".txt");
    all_numbered = all_numbered && rank;
    files.push_back({rank.value_or(0), path});
  }
  // Either all names are believed or none: else a guessed number might be that of another file.
  if (!all_numbered) {
    diagnostics.add_many(kRankGuessed, paths.size(), paths.front());
    for (std::size_t i = 0; i < files.size(); ++i) files[i].rank = static_cast<std::int64_t>(i);
  }
  if (Status sorted = match::sort_by_rank(files); !sorted) return sorted.error();
  return files;
}

Status read_rank(const MpiRankFile& file, const ReadOptions& options, Reading& out) {
  const Result<FileContent> content = FileContent::open(file.path, options.on_progress);
  if (!content) return content.error();
  trace::RankTrace& rank = out.calls.read.rank.trace;
  const Status parsed = parse_rank(content->bytes(), file.path, out.calls, out.diagnostics);
  if (!parsed) {
    if (!options.salvage || rank.event_count() == 0) return parsed;
    out.diagnostics.add(kSalvaged, [&] { return parsed.error().to_string(); });
  }
  if (rank.event_count() == 0) return Error{"there is no call in this trace", file.path, content->bytes().size()};
  match::set_source(file, *content, "liballprof", rank);
  std::int64_t epoch_ns = 0;
  // A clock that is no Unix time is one all the same; only what does not fit is left at 0.
  if (!__builtin_mul_overflow(out.calls.first_us, std::int64_t{1000}, &epoch_ns)) rank.epoch_unix_ns = epoch_ns;
  if (options.on_progress && !content->is_compressed()) options.on_progress(content->file_bytes());
  return {};
}

/// Who is in the communicator that ranks know by one handle, size and their own places.
class Members {
 public:
  Members(const std::vector<MpiRankFile>& files, const std::vector<Reading>& readings, std::int64_t world_size)
      : world_size_(world_size) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      for (const NamedCommunicator& named : readings[i].calls.communicators)
        users_[{named.handle, named.size}][files[i].rank] = named.rank;
    }
    std::vector<std::int64_t> everybody(static_cast<std::size_t>(world_size));
    std::iota(everybody.begin(), everybody.end(), 0);
    for (const auto& [key, users] : users_) lists_[key] = members(key.second, users, everybody);
  }

  /// Empty: not known.
  [[nodiscard]] std::vector<std::int64_t> find(const NamedCommunicator& named, std::int64_t rank) const {
    // A communicator of one needs nobody else's word.
    if (named.size == 1) return {rank};
    const std::vector<std::int64_t>& list = lists_.at({named.handle, named.size});
    const auto place = static_cast<std::size_t>(named.rank);
    // The list must have this rank where this rank says it is.
    return place < list.size() && list[place] == rank ? list : std::vector<std::int64_t>();
  }

 private:
  using Users = std::map<std::int64_t, std::int64_t>;  // from rank to its place
  [[nodiscard]] std::vector<std::int64_t> members(std::int64_t size, const Users& users,
                                                  const std::vector<std::int64_t>& everybody) const {
    const bool in_order =
        std::all_of(users.begin(), users.end(), [](const auto& user) { return user.first == user.second; });
    // As large as the job and in its order: the world, also where some ranks never named it.
    if (size == world_size_ && in_order) return everybody;
    if (static_cast<std::int64_t>(users.size()) != size) return {};
    std::vector<std::int64_t> list(users.size(), -1);
    for (const auto& [rank, place] : users) list[static_cast<std::size_t>(place)] = rank;
    // Rows of a grid may have one handle in all processes: then a place is taken twice, and another by nobody.
    return std::find(list.begin(), list.end(), -1) == list.end() ? list : std::vector<std::int64_t>();
  }

  std::int64_t world_size_;
  std::map<std::pair<std::uint64_t, std::int64_t>, Users> users_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::vector<std::int64_t>> lists_;
};

void set_partners(const Members& members, std::int64_t number, RankCalls& calls, Diagnostics& diagnostics) {
  trace::RankTrace& rank = calls.read.rank.trace;
  std::map<trace::EventIndex, std::vector<std::int64_t>> lists;
  for (const NamedCommunicator& named : calls.communicators) {
    std::vector<std::int64_t> list = members.find(named, number);
    if (list.empty()) {
      diagnostics.add(kUnknownMembers, [&] { return rank.source.path; });
      continue;
    }
    const match::MpiFunction* const function =
        match::find_mpi_function(calls.read.strings.text(rank.name[named.event]));
    calls.read.rank.communicators.add(named.event, named.handle, list,
                                      function != nullptr && function->role == match::MpiRole::collective);
    lists[named.event] = std::move(list);
  }
  for (const NamedPeer& peer : calls.peers) {
    const auto list = lists.find(peer.event);
    const bool is_in =
        list != lists.end() && peer.place >= 0 && static_cast<std::size_t>(peer.place) < list->second.size();
    // Wildcards and MPI_PROC_NULL are below zero and stay as they are.
    if (peer.place >= 0 && !is_in) continue;
    const std::int64_t number_of_peer = is_in ? list->second[static_cast<std::size_t>(peer.place)] : peer.place;
    rank.field(peer.is_destination ? Field::destination_rank : Field::source_rank).push(peer.event, number_of_peer);
  }
}

}  // namespace

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  const Result<std::vector<MpiRankFile>> files = number_files(paths, diagnostics);
  if (!files) return files.error();
  std::vector<Reading> readings(files->size());
  parallel_for(readings.size(),
               [&](std::size_t i) { readings[i].status = read_rank((*files)[i], options, readings[i]); });
  std::int64_t world_size = files->back().rank + 1;
  for (const Reading& reading : readings) {
    if (!reading.status) return reading.status.error();
    diagnostics.merge(reading.diagnostics);
    for (const NamedCommunicator& named : reading.calls.communicators) {
      // A size that nothing bears out is not written out as a list: a file may claim any number.
      if (named.size <= 1'000'000) world_size = std::max(world_size, named.size);
    }
  }
  const Members members(*files, readings, world_size);
  trace::Trace job;
  std::vector<match::CommunicatorUses> uses;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    set_partners(members, (*files)[i].rank, readings[i].calls, diagnostics);
    trace::RankTrace& rank = readings[i].calls.read.rank.trace;
    rank.source.world_size = world_size;
    uses.push_back(std::move(readings[i].calls.read.rank.communicators));
    if (!trace::add_rank(job, std::move(rank), readings[i].calls.read.strings))
      return Error{"its calls are more than 26 days away from those of the other files", (*files)[i].path,
                   Error::kNoOffset, "do the files belong to one job?"};
  }
  match::name_communicators(uses, world_size, job);
  if (const auto missing = static_cast<std::uint64_t>(world_size) - files->size(); missing > 0)
    diagnostics.add_many(kRanksMissing, missing,
                         fmt::format("{} of {} are here", files->size(), report::counted(world_size, "rank")));
  return job;
}

}  // namespace orrery::liballprof
