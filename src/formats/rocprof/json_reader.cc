#include "formats/rocprof/json_reader.h"

#include <simdjson.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "formats/rocprof/diagnostics.h"

// Numbers of kinds and operations are places in the file's own lists of names: they change between releases.

namespace orrery::rocprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kTool = "rocprofiler-sdk-tool";

std::optional<std::int64_t> integer_in(element of, std::string_view key) {
  std::int64_t value = 0;
  if (of[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

/// {"agent_id": {"handle": 37946}}
std::int64_t handle_in(element of, std::string_view key, std::int64_t missing) {
  element inner;
  if (of[key].get(inner) != simdjson::SUCCESS) return missing;
  return integer_in(inner, "handle").value_or(missing);
}

std::string_view text_in(element of, std::string_view key) {
  std::string_view value;
  return of[key].get(value) == simdjson::SUCCESS ? value : std::string_view();
}

/// Calls f(element) for each element of the list; what is no list has none.
template <typename F>
void for_each_in(element of, std::string_view key, const F& f) {
  array list;
  if (of[key].get(list) != simdjson::SUCCESS) return;
  for (const element one : list) f(one);
}

struct ApiNames {
  std::string_view kind;
  std::vector<std::string_view> operations;
};

/// One element of the list: a process.
class JsonProcess {
 public:
  JsonProcess(const std::string& path, element tool, const ReadOptions& options, ReadFile& out)
      : path_(path), tool_(tool), options_(options), strings_(out.strings), out_(out) {}

  Status read() {
    element records;
    object lists;
    if (tool_["buffer_records"].get(records) != simdjson::SUCCESS || records.get(lists) != simdjson::SUCCESS)
      return Error{"a process has no buffer_records", path_, Error::kNoOffset, "is the file complete?"};
    element metadata, node;
    const bool has_metadata = tool_["metadata"].get(metadata) == simdjson::SUCCESS;
    const std::int64_t number = has_metadata ? integer_in(metadata, "pid").value_or(0) : 0;
    process_ = std::make_unique<Process>(number, base_of(lists), strings_);
    if (has_metadata && metadata["node"].get(node) == simdjson::SUCCESS) {
      const std::string_view machine = text_in(node, "machine_id");
      process_->rank.source.host = machine.empty() ? text_in(node, "hostname") : machine;
    }
    read_names();
    read_agents();
    for (const auto& [name, list] : lists) {
      array entries;
      if (list.get(entries) != simdjson::SUCCESS) continue;
      for (const element record : entries) add(name, record);
    }
    out_.processes.push_back(std::move(process_));
    return {};
  }

 private:
  /// The whole second of the first record.
  static std::int64_t base_of(object lists) {
    for (const auto& [name, list] : lists) {
      array entries;
      if (list.get(entries) != simdjson::SUCCESS) continue;
      for (const element record : entries) {
        if (const auto start = integer_in(record, "start_timestamp")) return *start / kNsPerSecond * kNsPerSecond;
      }
    }
    return 0;
  }

  void read_names() {
    element strings;
    if (tool_["strings"].get(strings) == simdjson::SUCCESS) {
      for_each_in(strings, "buffer_records", [&](element kind) {
        ApiNames& names = apis_.emplace_back();
        names.kind = text_in(kind, "kind");
        for_each_in(kind, "operations", [&](element operation) {
          std::string_view text;
          names.operations.push_back(operation.get(text) == simdjson::SUCCESS ? text : std::string_view());
        });
      });
      for_each_in(strings, "marker_api", [&](element marker) {
        if (const auto key = integer_in(marker, "key")) markers_[*key] = text_in(marker, "value");
      });
    }
    for_each_in(tool_, "kernel_symbols", [&](element symbol) {
      const auto id = integer_in(symbol, "kernel_id");
      if (id) kernels_[*id] = strings_.intern(text_in(symbol, "formatted_kernel_name"));
    });
  }

  void read_agents() {
    constexpr std::int64_t kGpu = 2;
    std::int64_t next = 0;
    for_each_in(tool_, "agents", [&](element agent) {
      if (integer_in(agent, "type").value_or(0) != kGpu) return;
      const std::int64_t number = integer_in(agent, "logical_node_type_id").value_or(next);
      ++next;
      devices_[handle_in(agent, "id", 0)] = number;
      const std::string_view product = text_in(agent, "product_name");
      process_->add_device(number, product.empty() ? text_in(agent, "name") : product);
    });
  }

  void leave_out(const DiagnosticKind& kind, std::string_view list) {
    out_.diagnostics.add(kind, [&] { return path_ + ": " + std::string(list); });
  }

  [[nodiscard]] std::string_view kind_of(element record) const {
    const std::int64_t place = integer_in(record, "kind").value_or(-1);
    return place >= 0 && std::cmp_less(place, apis_.size()) ? apis_[static_cast<std::size_t>(place)].kind
                                                            : std::string_view();
  }

  [[nodiscard]] std::string_view operation_of(element record) const {
    const std::int64_t place = integer_in(record, "kind").value_or(-1);
    const std::int64_t operation = integer_in(record, "operation").value_or(-1);
    if (place < 0 || std::cmp_greater_equal(place, apis_.size())) return {};
    const std::vector<std::string_view>& names = apis_[static_cast<std::size_t>(place)].operations;
    return operation >= 0 && std::cmp_less(operation, names.size()) ? names[static_cast<std::size_t>(operation)]
                                                                    : std::string_view();
  }

  [[nodiscard]] std::int64_t device_of(std::int64_t handle) const {
    const auto found = devices_.find(handle);
    return found == devices_.end() ? 0 : found->second;
  }

  void add(std::string_view list, element record) {
    const auto start = integer_in(record, "start_timestamp"), end = integer_in(record, "end_timestamp");
    // Lists of samples and of what was switched on have no length.
    if (!start && !end) return;
    if (!start || !end) return leave_out(kUnusableRecord, list);
    element correlation;
    const std::int64_t internal = record["correlation_id"].get(correlation) == simdjson::SUCCESS
                                      ? integer_in(correlation, "internal").value_or(0)
                                      : 0;
    const Span span{*start, *end};
    const bool is_added = list == "kernel_dispatch" ? add_kernel(record, span, internal)
                          : list == "memory_copy"   ? add_copy(record, span, internal)
                                                    : add_call(list, record, span, internal);
    if (!is_added) leave_out(kUnusableRecord, list);
  }

  bool add_kernel(element record, Span span, std::int64_t internal) {
    element info;
    if (record["dispatch_info"].get(info) != simdjson::SUCCESS) return false;
    const auto name = kernels_.find(integer_in(info, "kernel_id").value_or(-1));
    if (name == kernels_.end()) leave_out(kUnknownReference, "kernel_dispatch");
    // Releases before streams were recorded have queues only.
    const DevicePlace place{device_of(handle_in(info, "agent_id", 0)),
                            handle_in(record, "stream_id", handle_in(info, "queue_id", 0)), internal};
    if (!process_->add_kernel(span, name == kernels_.end() ? 0 : name->second, place)) return false;
    if (options_.operands) {
      std::int64_t threads[3] = {1, 1, 1}, block[3] = {1, 1, 1};
      read_extent(info, "grid_size", threads);
      read_extent(info, "workgroup_size", block);
      process_->set_extents(threads, block);
    }
    return true;
  }

  static void read_extent(element info, std::string_view key, std::int64_t (&extent)[3]) {
    static constexpr std::string_view kAxes[3] = {"x", "y", "z"};
    element sizes;
    if (info[key].get(sizes) != simdjson::SUCCESS) return;
    for (int i = 0; i < 3; ++i) extent[i] = integer_in(sizes, kAxes[i]).value_or(1);
  }

  bool add_copy(element record, Span span, std::int64_t internal) {
    const std::int64_t to = handle_in(record, "dst_agent_id", 0), from = handle_in(record, "src_agent_id", 0);
    return process_->add_copy(
        span, operation_of(record), integer_in(record, "bytes").value_or(0),
        {device_of(devices_.contains(to) ? to : from), handle_in(record, "stream_id", 0), internal});
  }

  bool add_call(std::string_view list, element record, Span span, std::int64_t internal) {
    if (!list.ends_with("_api")) return true;  // of memory and the like, which no analysis uses
    const ApiKind kind = api_kind(kind_of(record));
    std::string_view name = operation_of(record);
    if (name.empty()) leave_out(kUnknownReference, list);
    const auto message = kind == ApiKind::marker ? markers_.find(internal) : markers_.end();
    if (message != markers_.end()) name = message->second;
    return process_->add_call(kind, span, name, integer_in(record, "thread_id").value_or(0), internal);
  }

  const std::string& path_;
  const element tool_;
  const ReadOptions& options_;
  Interner& strings_;
  ReadFile& out_;
  std::unique_ptr<Process> process_;
  std::vector<ApiNames> apis_;
  std::unordered_map<std::int64_t, std::string_view> markers_;
  std::unordered_map<std::int64_t, StringId> kernels_;
  std::unordered_map<std::int64_t, std::int64_t> devices_;  // by handle
};

}  // namespace

bool looks_like_json(const formats::Head& head) {
  constexpr std::size_t kFirstKeys = 4096;
  if (!head.is_json()) return false;
  const std::size_t at = head.bytes.substr(0, kFirstKeys).find("\"rocprofiler-sdk-tool\"");
  if (at == std::string_view::npos) return false;
  const std::string_view behind = head.bytes.substr(at + kTool.size() + 2);
  const std::size_t next = behind.find_first_not_of(" \n\r\t");
  return next != std::string_view::npos && behind[next] == ':';
}

Result<ReadFile> read_json(const std::string& path, const ReadOptions& options) {
  const Result<FileContent> content = FileContent::open(path, options.on_progress);
  if (!content) return content.error();
  if (content->bytes().size() > kMaxRecordingBytes - 1)
    return Error{"it is larger than 4 GiB", path, Error::kNoOffset, "record into a rocpd database instead"};
  static_assert(MappedFile::kPaddingBytes >= simdjson::SIMDJSON_PADDING);
  simdjson::dom::parser parser;
  element document;
  const auto fault = parser.parse(content->bytes().data(), content->bytes().size(), false).get(document);
  if (fault != simdjson::SUCCESS)
    return Error{std::string("it is no valid JSON: ") + simdjson::error_message(fault), path, Error::kNoOffset,
                 "was it cut off?"};
  array tools;
  if (document[kTool].get(tools) != simdjson::SUCCESS || tools.size() == 0)
    return Error{"rocprofiler-sdk-tool is no list of processes", path};
  ReadFile read;
  for (const element tool : tools) {
    if (Status done = JsonProcess(path, tool, options, read).read(); !done) return done.error();
  }
  for (const std::unique_ptr<Process>& process : read.processes) {
    trace::SourceInfo& source = process->rank.source;
    source.path = path;
    source.format = "rocprof";
    source.file_bytes = content->file_bytes();
    source.text_bytes = content->bytes().size();
    source.properties.emplace_back("process", std::to_string(process->number));
    process->finish();
  }
  if (options.on_progress && !content->is_compressed()) options.on_progress(content->file_bytes());
  return read;
}

}  // namespace orrery::rocprof
