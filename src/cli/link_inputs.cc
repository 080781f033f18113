#include "cli/link_inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/inputs.h"
#include "formats/kineto/reader.h"

namespace orrery::cli {
namespace {

using analyze::TracePair;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// "ddp4.rank0.et.json.gz" and "ddp4.rank0.kineto.json.gz" -> "ddp4.rank0"
std::string stem_of(const std::string& path) {
  std::string name = file_name(path);
  for (const std::string_view ending :
       {".gz", ".zst", ".json", ".trace", ".pt", ".et", ".host", ".kineto", ".device", "_et", "_host", "_kineto", "_device"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

Result<std::vector<std::string>> expand(const std::vector<std::string>& given) {
  if (given.empty()) return std::vector<std::string>{};
  return expand_inputs(given);
}

// A folder may hold both kinds; a file that was named is what the flag says.
std::vector<std::string> keep(const std::vector<std::string>& files, bool hosts) {
  if (files.size() < 2) return files;
  std::vector<std::string> kept;
  for (const std::string& file : files) {
    if (is_host_trace_name(file) == hosts) kept.push_back(file);
  }
  return kept.empty() ? files : kept;
}

std::vector<std::string> all_of(const Invocation& invocation, std::string_view ours, std::string_view chakras) {
  std::vector<std::string> values = invocation.texts(ours);
  for (const std::string& value : invocation.texts(chakras)) values.push_back(value);
  return values;
}

}  // namespace

bool is_host_trace_name(const std::string& path) {
  const std::string name = file_name(path);
  for (const std::string_view part : {".et.", ".host.", "_et.", "_host.", "execution_trace", "execution_graph"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

Result<std::vector<TracePair>> pair_traces(const std::vector<std::string>& hosts, const std::vector<std::string>& devices) {
  std::vector<TracePair> pairs;
  for (const std::string& device : devices) pairs.push_back({"", device});
  if (hosts.size() == 1 && devices.size() == 1) {
    pairs.front().host = hosts.front();
    return pairs;
  }
  std::vector<std::string> left;
  for (const std::string& host : hosts) {
    const auto same = [&](const TracePair& pair) { return pair.host.empty() && stem_of(pair.device) == stem_of(host); };
    const auto found = std::find_if(pairs.begin(), pairs.end(), same);
    if (found == pairs.end()) left.push_back(host);
    else found->host = host;
  }
  for (const std::string& host : left) {
    const std::optional<std::int64_t> rank = kineto::rank_from_name(host);
    const auto same = [&](const TracePair& pair) { return rank && pair.host.empty() && kineto::rank_from_name(pair.device) == rank; };
    const auto found = std::find_if(pairs.begin(), pairs.end(), same);
    if (found == pairs.end()) {
      return Error{"no profiler trace belongs to this host trace", host, Error::kNoOffset,
                   "call both the same (x.et.json and x.kineto.json), or put the same rank in their names"};
    }
    found->host = host;
  }
  return pairs;
}

Result<std::vector<TracePair>> find_pairs(Invocation& invocation) {
  Result<std::vector<std::string>> hosts = expand(all_of(invocation, "host", "chakra-host-trace"));
  if (!hosts) return hosts.error();
  Result<std::vector<std::string>> devices = expand(all_of(invocation, "device", "chakra-device-trace"));
  if (!devices) return devices.error();
  *hosts = keep(*hosts, true);
  *devices = keep(*devices, false);
  const Result<std::vector<std::string>> operands = expand(invocation.operands());
  if (!operands) return operands.error();
  for (const std::string& file : *operands) (is_host_trace_name(file) ? *hosts : *devices).push_back(file);
  if (devices->empty())
    return Error{"no profiler trace given", {}, Error::kNoOffset, "name it with --device, or give a folder that holds both traces"};
  Result<std::vector<TracePair>> pairs = pair_traces(*hosts, *devices);
  if (!pairs) return pairs;
  for (const TracePair& pair : *pairs) {
    for (const std::string& file : {pair.host, pair.device}) {
      if (file.empty()) continue;
      if (const Status added = invocation.add_input(file); !added) return added.error();
    }
  }
  return pairs;
}

}  // namespace orrery::cli
