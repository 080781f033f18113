#include <fmt/format.h>

#include <array>
#include <span>
#include <unordered_map>

#include "formats/nsys/export.h"
#include "match/communication.h"

// Each kind of device work is a table of its own; the first eight columns are the same.

namespace orrery::nsys {
namespace {

using trace::Field;

enum WorkColumn {
  kWorkStart,
  kWorkEnd,
  kWorkDevice,
  kWorkContext,
  kWorkStream,
  kWorkCorrelation,
  kWorkProcess,
  kWorkNode,
  kWorkGraph,
  kWorkOwn,  // from here on the columns of each table
};
constexpr std::string_view kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
enum KernelColumn { kKernelName = kWorkOwn, kGridX, kGridY, kGridZ, kBlockX, kBlockY, kBlockZ };
constexpr std::array<std::string_view, 16> kKernelColumns = {
    "start",   "end",           "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId",
    "graphId", "demangledName", "gridX",    "gridY",     "gridZ",    "blockX",        "blockY",    "blockZ"};

constexpr std::string_view kCopyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
enum CopyColumn { kCopyBytes = kWorkOwn, kCopyKind, kCopySource, kCopyTarget };
constexpr std::array<std::string_view, 13> kCopyColumns = {
    "start",       "end",     "deviceId", "contextId", "streamId", "correlationId", "globalPid",
    "graphNodeId", "graphId", "bytes",    "copyKind",  "srcKind",  "dstKind"};

constexpr std::string_view kSetTable = "CUPTI_ACTIVITY_KIND_MEMSET";
enum SetColumn { kSetBytes = kWorkOwn, kSetMemory };
constexpr std::array<std::string_view, 11> kSetColumns = {"start",    "end",           "deviceId",  "contextId",
                                                          "streamId", "correlationId", "globalPid", "graphNodeId",
                                                          "graphId",  "bytes",         "memKind"};

constexpr std::string_view kGraphTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::span<const std::string_view> kGraphColumns = std::span(kKernelColumns).first(kWorkOwn);

constexpr std::string_view kWaitTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
enum WaitColumn {
  kWaitStart,
  kWaitEnd,
  kWaitContext,
  kWaitStream,
  kWaitCorrelation,
  kWaitProcess,
  kWaitType,
  kWaitEvent,
  kWaitRecord
};
constexpr std::array<std::string_view, 9> kWaitColumns = {
    "start", "end", "contextId", "streamId", "correlationId", "globalPid", "syncType", "eventId", "eventSyncId"};

constexpr std::string_view kRecordTable = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
enum RecordColumn { kRecordStream, kRecordCorrelation, kRecordProcess, kRecordEvent, kRecordSync };
constexpr std::array<std::string_view, 5> kRecordColumns = {"streamId", "correlationId", "globalPid", "eventId",
                                                            "eventSyncId"};

constexpr std::string_view kContextTable = "TARGET_INFO_CUDA_CONTEXT_INFO";
enum ContextColumn { kContextHardware, kContextMachine, kContextProcess, kContextDevice, kContextId };
constexpr std::array<std::string_view, 5> kContextColumns = {"hwId", "vmId", "processId", "deviceId", "contextId"};

constexpr std::int64_t kNoStream = 0xFFFFFFFF;

/// CUPTI's numbers of the two ends of a copy, in the words of PyTorch's profiler.
constexpr std::array<std::string_view, 14> kCopyKinds = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                                         "DtoA",    "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "PtoP"};
constexpr std::int64_t kFirstUnified = 11;
constexpr std::array<std::string_view, 8> kMemoryKinds = {"Pageable", "Pinned",        "Device",         "Array",
                                                          "Managed",  "Device Static", "Managed Static", "Unknown"};

std::string_view memory_kind(std::int64_t kind) {
  return kind >= 0 && kind < static_cast<std::int64_t>(kMemoryKinds.size())
             ? kMemoryKinds[static_cast<std::size_t>(kind)]
             : kMemoryKinds.back();
}

/// "Memcpy HtoD (Pageable -> Device)".
std::string copy_name(std::int64_t kind, std::int64_t source, std::int64_t target) {
  const bool is_known = kind >= 0 && kind < static_cast<std::int64_t>(kCopyKinds.size());
  std::string name = fmt::format("Memcpy {}", is_known ? kCopyKinds[static_cast<std::size_t>(kind)] : kCopyKinds[0]);
  if (is_known && kind >= kFirstUnified) return name + " (Unified)";
  if (source < 0 || target < 0) return name;
  return name + fmt::format(" ({} -> {})", memory_kind(source), memory_kind(target));
}

class DeviceReader {
 public:
  explicit DeviceReader(Export& reading) : reading_(reading) {}

