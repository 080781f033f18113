#include "job/read/probes_beside.h"

#include <filesystem>
#include <set>
#include <string_view>

namespace orrery::job {

std::optional<std::string> probes_beside(const trace::Trace& job) {
  std::set<std::string> prefixes;
  for (const trace::RankTrace& rank : job.ranks) {
    if (rank.source.format != "mpitrace") return std::nullopt;
    const std::string ending = "." + std::to_string(rank.rank) + ".mpitrace";
    const std::size_t at = rank.source.path.rfind(ending);  // ".gz" may follow
    if (at == std::string::npos) return std::nullopt;
    prefixes.insert(rank.source.path.substr(0, at));
  }
  if (prefixes.size() != 1) return std::nullopt;
  std::string path = *prefixes.begin() + ".probes.jsonl";
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) ? std::optional(std::move(path)) : std::nullopt;
}

}  // namespace orrery::job
