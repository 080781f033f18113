#include "job/pairs/pairs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "trace/names/rank_numbers.h"

namespace orrery::job {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// "ddp4.rank0.et.json.gz" and "ddp4.rank0.kineto.json.gz" -> "ddp4.rank0"
std::string common_stem(const std::string& path) {
  std::string name = file_name(path);
  for (const std::string_view ending : {".gz", ".zst", ".json", ".trace", ".pt", ".et", ".host", ".kineto", ".device",
                                        "_et", "_host", "_kineto", "_device"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

}  // namespace

Result<std::vector<TracePair>> pair_traces(const std::vector<std::string>& hosts,
                                           const std::vector<std::string>& devices) {
  std::vector<TracePair> pairs;
  pairs.reserve(devices.size());
  for (const std::string& device : devices) pairs.push_back({"", device});
  if (hosts.size() == 1 && devices.size() == 1) {
    pairs.front().host = hosts.front();
    return pairs;
  }
  std::vector<std::string> left;
  for (const std::string& host : hosts) {
    const auto same = [&](const TracePair& pair) {
      return pair.host.empty() && common_stem(pair.device) == common_stem(host);
    };
    const auto found = std::find_if(pairs.begin(), pairs.end(), same);
    if (found == pairs.end()) left.push_back(host);
    else found->host = host;
  }
  for (const std::string& host : left) {
    const std::optional<std::int64_t> rank = trace::rank_in_name(host);
    const auto same = [&](const TracePair& pair) {
      return rank && pair.host.empty() && trace::rank_in_name(pair.device) == rank;
    };
    const auto found = std::find_if(pairs.begin(), pairs.end(), same);
    if (found == pairs.end()) {
      return Error{"no profiler trace belongs to this host trace", host, Error::kNoOffset,
                   "call both the same (x.et.json and x.kineto.json), or put the same rank in their names"};
    }
    found->host = host;
  }
  return pairs;
}

}  // namespace orrery::job
