#include "cli/workloads/link_inputs.h"

#include "job/pairs/pair_finder.h"

namespace orrery::cli {
namespace {

std::vector<std::string> all_of(const Invocation& invocation, std::string_view ours, std::string_view chakras) {
  std::vector<std::string> values = invocation.texts(ours);
  for (const std::string& value : invocation.texts(chakras)) values.push_back(value);
  return values;
}

}  // namespace

Result<std::vector<job::TracePair>> find_pairs(Invocation& invocation) {
  Result<std::vector<job::TracePair>> pairs =
      job::find_pairs({.hosts = all_of(invocation, "host", "chakra-host-trace"),
                       .devices = all_of(invocation, "device", "chakra-device-trace"),
                       .either = invocation.operands()},
                      invocation.diagnostics());
  if (!pairs) return pairs;
  if (pairs->empty())
    return Error{"no profiler trace given",
                 {},
                 Error::kNoOffset,
                 "name it with --device, or give a folder that holds both traces"};
  for (const job::TracePair& pair : *pairs) {
    for (const std::string& file : {pair.host, pair.device}) {
      if (file.empty()) continue;
      if (const Status added = invocation.add_input(file); !added) return added.error();
    }
  }
  return pairs;
}

}  // namespace orrery::cli
