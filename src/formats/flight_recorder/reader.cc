#include "formats/flight_recorder/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/io/file_content.h"
#include "base/parallel.h"
#include "formats/flight_recorder/call_ends.h"
#include "formats/flight_recorder/diagnostics.h"
#include "formats/flight_recorder/dump.h"
#include "formats/flight_recorder/rank_builder.h"
#include "trace/job_files.h"

namespace orrery::flight_recorder {
namespace {

constexpr std::string_view kForm = "form";

bool is_pickle(const trace::RankTrace& rank) {
  const auto& properties = rank.source.properties;
  return std::find(properties.begin(), properties.end(), std::pair<std::string, std::string>(kForm, "\"pickle\"")) !=
         properties.end();
}

/// Ranks by the names of their files; if none says anything, by their places.
Result<std::vector<std::int64_t>> number_dumps(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<std::int64_t> numbers;
  std::optional<std::size_t> silent, telling;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::optional<std::int64_t> told = trace::rank_before_ending(paths[i]);
    (told ? telling : silent) = i;
    numbers.push_back(told.value_or(static_cast<std::int64_t>(i)));
  }
  if (silent && telling)
    return Error{"the name of this dump does not say which rank it is, but " + paths[*telling] + " does",
                 paths[*silent], Error::kNoOffset, "put its rank into its name (nccl_trace_rank_3), or leave it out"};
  if (silent) diagnostics.add_many(kRankUnknown, paths.size(), paths.front());
  return numbers;
}

/// Of several dumps of one rank one; in order of rank.
std::vector<std::size_t> choose_dumps(const std::vector<std::string>& paths, const std::vector<std::int64_t>& numbers,
                                      const std::vector<trace::ReadRank>& ranks, Diagnostics& diagnostics) {
  std::map<std::int64_t, std::size_t> chosen;
  const auto is_better = [&](std::size_t a, std::size_t b) {
    const std::size_t of_a = ranks[a].rank.event_count(), of_b = ranks[b].rank.event_count();
    if (of_a != of_b) return of_a > of_b;
    // A dump without a record still says that its rank was there; an empty file does not.
    const bool has_a = !ranks[a].rank.source.properties.empty(), has_b = !ranks[b].rank.source.properties.empty();
    return has_a != has_b ? has_a : is_pickle(ranks[a].rank) && !is_pickle(ranks[b].rank);
  };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto [at, is_new] = chosen.try_emplace(numbers[i], i);
    if (is_new) continue;
    const std::size_t other = is_better(i, at->second) ? std::exchange(at->second, i) : i;
    diagnostics.add(trace::kPassedOver, [&] { return paths[other]; });
  }
  std::vector<std::size_t> order;
  order.reserve(chosen.size());
  for (const auto& [rank, place] : chosen) order.push_back(place);
  return order;
}

}  // namespace

Result<trace::ReadRank> read_rank(const std::string& path, const ReadOptions& options) {
  trace::ReadRank read;
  read.rank.source.path = path;
  read.rank.source.format = "flight_recorder";
  std::error_code none;
  if (std::filesystem::file_size(path, none) == 0 && !none) {
    read.diagnostics.add(kEmptyDump, [&] { return path; });
    return read;
  }
  const Result<FileContent> content = FileContent::open(path, options.on_progress);
  if (!content) return content.error();
  // A job has as many dumps of one size as it has ranks.
  thread_local PlainValues room;
  Result<Dump> dump = Dump::read(content->bytes(), path, std::move(room));
  if (!dump) return dump.error();
  build_rank(*dump, path, read);
  room = dump->take_room();
  read.rank.source.properties.emplace_back(kForm, dump->is_pickle() ? "\"pickle\"" : "\"JSON\"");
  read.rank.source.file_bytes = content->file_bytes();
  read.rank.source.text_bytes = content->bytes().size();
  if (options.on_progress && !content->is_compressed()) options.on_progress(content->file_bytes());
  return read;
}

Result<trace::Trace> join_ranks(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                Diagnostics& diagnostics) {
  const Result<std::vector<std::int64_t>> numbers = number_dumps(paths, diagnostics);
  if (!numbers) return numbers.error();
  const std::vector<std::size_t> order = choose_dumps(paths, *numbers, ranks, diagnostics);
  std::vector<trace::ReadRank*> chosen;
  for (const std::size_t place : order) {
    trace::ReadRank& read = ranks[place];
    read.rank.rank = (*numbers)[place];
    read.rank.source.rank = read.rank.rank;
    diagnostics.merge(read.diagnostics);
    for (trace::Lane& lane : read.rank.lanes) lane.process.number = read.rank.rank;
    chosen.push_back(&read);
  }
  const std::int64_t world = complete_groups(chosen);
  estimate_ends(chosen, diagnostics);
  trace::Trace job;
  std::int64_t dumps = 0;
  for (trace::ReadRank* const read : chosen) {
    dumps += read->rank.source.properties.empty() ? 0 : 1;
    const std::string path = read->rank.source.path;
    if (!trace::add_rank(job, std::move(read->rank), read->strings))
      return Error{"its calls are more than 26 days away from those of the other dumps", path, Error::kNoOffset,
                   "do the files belong to one job?"};
  }
  if (world > dumps)
    diagnostics.add_many(kDumpMissing, static_cast<std::uint64_t>(world - dumps),
                         fmt::format("{} of {} are here", dumps, world));
  return job;
}

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  std::vector<trace::ReadRank> ranks(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) {
    Result<trace::ReadRank> read = read_rank(paths[i], options);
    if (read) ranks[i] = std::move(*read);
    else errors[i] = read.error();
  });
  // In the order of the files, so that the same error is told however many threads there are.
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return join_ranks(paths, std::move(ranks), diagnostics);
}

}  // namespace orrery::flight_recorder
