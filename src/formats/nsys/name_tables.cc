#include <fmt/format.h>

#include <array>
#include <set>
#include <unordered_map>

#include "base/json/json_writer.h"
#include "formats/nsys/export.h"

namespace orrery::nsys {
namespace {

enum ThreadColumn { kThreadName, kThreadId };
constexpr std::array<std::string_view, 2> kThreadColumns = {"nameId", "globalTid"};

enum ProcessColumn { kProcessId, kProcessName };
constexpr std::array<std::string_view, 2> kProcessColumns = {"globalPid", "name"};

enum GpuColumn { kGpuId, kGpuName, kGpuMemory, kGpuProcessors };
constexpr std::array<std::string_view, 4> kGpuColumns = {"id", "name", "totalMemory", "smCount"};

enum FactColumn { kFactName, kFactValue };
constexpr std::array<std::string_view, 2> kFactColumns = {"name", "value"};

/// What the export says of itself that a reader of it may want to know.
struct Facts {
  std::vector<std::pair<std::string, std::string>> properties;  // as JSON

  void add(std::string_view key, std::string_view value) {
    std::string quoted;
    append_json_string(quoted, value);
    properties.emplace_back(key, std::move(quoted));
  }
};

void name_lanes(Export& reading, Process& process, const std::unordered_map<std::uint64_t, StringId>& threads,
                StringId process_name, const std::unordered_map<std::int64_t, trace::Device>& devices) {
  std::vector<std::uint8_t> is_stream(process.rank.lanes.size(), 0);
  for (trace::EventIndex e = 0; e < process.rank.event_count(); ++e) {
    const trace::Activity activity = process.rank.activity(e);
    if (trace::is_device_work(activity) || activity == trace::Activity::synchronization)
      is_stream[process.rank.lane[e]] = 1;
  }
  std::set<std::int64_t> used;
  for (std::size_t i = 0; i < process.rank.lanes.size(); ++i) {
    trace::Lane& lane = process.rank.lanes[i];
    if (is_stream[i] == 0) {
      lane.process_name = process_name;
      const auto name = threads.find(process.key << 24 | static_cast<std::uint64_t>(lane.thread.number));
      if (name != threads.end()) lane.thread_name = name->second;
      continue;
    }
    const auto device = devices.find(lane.process.number);
    used.insert(lane.process.number);
    lane.process_name = reading.strings.intern(device != devices.end() && !device->second.name.empty()
                                                   ? device->second.name
                                                   : fmt::format("GPU {}", lane.process.number));
    lane.thread_name = reading.strings.intern(lane.thread.number < 0 ? std::string("waits of the context")
                                                                     : fmt::format("stream {}", lane.thread.number));
  }
  for (const std::int64_t id : used) {
    if (const auto device = devices.find(id); device != devices.end())
      process.rank.source.devices.push_back(device->second);
  }
}

}  // namespace

Status read_names(Export& reading, std::int64_t epoch_unix_ns) {
  std::unordered_map<std::uint64_t, StringId> threads, process_names;
  std::unordered_map<std::int64_t, trace::Device> devices;
  Facts facts;
  // It lists every thread of the machine: those without events make no lane, and no text either.
  std::set<std::uint64_t> keys;
  for (const auto& [key, process] : reading.processes.all()) keys.insert(key);
  Status read = reading.walk("ThreadNames", kThreadColumns, [&](const SqliteRows& row) {
    if (!row.is_integer(kThreadId)) return;
    const std::int64_t global = row.integer(kThreadId, 0);
    if (keys.contains(process_key(global)))
      threads.try_emplace(static_cast<std::uint64_t>(global), reading.names.find(row.integer(kThreadName, -1)));
  });
  if (!read) return read;
  read = reading.walk("PROCESSES", kProcessColumns, [&](const SqliteRows& row) {
    if (row.is_integer(kProcessId) && keys.contains(process_key(row.integer(kProcessId, 0))))
      process_names.try_emplace(process_key(row.integer(kProcessId, 0)),
                                reading.strings.intern(row.bytes(kProcessName)));
  });
  if (!read) return read;
  read = reading.walk("TARGET_INFO_GPU", kGpuColumns, [&](const SqliteRows& row) {
    if (!row.is_integer(kGpuId)) return;
    devices.try_emplace(row.integer(kGpuId, 0),
                        trace::Device{row.integer(kGpuId, 0), std::string(row.bytes(kGpuName)),
                                      static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer(kGpuMemory, 0))),
                                      row.integer(kGpuProcessors, 0)});
  });
  if (!read) return read;
  read = reading.walk("META_DATA_EXPORT", kFactColumns, [&](const SqliteRows& row) {
    const std::string_view name = row.bytes(kFactName);
    if (name == "EXPORT_PRODUCT_VERSION" || name == "EXPORT_SCHEMA_VERSION") facts.add(name, row.bytes(kFactValue));
  });
  if (!read) return read;
  read = reading.walk("TARGET_INFO_SYSTEM_ENV", kFactColumns, [&](const SqliteRows& row) {
    if (row.bytes(kFactName) == "Hostname") facts.add("hostname", row.bytes(kFactValue));
  });
  if (!read) return read;
  for (auto& [key, process] : reading.processes.all()) {
    const auto name = process_names.find(key);
    name_lanes(reading, *process, threads, name == process_names.end() ? 0 : name->second, devices);
    process->rank.source.properties = facts.properties;
    process->rank.source.properties.emplace_back("process", std::to_string(process->number));
    process->rank.epoch_unix_ns = epoch_unix_ns;
  }
  return {};
}

}  // namespace orrery::nsys
