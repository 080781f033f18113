#include "replay/torch/source/chakra_source.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/io/file_content.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/chakra/message_view.h"
#include "formats/chakra/python_text.h"
#include "replay/torch/build/communication_hints.h"

// The file is read as if the host trace were still there: nodes of the host become rows with the text of their tensors
// written again as JSON, nodes of the device become launched work of the row whose record function they name. What the
// file does not keep is filled in: steps, and the moment of a launch.

namespace orrery::replay::torch {
namespace {

using chakra::AttributeView;
using chakra::NodeView;

/// The attributes of a node that say which row it is.
struct NodeWords {
  std::int64_t record_function = trace::kNoNumber, caller = trace::kNoNumber, scope = 0, thread = 0, stream = 0;
  bool is_on_host = true;
  std::string_view schema, input_strides, output_strides, group;

  void take(const AttributeView& attribute) {
    if (attribute.is_list || !attribute.has_value) return;
    const bool is_text = attribute.type == chakra::ValueType::string_val;
    const std::int64_t number = is_text ? 0 : chakra::integer_of(attribute.type, attribute.scalar.bits);
    if (attribute.name == "rf_id") record_function = number;
    else if (attribute.name == "caller_rf_id") caller = number;
    else if (attribute.name == "scope") scope = number;
    else if (attribute.name == "tid") thread = number;
    else if (attribute.name == "stream") stream = number;
    else if (attribute.name == "is_cpu_op") is_on_host = number != 0;
    else if (attribute.name == "op_schema" && is_text) schema = attribute.scalar.bytes;
    else if (attribute.name == "input_strides" && is_text) input_strides = attribute.scalar.bytes;
    else if (attribute.name == "output_strides" && is_text) output_strides = attribute.scalar.bytes;
    else if (attribute.name == "pg_name" && is_text) group = attribute.scalar.bytes;
  }
};

class RowReading {
 public:
  explicit RowReading(Interner& strings) : strings_(strings) {}

  void take(const NodeView& node) {
    NodeWords words;
    for (const AttributeView& attribute : node.attributes) words.take(attribute);
    // Without the number of a record function nothing tells which call a node belongs to.
    if (words.record_function == trace::kNoNumber) return;
    if (!words.group.empty()) uses_.emplace_back(words.record_function, strings_.intern(words.group));
    if (words.is_on_host) add_row(node, words);
    else add_work(node, words);
  }

