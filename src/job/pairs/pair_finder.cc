#include "job/pairs/pair_finder.h"

#include "job/read/inputs.h"
#include "job/read/registry.h"
#include "job/read/source.h"

namespace orrery::job {
namespace {

using formats::Content;

// A folder may hold both kinds; a file that was named alone is what it was named for.
Result<std::vector<std::string>> expand_kind(const std::vector<std::string>& named, Content content) {
  if (named.empty()) return std::vector<std::string>{};
  Result<std::vector<std::string>> files = expand_inputs(named);
  if (!files || files->size() < 2) return files;
  std::vector<std::string> kept;
  for (const std::string& file : *files) {
    const Result<const formats::Format*> format = detect(file);
    if (format && (*format)->content == content) kept.push_back(file);
  }
  // If none looks like it, the reader says what is wrong with them, which is more than "there are none".
  return kept.empty() ? *files : kept;
}

}  // namespace

Result<std::vector<TracePair>> find_pairs(const NamedTraces& named, Diagnostics& diagnostics) {
  Result<std::vector<std::string>> hosts = expand_kind(named.hosts, Content::host_trace);
  if (!hosts) return hosts.error();
  Result<std::vector<std::string>> devices = expand_kind(named.devices, Content::trace);
  if (!devices) return devices.error();
  if (!named.either.empty()) {
    const Result<Source> source = find_source(named.either, {}, diagnostics);
    if (!source) return source.error();
    std::vector<std::string>& of_kind = source->format->content == Content::host_trace ? *hosts : *devices;
    of_kind.insert(of_kind.end(), source->files.begin(), source->files.end());
    for (const TracePair& pair : source->pairs) {
      if (!pair.host.empty()) hosts->push_back(pair.host);
    }
  }
  if (devices->empty()) return std::vector<TracePair>{};
  return pair_traces(*hosts, *devices);
}

}  // namespace orrery::job
