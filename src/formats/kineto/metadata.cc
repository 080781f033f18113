#include "formats/kineto/metadata.h"

#include <simdjson.h>

#include <algorithm>

#include "formats/kineto/limits.h"

// Members were kept as text while the events were read, since they may stand behind them. Those that mean something are
// taken out of the properties; distributedInfo stays as well, for those who ask for the rest of it.

namespace orrery::kineto {
namespace {

bool drop_ending(std::string_view& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

/// Takes the digits at the end and the mark before them off: "node7_4711" -> "node7".
bool drop_number(std::string_view& name, char mark) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos || at + 1 == name.size()) return false;
  const std::string_view digits = name.substr(at + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
  name = name.substr(0, at);
  return true;
}

}  // namespace

std::string_view host_in_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!drop_ending(name, ".gz")) drop_ending(name, ".zst");
  if (!drop_ending(name, ".pt.trace.json") || !drop_number(name, '.') || !drop_number(name, '_')) return {};
  return name;
}

namespace {

using simdjson::dom::element;

std::optional<std::int64_t> integer_at(element object, const char* key) {
  std::int64_t value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::string text_at(element object, const char* key) {
  std::string_view value;
  if (object[key].get(value) != simdjson::SUCCESS) return {};
  return std::string(value);
}

bool take_devices(element value, trace::SourceInfo& source) {
  simdjson::dom::array devices;
  if (value.get(devices) != simdjson::SUCCESS) return false;
  source.devices.clear();
  for (const element device : devices) {
    trace::Device& added = source.devices.emplace_back();
    added.id = integer_at(device, "id").value_or(static_cast<std::int64_t>(source.devices.size()) - 1);
    added.name = text_at(device, "name");
    std::uint64_t bytes = 0;
    if (device["totalGlobalMem"].get(bytes) == simdjson::SUCCESS) added.memory_bytes = bytes;
    added.multiprocessors = integer_at(device, "numSms").value_or(0);
  }
  return true;
}

/// [{"pg_name": "1", "ranks": [0, 1], "pg_size": 2, ...}, ...]
void take_groups(element info, trace::SourceInfo& source) {
  simdjson::dom::array groups;
  source.groups.clear();
  if (info["pg_config"].get(groups) != simdjson::SUCCESS) return;
  for (const element group : groups) {
    simdjson::dom::array ranks;
    trace::ProcessGroup listed{text_at(group, "pg_name"), {}};
    if (group["ranks"].get(ranks) != simdjson::SUCCESS) continue;
    for (const element member : ranks) {
      std::int64_t rank = 0;
      if (member.get(rank) == simdjson::SUCCESS && rank >= 0) listed.ranks.push_back(rank);
    }
    // A group of which some members cannot be read is worse than none: others would seem to be missing.
    if (listed.ranks.size() == ranks.size()) source.groups.push_back(std::move(listed));
  }
}

bool take(const std::string& key, element value, trace::SourceInfo& source) {
  if (key == "deviceProperties") return take_devices(value, source);
  if (key == "distributedInfo") {
    source.rank = integer_at(value, "rank");
    source.world_size = integer_at(value, "world_size");
    source.backend = text_at(value, "backend");
    take_groups(value, source);
    return false;  // stays as it is for those who want the rest of it
  }
  std::int64_t number = 0;
  if (key == "schemaVersion" && value.get(number) == simdjson::SUCCESS) return source.schema_version = number, true;
  if (key == "baseTimeNanoseconds" && value.get(number) == simdjson::SUCCESS && number >= -kMaxUnixNs &&
      number <= kMaxUnixNs)
    return source.base_time_ns = number, true;
  return false;
}

}  // namespace

bool has_meaning(std::string_view key) {
  return key == "deviceProperties" || key == "distributedInfo" || key == "schemaVersion" ||
         key == "baseTimeNanoseconds";
}

void interpret_properties(trace::SourceInfo& source) {
  simdjson::dom::parser parser;
  std::vector<std::pair<std::string, std::string>> rest;
  for (auto& [key, json] : source.properties) {
    element value;
    const bool understood = parser.parse(json).get(value) == simdjson::SUCCESS && take(key, value, source);
    if (!understood) rest.emplace_back(std::move(key), std::move(json));
  }
  source.properties = std::move(rest);
}

}  // namespace orrery::kineto
