#include "formats/kineto/metadata.h"

#include <simdjson.h>

namespace orrery::kineto {
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

bool take(const std::string& key, element value, trace::SourceInfo& source) {
  if (key == "deviceProperties") return take_devices(value, source);
  if (key == "distributedInfo") {
    source.rank = integer_at(value, "rank");
    source.world_size = integer_at(value, "world_size");
    source.backend = text_at(value, "backend");
    return false;  // keeps the process groups, which later analyses read
  }
  std::int64_t number = 0;
  if (key == "schemaVersion" && value.get(number) == simdjson::SUCCESS) return source.schema_version = number, true;
  if (key == "baseTimeNanoseconds" && value.get(number) == simdjson::SUCCESS && number >= -kMaxUnixNs && number <= kMaxUnixNs)
    return source.base_time_ns = number, true;
  return false;
}

}  // namespace

bool has_meaning(std::string_view key) {
  return key == "deviceProperties" || key == "distributedInfo" || key == "schemaVersion" || key == "baseTimeNanoseconds";
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