  Status read() {
    if (Status done = read_contexts(); !done) return done;
    // Without those who ask for them, grids are not even looked at.
    const std::span<const std::string_view> kernel_columns =
        reading_.options.operands ? std::span<const std::string_view>(kKernelColumns)
                                  : std::span<const std::string_view>(kKernelColumns).first(kGridX);
    if (Status done = reading_.walk(kKernelTable, kernel_columns, [&](const SqliteRows& row) { add_kernel(row); });
        !done)
      return done;
    if (Status done = reading_.walk(kCopyTable, kCopyColumns, [&](const SqliteRows& row) { add_copy(row); }); !done)
      return done;
    if (Status done = reading_.walk(kSetTable, kSetColumns, [&](const SqliteRows& row) { add_set(row); }); !done)
      return done;
    if (Status done = reading_.walk(kGraphTable, kGraphColumns, [&](const SqliteRows& row) { add_graph(row); }); !done)
      return done;
    if (Status done = read_records(); !done) return done;
    return reading_.walk(kWaitTable, kWaitColumns, [&](const SqliteRows& row) { add_wait(row); });
  }

 private:
  Status read_contexts() {
    return reading_.walk(kContextTable, kContextColumns, [&](const SqliteRows& row) {
      const std::int64_t number = row.integer(kContextProcess, 0);
      // Hardware and virtual machine are said in columns of their own here.
      for (auto& [key, process] : reading_.processes.all()) {
        if (process->number == number && row.is_integer(kContextId))
          process->device_of_context.try_emplace(row.integer(kContextId, 0), row.integer(kContextDevice, 0));
      }
    });
  }

  /// What all device work has in common. Null: it cannot be used.
  Process* add_work(const SqliteRows& row, std::string_view table, StringId name, RowKind kind) {
    if (!row.is_integer(kWorkStart) || !row.is_integer(kWorkEnd)) {
      reading_.leave_out(table, row.rows());
      return nullptr;
    }
    Process& process = reading_.process_of_row(row, kWorkProcess, table);
    const std::int64_t device = row.integer(kWorkDevice, 0), stream = row.integer(kWorkStream, 0);
    process.uses_cuda = true;
    if (!process.rows.add(row.integer(kWorkStart, 0), row.integer(kWorkEnd, 0), name,
                          process.stream_lane(device, stream), process.category(kind))) {
      reading_.leave_out(table, row.rows());
      return nullptr;
    }
    process.rows.set(Field::device, device);
    process.rows.set(Field::stream, stream);
    if (row.is_integer(kWorkCorrelation)) process.rows.set(Field::correlation, row.integer(kWorkCorrelation, 0));
    if (const std::int64_t node = row.integer(kWorkNode, 0); node != 0) add_node(process, node);
    if (reading_.options.operands && row.integer(kWorkGraph, 0) != 0)
      process.rows.set(Field::graph, row.integer(kWorkGraph, 0));
    const std::int64_t context = row.integer(kWorkContext, -1);
    if (context != last_context_ || &process != last_process_) {
      process.device_of_context.try_emplace(context, device);
      last_context_ = context, last_process_ = &process;
    }
    return &process;
  }

  static void add_node(Process& process, std::int64_t node) {
    process.rows.set(Field::graph_node, node);
    const auto made = process.nodes.find(node);
    if (made != process.nodes.end() && made->second.original != 0)
      process.rank.arguments.named("original graph node id", trace::ValueType::integer)
          .push(process.rows.last(), made->second.original);
  }

  void add_kernel(const SqliteRows& row) {
    const StringId name = reading_.name_of(row, kKernelName, reading_.names, kKernelTable);
    Process* const process = add_work(row, kKernelTable, name, RowKind::kernel);
    if (process == nullptr) return;
    if (is_of_nccl(name))
      process->nccl_kernels.push_back({process->rows.last(), row.integer(kWorkCorrelation, -1),
                                       row.integer(kWorkStream, 0), row.integer(kWorkNode, 0)});
    if (!reading_.options.operands) return;
    process->rows.set(Field::grid_text, extent(row, kGridX));
    process->rows.set(Field::block_text, extent(row, kBlockX));
  }

  StringId extent(const SqliteRows& row, int first) {
    return reading_.strings.intern(
        fmt::format("[{}, {}, {}]", row.integer(first, 1), row.integer(first + 1, 1), row.integer(first + 2, 1)));
  }