  ChakraRows finish() {
    add_steps();
    text_->append(kTextPadding, '\0');
    host_->text_owner = text_;
    host_->content = std::string_view(*text_).substr(0, text_->size() - kTextPadding);
    for (ChakraRows::Work& work : rows_.works)
      work.row = row_of(launchers_[static_cast<std::size_t>(&work - rows_.works.data())]);
    for (const auto& [function, group] : uses_) {
      // Of what the host does itself, the call that asked for it was numbered right before.
      std::uint32_t row = row_of(function);
      if (row != kNone && strings_.text(host_->name[row]).find(':') != std::string_view::npos &&
          row_of(function - 1) != kNone && strings_.text(host_->name[row_of(function - 1)]).starts_with("c10d::"))
        row = row_of(function - 1);
      if (row != kNone) rows_.groups.push_back({row, group});
    }
    rows_.host = std::move(host_);
    return std::move(rows_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Steps are no nodes; but what they call says so.
  void add_steps() {
    std::map<std::int64_t, std::uint32_t> steps;  // the first row of each
    for (std::uint32_t row = 0; row < host_->size(); ++row) {
      const auto caller = static_cast<std::int64_t>(host_->parent[row]);
      // A caller that is no node was left out of the file; numbers grow with time, so one above is no caller.
      if (caller > 0 && caller < host_->record_function[row] && row_of(caller) == kNone) steps.try_emplace(caller, row);
    }
    std::size_t number = 0;
    for (const auto& [function, first] : steps) {
      const std::string name = "ProfilerStep#" + std::to_string(number++);
      NodeView node;
      node.name = name;
      NodeWords words;
      words.record_function = function;
      // RecordScope::USER_SCOPE of PyTorch: what profilers give to the ranges of a program.
      words.scope = 7;
      words.thread = host_->thread[first];
      const TimePs begin = rows_.begin[first];
      add_row(node, words);
      rows_.begin.back() = rows_.end.back() = begin;
    }
  }

  [[nodiscard]] std::uint32_t row_of(std::int64_t function) const {
    const auto at = row_of_function_.find(function);
    return at == row_of_function_.end() ? kNone : at->second;
  }

  void add_row(const NodeView& node, const NodeWords& words) {
    // Of two nodes with one record function the first is the operator.
    if (!row_of_function_.emplace(words.record_function, static_cast<std::uint32_t>(host_->size())).second) return;
    host_->id.push_back(static_cast<std::uint64_t>(words.record_function));
    host_->parent.push_back(
        static_cast<std::uint64_t>(words.caller == trace::kNoNumber ? words.record_function : words.caller));
    host_->name.push_back(strings_.intern(node.name));
    host_->record_function.push_back(words.record_function);
    host_->forward_parent.push_back(trace::kNoNumber);
    host_->sequence_number.push_back(trace::kNoNumber);
    host_->scope.push_back(words.scope);
    host_->thread.push_back(words.thread);
    host_->forward_thread.push_back(trace::kNoNumber);
    host_->op_schema.push_back(strings_.intern(words.schema));
    rows_.has_schemas |= words.schema.find("::") != std::string_view::npos;
    host_->object.push_back({});
    host_->inputs.push_back(add_tensors(node.inputs, words.input_strides));
    host_->outputs.push_back(add_tensors(node.outputs, words.output_strides));
    host_->attributes.push_back({});
    const TimePs begin = static_cast<TimePs>(node.start_time_micros % kMostMicros) * kPsPerUs;
    rows_.begin.push_back(begin);
    rows_.end.push_back(begin + static_cast<TimePs>(node.duration_micros % kMostMicros) * kPsPerUs);
  }

  // As the host trace had it.
  trace::TextRange add_tensors(const chakra::TensorsView& tensors, std::string_view strides) {
    const std::size_t begin = text_->size();
    bool is_usable = true;
    const auto add = [&](const char* key, std::string_view python) {
      *text_ += key;
      if (python.empty()) *text_ += "[]";
      else is_usable &= chakra::append_json_of_python(*text_, python);
    };
    add("{\"values\":", tensors.values);
    add(",\"shapes\":", tensors.shapes);
    add(",\"types\":", tensors.types);
    *text_ += ",\"strides\":";
    *text_ += strides.empty() ? "[]" : strides;
    *text_ += '}';
    // Text that is no Python list says nothing certain, so the call has no tensors then.
    if (!is_usable) text_->resize(begin);
    return {begin, static_cast<std::uint32_t>(text_->size() - begin)};
  }

  void add_work(const NodeView& node, const NodeWords& words) {
    const causal::EdgeKind kind = node.name.starts_with("Memcpy")   ? causal::EdgeKind::memory_copy
                                  : node.name.starts_with("Memset") ? causal::EdgeKind::memory_set
                                                                    : causal::EdgeKind::kernel;
    rows_.works.push_back({0, strings_.intern(node.name), words.stream,
                           static_cast<TimePs>(node.duration_micros % kMostMicros) * kPsPerUs, kind});
    launchers_.push_back(words.record_function);
  }

  static constexpr std::uint64_t kMostMicros = std::uint64_t{1}
                                               << 42;  // 50 days: no recording is longer, and picoseconds of it fit

  Interner& strings_;
  ChakraRows rows_;
  std::shared_ptr<trace::HostTrace> host_ = std::make_shared<trace::HostTrace>();
  std::shared_ptr<std::string> text_ = std::make_shared<std::string>();
  std::unordered_map<std::int64_t, std::uint32_t> row_of_function_;  // only looked up, never walked
  std::vector<std::int64_t> launchers_;                              // per work
  std::vector<std::pair<std::int64_t, StringId>> uses_;
};

}  // namespace

Result<ChakraRows> read_chakra_rows(const std::string& path, Interner& strings) {
  const auto content = FileContent::open(path);
  if (!content) return content.error();
  const std::string_view bytes = content->bytes();
  RowReading reading(strings);
  NodeView node;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  for (bool is_first = true; p < end; is_first = false) {
    const char* const record = p;
    std::uint64_t size = 0;
    if (!take_varint(p, end, size) || size > static_cast<std::uint64_t>(end - p))
      return Error{"the file ends inside a record", path, content->offset_of(record)};
    // The first is metadata.
    if (!is_first && chakra::view_node({p, static_cast<std::size_t>(size)}, node)) reading.take(node);
    p += size;
  }
  return reading.finish();
}

namespace {

std::vector<std::int64_t> members_called(const workload::Workload& workload, std::string_view name) {
  for (const workload::CommGroup& group : workload.groups) {
    if (workload.strings.text(group.name) == name) return {group.ranks.begin(), group.ranks.end()};
  }
  return {};
}

void add_works(const ChakraRows& rows, RankSource& source) {
  std::map<std::int64_t, std::uint32_t> streams;
  for (const ChakraRows::Work& work : rows.works) streams.emplace(work.stream, 0);
  for (auto& [stream, number] : streams) {
    number = static_cast<std::uint32_t>(source.streams.size());
    source.streams.push_back(stream);
  }
  for (const ChakraRows::Work& work : rows.works) {
    LaunchedWork& launched = source.works.emplace_back();
    const bool has_row = work.row < source.host->size();
    launched.launch.row = has_row ? work.row : causal::kNoRow;
    // When exactly is not told: right after its operator began.
    launched.launch.before = has_row ? source.order.begin[work.row] + 1 : 0;
    launched.launch.thread = has_row ? source.host->thread[work.row] : 0;
    if (has_row) launched.launch.begin = launched.launch.end = source.begin[work.row];
    launched.stream = streams[work.stream];
    launched.name = work.name;
    launched.duration = work.duration;
    launched.kind = work.kind;
  }
  // Stable: works of one operator stay in the order of the file, which is the order of their launches.
  std::stable_sort(source.works.begin(), source.works.end(),
                   [](const LaunchedWork& a, const LaunchedWork& b) { return a.launch.before < b.launch.before; });
}

}  // namespace

RankSource source_of_chakra(const ChakraRows& rows, const Interner& strings, std::int64_t rank, std::int64_t world_size,
                            const workload::Workload& workload) {
  RankSource source;
  source.rank = rank;
  source.owned_host = rows.host;
  source.host = rows.host.get();
  source.strings = &strings;
  source.begin = rows.begin;
  source.end = rows.end;
  source.order = order_rows(*source.host, strings);
  add_works(rows, source);
  find_communication_hints(world_size, source);
  for (const ChakraRows::GroupUse& use : rows.groups) {
    const std::vector<std::int64_t> members = members_called(workload, strings.text(use.group));
    if (!members.empty()) set_group(source, use.row, strings.text(use.group), members);
  }
  return source;
}

}  // namespace orrery::replay::torch
