#include "formats/rocprof/rocpd_reader.h"

#include <simdjson.h>

#include <array>
#include <optional>

#include "base/numbers.h"
#include "formats/rocprof/rocpd_tables.h"

// First what rows refer to, recording by recording; then the rows that become events. Databases count nanoseconds since
// the machine was started, which may be years: the epoch is the whole second of the first row.

namespace orrery::rocprof {
namespace {

/// ncclDataType_t, in PyTorch's words.
constexpr std::array<std::string_view, 10> kDataTypes = {"Char",   "Byte", "Int",   "UInt32", "Long",
                                                         "UInt64", "Half", "Float", "Double", "BFloat16"};

/// "0x55d0c0ffee" and "12".
std::optional<std::uint64_t> number_in(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_number<std::uint64_t>(text.substr(2), 16);
  return parse_number<std::uint64_t>(text);
}

void take_argument(std::string_view name, std::string_view value, match::CallArguments& call) {
  const std::optional<std::uint64_t> number = number_in(value);
  if (!number) return;
  if (name == "comm") {
    call.communicator = *number;
    call.is_local = true;  // a pointer
    return;
  }
  if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return;
  const auto small = static_cast<std::int64_t>(*number);
  if (name == "count" || name == "sendcount" || name == "recvcount") call.elements = small;
  else if (name == "datatype" && *number < kDataTypes.size()) call.dtype = kDataTypes[*number];
  else if (name == "peer") call.peer = small;
  else if (name == "root") call.root = small;
  else if (name == "nranks") call.ranks = small;
  else if (name == "rank" || name == "myrank") call.rank = small;
}

class RocpdReader {
 public:
  RocpdReader(const std::string& path, const SqliteFile& file, const ReadOptions& options, ReadFile& out)
      : tables_(path, file, out.diagnostics, options.salvage), options_(options), strings_(out.strings), out_(out) {}

  Status read() {
    for (const auto step : {&RocpdReader::find_base, &RocpdReader::read_texts, &RocpdReader::read_processes,
                            &RocpdReader::read_agents, &RocpdReader::read_events, &RocpdReader::read_arguments,
                            &RocpdReader::read_regions, &RocpdReader::find_streams, &RocpdReader::read_kernels,
                            &RocpdReader::read_copies, &RocpdReader::read_samples}) {
      if (Status done = (this->*step)(); !done) return done;
    }
    return {};
  }

 private:
  Status find_base() {
    static constexpr std::array<std::string_view, 1> kColumns = {"start"};
    for (const std::string_view table : {"region", "kernel_dispatch", "memory_copy"}) {
      const Status read = tables_.walk(table, kColumns, [&](const SqliteRows& row, References&) {
        if (!base_ns_ && row.is_integer(1)) base_ns_ = row.integer(1, 0) / kNsPerSecond * kNsPerSecond;
      });
      if (!read || base_ns_) return read;
    }
    return {};
  }

  Status read_texts() {
    static constexpr std::array<std::string_view, 2> kColumns = {"id", "string"};
    static constexpr std::array<std::string_view, 3> kSymbols = {"id", "display_name", "kernel_name"};
    Status read = tables_.walk("string", kColumns, [&](const SqliteRows& row, References& of) {
      if (row.is_integer(1)) of.texts.add(row.integer(1, 0), strings_.intern(row.bytes(2)));
    });
    if (!read) return read;
    read = tables_.walk("info_kernel_symbol", kSymbols, [&](const SqliteRows& row, References& of) {
      const std::string_view shown = row.bytes(2);
      if (row.is_integer(1)) of.kernels.add(row.integer(1, 0), strings_.intern(shown.empty() ? row.bytes(3) : shown));
    });
    for (auto& [guid, of] : tables_.all()) of->texts.finish(), of->kernels.finish();
    return read;
  }

