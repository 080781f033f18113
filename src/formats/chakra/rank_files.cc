#include "formats/chakra/rank_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>

#include "base/numbers.h"
#include "trace/names/rank_numbers.h"

namespace orrery::chakra {
namespace {

namespace fs = std::filesystem;

// In the order in which they are preferred.
constexpr std::array<std::string_view, 4> kRankEndings = {".et", ".et.gz", ".et.zst", ".json"};
constexpr std::size_t kListedRanges = 6;

std::vector<std::size_t> missing_ranks(std::span<const RankFile> files, std::size_t ranks) {
  std::vector<std::size_t> missing;
  auto file = files.begin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (file != files.end() && file->rank == rank) ++file;
    else missing.push_back(rank);
  }
  return missing;
}

Error incomplete(std::span<const std::size_t> missing, std::size_t ranks, const std::string& path) {
  return {fmt::format("of {} ranks {} missing: {}", ranks, missing.size() == 1 ? "this one is" : "these are",
                      list_ranks(missing)),
          path,
          Error::kNoOffset,
          "a job is the files of all its ranks; was one lost on the way, or is this what an earlier job left?",
          Error::Kind::unusable,
          Remedy::all_ranks};
}

}  // namespace

std::vector<RankFile> find_rank_files(const std::string& prefix) {
  const fs::path whole(prefix);
  const std::string stem = whole.filename().string() + ".";
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  std::map<std::size_t, std::size_t> ending_of_rank;
  std::error_code failed;
  for (fs::directory_iterator entries(folder, failed); !failed && entries != fs::directory_iterator();
       entries.increment(failed)) {
    const std::string name = entries->path().filename().string();
    if (!name.starts_with(stem)) continue;
    for (std::size_t e = 0; e < kRankEndings.size(); ++e) {
      if (!name.ends_with(kRankEndings[e]) || name.size() < stem.size() + kRankEndings[e].size()) continue;
      const std::string_view digits =
          std::string_view(name).substr(stem.size(), name.size() - stem.size() - kRankEndings[e].size());
      const std::optional<std::size_t> rank = parse_number<std::size_t>(digits);
      // "job.007.et" is not how ranks are written: asking for rank 7 would not find it again.
      if (!rank || digits != std::to_string(*rank)) continue;
      const auto [found, is_new] = ending_of_rank.emplace(*rank, e);
      // job.3.et and job.3.et.gz side by side: the first ending in the list is taken, as asking for one rank does.
      if (!is_new) found->second = std::min(found->second, e);
    }
  }
  std::vector<RankFile> files;
  files.reserve(ending_of_rank.size());
  for (const auto& [rank, ending] : ending_of_rank)
    files.push_back({rank, fmt::format("{}.{}{}", prefix, rank, kRankEndings[ending])});
  return files;
}

Result<std::vector<RankFile>> number_files(const std::vector<std::string>& paths) {
  std::vector<RankFile> files;
  const std::string* unnumbered = nullptr;
  for (const std::string& path : paths) {
    const auto name = trace::program_name(path);
    if (name) files.push_back({name->rank, path});
    else unnumbered = &path;
  }
  if (unnumbered != nullptr && !files.empty()) {
    return Error{fmt::format("this file has no rank in its name, but {} has", files.front().path), *unnumbered,
                 Error::kNoOffset, "call it NAME.RANK.et if it is a rank of this job, or leave it out"};
  }
  std::stable_sort(files.begin(), files.end(), [](const RankFile& a, const RankFile& b) { return a.rank < b.rank; });
  const auto same_rank = [](const RankFile& a, const RankFile& b) { return a.rank == b.rank; };
  // Two files of one rank are of two jobs, or none of the numbers is a rank: then the order of the names counts.
  if (!files.empty() && std::adjacent_find(files.begin(), files.end(), same_rank) == files.end()) return files;
  files.clear();
  for (std::size_t i = 0; i < paths.size(); ++i) files.push_back({i, paths[i]});
  return files;
}

Status check_complete(std::span<const RankFile> files, std::size_t ranks) {
  if (files.empty()) return {};
  // Nothing says how many there should be: gaps below the last can be seen all the same.
  if (ranks == 0) ranks = files.back().rank + 1;
  const std::vector<std::size_t> missing = missing_ranks(files, ranks);
  if (missing.empty()) return {};
  const auto name = trace::program_name(files.front().path);
  return incomplete(missing, ranks, name ? std::string(name->prefix) : files.front().path);
}

Status check_recorded_ranks(const workload::Workload& workload, const std::string& path) {
  const std::size_t read = workload.rank_count(), recorded = workload.recorded_ranks;
  // More files than the job says: a job may be replicated on purpose.
  if (recorded <= read) return {};
  std::vector<std::size_t> missing(recorded - read);
  std::iota(missing.begin(), missing.end(), read);
  return incomplete(missing, recorded, path);
}

std::string list_ranks(std::span<const std::size_t> ranks) {
  std::vector<std::string> ranges;
  std::size_t listed = 0;
  for (std::size_t i = 0; i < ranks.size() && ranges.size() < kListedRanges; i = listed) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i < 3) end = i + 1;  // "4 to 5" is no shorter than "4 and 5"
    ranges.push_back(end - i == 1 ? std::to_string(ranks[i]) : fmt::format("{} to {}", ranks[i], ranks[end - 1]));
    listed = end;
  }
  if (listed < ranks.size()) ranges.push_back(fmt::format("{} more", ranks.size() - listed));
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ") + ranges[i];
  return text;
}

}  // namespace orrery::chakra