  void add_copy(const SqliteRows& row) {
    const std::int64_t kind = row.integer(kCopyKind, 0), source = row.integer(kCopySource, -1),
                       target = row.integer(kCopyTarget, -1);
    // Numbers beyond those that are known share a name.
    const std::int64_t key = (kind & 0xFF) << 16 | (source & 0xFF) << 8 | (target & 0xFF);
    auto [at, is_new] = copy_names_.try_emplace(key);
    if (is_new) at->second = reading_.strings.intern(copy_name(kind, source, target));
    Process* const process = add_work(row, kCopyTable, at->second, RowKind::copy);
    if (process != nullptr) process->rows.set(Field::bytes, row.integer(kCopyBytes, 0));
  }

  void add_set(const SqliteRows& row) {
    const std::int64_t memory = row.integer(kSetMemory, -1);
    const StringId name =
        reading_.strings.intern(memory < 0 ? std::string("Memset") : fmt::format("Memset ({})", memory_kind(memory)));
    Process* const process = add_work(row, kSetTable, name, RowKind::set);
    if (process != nullptr) process->rows.set(Field::bytes, row.integer(kSetBytes, 0));
  }

  void add_graph(const SqliteRows& row) {
    const StringId name = reading_.strings.intern(fmt::format("CUDA graph {}", row.integer(kWorkGraph, 0)));
    if (add_work(row, kGraphTable, name, RowKind::kernel) != nullptr)
      reading_.diagnostics.add(kWholeGraph, [&] { return reading_.where(kGraphTable, row.rows()); });
  }

  Status read_records() {
    Status read = reading_.walk(kRecordTable, kRecordColumns, [&](const SqliteRows& row) {
      Process& process = reading_.process_of_row(row, kRecordProcess, kRecordTable);
      process.by_sync.push_back({row.integer(kRecordSync, 0), row.integer(kRecordEvent, 0),
                                 row.integer(kRecordCorrelation, 0), row.integer(kRecordStream, 0)});
    });
    for (auto& [key, process] : reading_.processes.all()) process->sort_records();
    return read;
  }

  void add_wait(const SqliteRows& row) {
    static constexpr std::array<std::string_view, 5> kWaits = {"Unknown Sync", "Event Sync", "Stream Wait Event",
                                                               "Stream Sync", "Context Sync"};
    if (!row.is_integer(kWaitStart) || !row.is_integer(kWaitEnd)) return reading_.leave_out(kWaitTable, row.rows());
    Process& process = reading_.process_of_row(row, kWaitProcess, kWaitTable);
    process.uses_cuda = true;
    // The table's own deviceId is 0 whatever the device.
    const auto context = process.device_of_context.find(row.integer(kWaitContext, -1));
    const std::int64_t device = context == process.device_of_context.end() ? 0 : context->second;
    const std::int64_t stream = row.integer(kWaitStream, kNoStream);
    const std::int64_t type = row.integer(kWaitType, 0);
    const std::string_view name = kWaits[type > 0 && type < std::ssize(kWaits) ? static_cast<std::size_t>(type) : 0];
    const trace::LaneIndex lane = process.stream_lane(device, stream == kNoStream ? -1 : stream);
    if (!process.rows.add(row.integer(kWaitStart, 0), row.integer(kWaitEnd, 0), reading_.strings.intern(name), lane,
                          process.category(RowKind::wait)))
      return reading_.leave_out(kWaitTable, row.rows());
    process.rows.set(Field::device, device);
    if (stream != kNoStream) process.rows.set(Field::stream, stream);
    const std::int64_t correlation = row.integer(kWaitCorrelation, -1);
    if (correlation >= 0) process.rows.set(Field::correlation, correlation);
    if (type != 1 && type != 2) return;  // others wait for no event
    const auto record = process.find_record(row.integer(kWaitRecord, 0), row.integer(kWaitEvent, 0), correlation);
    if (!record) return;
    process.rows.set(Field::wait_on_record, record->correlation);
    process.rows.set(Field::wait_on_stream, record->stream);
  }

  bool is_of_nccl(StringId name) {
    if (name >= of_nccl_.size()) of_nccl_.resize(name + std::size_t{1}, 2);
    std::uint8_t& known = of_nccl_[name];
    if (known == 2) known = match::library_kernel(reading_.strings.text(name)) != match::LibraryKernel::none ? 1 : 0;
    return known == 1;
  }

  Export& reading_;
  std::unordered_map<std::int64_t, StringId> copy_names_;
  std::vector<std::uint8_t> of_nccl_;  // by text: no, yes, 2: not looked at
  std::int64_t last_context_ = -1;
  const Process* last_process_ = nullptr;
};

}  // namespace

Status read_device_work(Export& reading) { return DeviceReader(reading).read(); }

}  // namespace orrery::nsys