  Status read_processes() {
    static constexpr std::array<std::string_view, 3> kNodes = {"id", "hostname", "machine_id"};
    static constexpr std::array<std::string_view, 4> kColumns = {"id", "pid", "nid", "command"};
    static constexpr std::array<std::string_view, 4> kThreads = {"id", "tid", "name", "pid"};
    Status read = tables_.walk("info_node", kNodes, [&](const SqliteRows& row, References& of) {
      // Two containers may be called alike: the machine tells whose clock it is.
      const std::string_view machine = row.bytes(3);
      of.hosts[row.integer(1, 0)] = machine.empty() ? row.bytes(2) : machine;
    });
    if (!read) return read;
    read = tables_.walk("info_process", kColumns, [&](const SqliteRows& row, References& of) {
      if (!row.is_integer(1)) return;
      auto process = std::make_unique<Process>(row.integer(2, row.integer(1, 0)), base_ns_.value_or(0), strings_);
      process->rank.source.host = of.hosts[row.integer(3, 0)];
      if (!of.processes.try_emplace(row.integer(1, 0), process.get()).second) return;
      out_.processes.push_back(std::move(process));
    });
    if (!read) return read;
    read = tables_.walk("info_thread", kThreads, [&](const SqliteRows& row, References& of) {
      const std::int64_t thread = row.integer(2, row.integer(1, 0));
      if (row.is_integer(1)) of.threads.add(row.integer(1, 0), {thread});
      if (Process* const process = process_of(of, row.integer(4, -1))) process->name_thread(thread, row.bytes(3));
    });
    for (auto& [guid, of] : tables_.all()) of->threads.finish();
    return read;
  }

  Status read_agents() {
    static constexpr std::array<std::string_view, 5> kColumns = {"id", "type", "type_index", "product_name", "name"};
    const Status read = tables_.walk("info_agent", kColumns, [&](const SqliteRows& row, References& of) {
      if (!row.is_integer(1)) return;
      const std::string_view product = row.bytes(4);
      const Agent agent{row.bytes(2) == "GPU", row.integer(3, 0),
                        std::string(product.empty() ? row.bytes(5) : product)};
      if (agent.is_gpu) {
        for (const auto& [id, process] : of.processes) process->add_device(agent.number, agent.name);
      }
      of.agents.add(row.integer(1, 0), agent);
    });
    for (auto& [guid, of] : tables_.all()) of->agents.finish();
    return read;
  }

  /// {"message": "step 3"}
  StringId message_in(std::string_view json) {
    if (json.size() <= 2) return 0;
    std::string_view message;
    if (parser_.parse(json.data(), json.size())["message"].get(message) != simdjson::SUCCESS) return 0;
    return strings_.intern(message);
  }

  Status read_events() {
    static constexpr std::array<std::string_view, 4> kColumns = {"id", "category_id", "stack_id", "extdata"};
    const Status read = tables_.walk("event", kColumns, [&](const SqliteRows& row, References& of) {
      if (!row.is_integer(1)) return;
      const StringId* const category = of.texts.find(row.integer(2, -1));
      of.events.add(row.integer(1, 0),
                    {row.integer(3, 0), category == nullptr ? 0 : *category, message_in(row.bytes(4))});
    });
    for (auto& [guid, of] : tables_.all()) of->events.finish();
    return read;
  }

  Status read_arguments() {
    static constexpr std::array<std::string_view, 3> kColumns = {"event_id", "name", "value"};
    return tables_.walk("arg", kColumns, [&](const SqliteRows& row, References& of) {
      const Event* const event = of.events.find(row.integer(1, -1));
      if (event == nullptr || api_kind(strings_.text(event->category)) != ApiKind::library) return;
      take_argument(row.bytes(2), row.bytes(3), of.calls[row.integer(1, 0)]);
    });
  }

