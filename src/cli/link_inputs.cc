#include "cli/link_inputs.h"

#include "job/inputs.h"
#include "job/registry.h"
#include "job/source.h"

namespace orrery::cli {
namespace {

using formats::Content;
using job::TracePair;

// A folder may hold both kinds; a file that was named alone is what the flag says.
Result<std::vector<std::string>> expand(const std::vector<std::string>& given, Content content) {
  if (given.empty()) return std::vector<std::string>{};
  Result<std::vector<std::string>> files = job::expand_inputs(given);
  if (!files || files->size() < 2) return files;
  std::vector<std::string> kept;
  for (const std::string& file : *files) {
    const Result<const formats::Format*> format = job::detect(file);
    if (format && (*format)->content == content) kept.push_back(file);
  }
  // If none looks like it, the reader says what is wrong with them, which is more than "there are none".
  return kept.empty() ? *files : kept;
}

std::vector<std::string> all_of(const Invocation& invocation, std::string_view ours, std::string_view chakras) {
  std::vector<std::string> values = invocation.texts(ours);
  for (const std::string& value : invocation.texts(chakras)) values.push_back(value);
  return values;
}

}  // namespace

Result<std::vector<TracePair>> find_pairs(Invocation& invocation) {
  Result<std::vector<std::string>> hosts = expand(all_of(invocation, "host", "chakra-host-trace"), Content::host_trace);
  if (!hosts) return hosts.error();
  Result<std::vector<std::string>> devices = expand(all_of(invocation, "device", "chakra-device-trace"), Content::trace);
  if (!devices) return devices.error();
  if (!invocation.operands().empty()) {
    const Result<job::Source> source = job::find_source(invocation.operands(), {}, invocation.diagnostics());
    if (!source) return source.error();
    const bool is_host = source->format->content == Content::host_trace;
    (is_host ? *hosts : *devices).insert((is_host ? *hosts : *devices).end(), source->files.begin(), source->files.end());
    for (const TracePair& pair : source->pairs) {
      if (!pair.host.empty()) hosts->push_back(pair.host);
    }
  }
  if (devices->empty())
    return Error{"no profiler trace given", {}, Error::kNoOffset, "name it with --device, or give a folder that holds both traces"};
  Result<std::vector<TracePair>> pairs = job::pair_traces(*hosts, *devices);
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