  Status read_regions() {
    static constexpr std::array<std::string_view, 6> kColumns = {"pid", "tid", "start", "end", "name_id", "event_id"};
    return tables_.walk("region", kColumns, [&](const SqliteRows& row, References& of) {
      Process* const process = process_of(of, row.integer(1, -1));
      const StringId* const name = of.texts.find(row.integer(5, -1));
      if (process == nullptr || name == nullptr) tables_.leave_out(kUnknownReference, "region", row);
      if (process == nullptr) return;
      const Event* const event = of.events.find(row.integer(6, -1));
      const ApiKind kind = event == nullptr ? ApiKind::other : api_kind(strings_.text(event->category));
      const std::string_view shown = kind == ApiKind::marker && event->message != 0
                                         ? strings_.text(event->message)
                                         : strings_.text(name == nullptr ? 0 : *name);
      const auto arguments = kind == ApiKind::library ? of.calls.find(row.integer(6, -1)) : of.calls.end();
      if (!row.is_integer(3) || !row.is_integer(4) ||
          !process->add_call(kind, {row.integer(3, 0), row.integer(4, 0)}, shown, thread_of(of, row.integer(2, 0)),
                             event == nullptr ? 0 : event->stack,
                             arguments == of.calls.end() ? match::CallArguments{} : arguments->second))
        tables_.leave_out(kUnusableRecord, "region", row);
    });
  }

  /// Where all work is on stream 0, the program's streams were not told apart, and queues have to do.
  Status find_streams() {
    static constexpr std::array<std::string_view, 1> kColumns = {"stream_id"};
    return tables_.walk("kernel_dispatch", kColumns, [&](const SqliteRows& row, References&) {
      has_streams_ = has_streams_ || row.integer(1, 0) != 0;
    });
  }

  Status read_kernels() {
    static constexpr std::array<std::string_view, 14> kColumns = {"pid",
                                                                  "agent_id",
                                                                  "kernel_id",
                                                                  "queue_id",
                                                                  "stream_id",
                                                                  "start",
                                                                  "end",
                                                                  "event_id",
                                                                  "grid_size_x",
                                                                  "grid_size_y",
                                                                  "grid_size_z",
                                                                  "workgroup_size_x",
                                                                  "workgroup_size_y",
                                                                  "workgroup_size_z"};
    const std::span<const std::string_view> columns = options_.operands
                                                          ? std::span<const std::string_view>(kColumns)
                                                          : std::span<const std::string_view>(kColumns).first(8);
    return tables_.walk("kernel_dispatch", columns, [&](const SqliteRows& row, References& of) {
      Process* const process = process_of(of, row.integer(1, -1));
      const StringId* const name = of.kernels.find(row.integer(3, -1));
      if (process == nullptr || name == nullptr) tables_.leave_out(kUnknownReference, "kernel_dispatch", row);
      if (process == nullptr) return;
      const DevicePlace place{device_of(of, row.integer(2, -1)), row.integer(has_streams_ ? 5 : 4, 0),
                              correlation_of(of, row.integer(8, -1))};
      if (!row.is_integer(6) || !row.is_integer(7) ||
          !process->add_kernel({row.integer(6, 0), row.integer(7, 0)}, name == nullptr ? 0 : *name, place))
        return tables_.leave_out(kUnusableRecord, "kernel_dispatch", row);
      if (!options_.operands) return;
      const std::int64_t threads[3] = {row.integer(9, 1), row.integer(10, 1), row.integer(11, 1)};
      const std::int64_t block[3] = {row.integer(12, 1), row.integer(13, 1), row.integer(14, 1)};
      process->set_extents(threads, block);
    });
  }

  Status read_copies() {
    static constexpr std::array<std::string_view, 9> kColumns = {
        "pid", "start", "end", "name_id", "size", "src_agent_id", "dst_agent_id", "stream_id", "event_id"};
    return tables_.walk("memory_copy", kColumns, [&](const SqliteRows& row, References& of) {
      Process* const process = process_of(of, row.integer(1, -1));
      const StringId* const name = of.texts.find(row.integer(4, -1));
      if (process == nullptr || name == nullptr) tables_.leave_out(kUnknownReference, "memory_copy", row);
      if (process == nullptr) return;
      // The device of a copy is the one of its two ends that is none of the host.
      const Agent* const to = of.agents.find(row.integer(7, -1));
      const std::int64_t device = device_of(of, to != nullptr && to->is_gpu ? row.integer(7, -1) : row.integer(6, -1));
      if (!row.is_integer(2) || !row.is_integer(3) ||
          !process->add_copy({row.integer(2, 0), row.integer(3, 0)}, strings_.text(name == nullptr ? 0 : *name),
                             row.integer(5, 0), {device, row.integer(8, 0), correlation_of(of, row.integer(9, -1))}))
        tables_.leave_out(kUnusableRecord, "memory_copy", row);
    });
  }

  Status read_samples() {
    static constexpr std::array<std::string_view, 4> kTracks = {"id", "pid", "tid", "name_id"};
    static constexpr std::array<std::string_view, 3> kColumns = {"track_id", "timestamp", "event_id"};
    Status read = tables_.walk("track", kTracks, [&](const SqliteRows& row, References& of) {
      if (row.is_integer(1))
        of.tracks.add(row.integer(1, 0), {row.integer(2, -1), row.integer(3, 0), row.integer(4, -1)});
    });
    if (!read) return read;
    for (auto& [guid, of] : tables_.all()) of->tracks.finish();
    return tables_.walk("sample", kColumns, [&](const SqliteRows& row, References& of) {
      const Track* const track = of.tracks.find(row.integer(1, -1));
      Process* const process = track == nullptr ? nullptr : process_of(of, track->process);
      if (process == nullptr) return tables_.leave_out(kUnknownReference, "sample", row);
      const Event* const event = of.events.find(row.integer(3, -1));
      const StringId* const name = of.texts.find(track->name);
      const StringId shown = event != nullptr && event->message != 0 ? event->message
                             : name != nullptr                       ? *name
                             : event != nullptr                      ? event->category
                                                                     : 0;
      if (!row.is_integer(2) ||
          !process->add_instant(row.integer(2, 0), strings_.text(shown), thread_of(of, track->thread)))
        tables_.leave_out(kUnusableRecord, "sample", row);
    });
  }

  static Process* process_of(const References& of, std::int64_t id) {
    const auto found = of.processes.find(id);
    return found == of.processes.end() ? nullptr : found->second;
  }
  static std::int64_t thread_of(const References& of, std::int64_t id) {
    const Thread* const thread = of.threads.find(id);
    return thread == nullptr ? id : thread->number;
  }
  static std::int64_t device_of(const References& of, std::int64_t id) {
    const Agent* const agent = of.agents.find(id);
    return agent == nullptr ? 0 : agent->number;
  }
  static std::int64_t correlation_of(const References& of, std::int64_t id) {
    const Event* const event = of.events.find(id);
    return event == nullptr ? 0 : event->stack;
  }

  RocpdTables tables_;
  const ReadOptions& options_;
  Interner& strings_;
  ReadFile& out_;
  std::optional<std::int64_t> base_ns_;
  bool has_streams_ = false;
  simdjson::dom::parser parser_;
};

}  // namespace

bool is_rocpd(const std::string& path) {
  const Result<SqliteFile> file = SqliteFile::open(path);
  return file && (file->has_table("rocpd_kernel_dispatch") || file->has_view("rocpd_kernel_dispatch"));
}

bool holds_several_processes(const std::string& path) {
  static constexpr std::array<std::string_view, 1> kColumns = {"id"};
  const Result<SqliteFile> file = SqliteFile::open(path);
  if (!file) return false;
  std::uint64_t processes = 0;
  for (const std::string& table : file->tables()) {
    if (table_name(table).name != "info_process") continue;
    Result<SqliteRows> rows = file->rows(table, kColumns);
    while (rows && rows->next()) ++processes;
  }
  return processes > 1;
}

Result<ReadFile> read_rocpd(const std::string& path, const ReadOptions& options) {
  const Result<SqliteFile> file = SqliteFile::open(path);
  if (!file) return file.error();
  ReadFile read;
  if (Status done = RocpdReader(path, *file, options, read).read(); !done) return done.error();
  if (read.processes.empty())
    return Error{"it names no process", path, Error::kNoOffset, "a table rocpd_info_process is needed"};
  for (const std::unique_ptr<Process>& process : read.processes) {
    trace::SourceInfo& source = process->rank.source;
    source.path = path;
    source.format = "rocpd";
    source.file_bytes = source.text_bytes = file->file_bytes();
    source.properties.emplace_back("process", std::to_string(process->number));
    process->finish();
  }
  if (options.on_progress) options.on_progress(file->file_bytes());
  return read;
}

}  // namespace orrery::rocprof
