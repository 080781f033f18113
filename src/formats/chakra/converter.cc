#include "formats/chakra/converter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_members.h"
#include "base/numbers.h"
#include "base/protobuf/protobuf_writer.h"
#include "formats/chakra/linked_graph.h"
#include "formats/chakra/python_text.h"
#include "formats/chakra/schema.h"

// The converter's output is reproduced byte by byte: order of fields, what proto3 leaves out, Python's spelling of
// inputs and outputs, and where it would stop with an exception, an error that says so.

namespace orrery::chakra {
namespace {

// [tensor id, storage id, offset, elements, bytes per element, "cuda:0"]
std::optional<std::int64_t> tensor_bytes(std::string_view json) {
  const std::vector<std::string_view> items = list_entries(json);
  // A list of another form is no tensor; the original would raise an IndexError.
  if (items.size() < 5) return std::nullopt;
  const auto elements = parse_number<std::int64_t>(items[3]), element_bytes = parse_number<std::int64_t>(items[4]);
  std::int64_t bytes = 0;
  if (!elements || !element_bytes || __builtin_mul_overflow(*elements, *element_bytes, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<std::int64_t> comm_type_of_kernel(std::string_view name) {
  std::string flat;
  for (const char c : name) {
    // The original lowers the name and takes underscores and hyphens out before it compares.
    if (c != '_' && c != '-') flat += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  constexpr std::pair<std::string_view, std::int64_t> kKnown[] = {{"allreduce", comm_type::all_reduce},
                                                                  {"alltoall", comm_type::all_to_all},
                                                                  {"allgather", comm_type::all_gather},
                                                                  {"reducescatter", comm_type::reduce_scatter},
                                                                  {"broadcast", comm_type::broadcast}};
  for (const auto& [word, type] : kKnown) {
    if (flat.find(word) != std::string::npos) return type;
  }
  // All-to-all is made of sends and receives in NCCL, and its kernel is called like theirs; messages were told apart
  // before.
  if (name.find("ncclDevKernel_SendRecv") != std::string_view::npos) return comm_type::all_to_all;
  return std::nullopt;
}

std::optional<std::int64_t> bytes_of_inputs(std::string_view inputs) {
  const auto [value_list, type_list] = members_of<2>(inputs, {"values", "types"});
  const std::vector<std::string_view> values = list_entries(value_list), types = list_entries(type_list);
  std::int64_t total = 0;
  const auto add = [&](std::string_view tensor) {
    const auto bytes = tensor_bytes(tensor);
    return bytes && !__builtin_add_overflow(total, *bytes, &total);
  };
  for (std::size_t i = 0; i < values.size() && i < types.size(); ++i) {
    // Values of other types have no size; a tensor that is none ends the original, so it is an error here.
    if (types[i].find("Tensor") == std::string_view::npos) continue;
    if (!types[i].starts_with("\"GenericList[Tensor")) {
      if (!add(values[i])) return std::nullopt;
      continue;
    }
    for (const std::string_view tensor : list_entries(values[i])) {
      if (!add(tensor)) return std::nullopt;
    }
  }
  return total;
}

namespace {

using trace::HostTrace;
using trace::TextRange;
namespace field = attribute_field;

constexpr std::array<std::string_view, 4> kSchemas = {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.1.0-chakra.0.0.4",
                                                      "1.1.1-chakra.0.0.4"};

class LinkedConverter {
 public:
  LinkedConverter(const HostTrace& trace, const Interner& strings, const LinkedGraph& graph)
      : trace_(trace), strings_(strings), graph_(graph) {}

  Result<std::string> convert() {
    bytes_.reserve(trace_.content.size());  // mostly more than enough, and what is not written to costs nothing
    if (const Status appended = append_metadata(); !appended) return appended.error();
    std::size_t next = 0;
    for (const std::uint32_t row : graph_.converted) {
      const bool is_written = next < graph_.nodes.size() && graph_.nodes[next] == row;
      next += is_written ? 1 : 0;
      if (const Status done = is_written ? append_node(row) : check_dropped(row); !done) return done.error();
    }
    return std::move(bytes_);
  }

 private:
  void append_message(const std::string& message) { append_record(bytes_, message); }

  // An attribute's value is written even if it is 0 or empty.
  template <typename AddValue>
  void append_attribute(WireWriter& node, std::uint32_t tag, std::string_view name, AddValue&& add_value) {
    attribute_bytes_.clear();
    WireWriter attribute(attribute_bytes_);
    attribute.add_bytes(field::name, name);
    add_value(attribute);
    node.add_bytes(tag, attribute_bytes_);
  }
  void append_text(WireWriter& node, std::uint32_t tag, std::string_view name, std::string_view text) {
    append_attribute(node, tag, name, [&](WireWriter& a) { a.add_bytes(field::string_val, text); });
  }
  void append_number(WireWriter& node, std::string_view name, std::int64_t number) {
    append_attribute(node, node_field::attr, name, [&](WireWriter& a) { a.add_number(field::int64_val, number); });
  }

  Status append_metadata() {
    constexpr std::uint32_t kAttributes = 2;
    message_bytes_.clear();
    WireWriter metadata(message_bytes_);
    bool is_complete = !trace_.time.empty();
    const auto append_unsigned = [&](std::string_view name, std::int64_t number) {
      is_complete = is_complete && number >= 0;
      append_attribute(metadata, kAttributes, name,
                       [&](WireWriter& a) { a.add_number(field::uint64_val, static_cast<std::uint64_t>(number)); });
    };
    append_text(metadata, kAttributes, "schema", trace_.schema);
    append_unsigned("pid", trace_.pid);
    append_text(metadata, kAttributes, "time", trace_.time);
    append_unsigned("start_ts", trace_.start_ts);
    append_unsigned("finish_ts", trace_.finish_ts);
    if (!is_complete) return stop(trace_, "pid, time, start_ts or finish_ts is missing or negative");
    append_message(message_bytes_);
    return {};
  }

  Status append_node(std::uint32_t row) {
    message_bytes_.clear();
    WireWriter node(message_bytes_);
    const std::string_view name = strings_.text(trace_.name[row]);
    // proto3 leaves out what is 0 or empty; fields in a oneof, as values of attributes, it does not.
    if (trace_.id[row] != 0) node.add_number(node_field::id, trace_.id[row]);
    if (!name.empty()) node.add_bytes(node_field::name, name);
    node.add_number(node_field::type, static_cast<std::int32_t>(graph_.type[row]));
    if (graph_.has_parent[row] != 0) node.add_packed(node_field::ctrl_deps, std::array{trace_.parent[row]});
    dependencies_.clear();
    for (std::size_t i = 0; i < graph_.data.size(row); ++i) dependencies_.push_back(graph_.data.get(row, i));
    node.add_packed(node_field::data_deps, dependencies_);
    if (Status appended = append_duration(node, row, name); !appended) return appended;
    if (Status appended = append_tensors(node, row); !appended) return appended;
    if (Status appended = append_attributes(node, row, name); !appended) return appended;
    append_message(message_bytes_);
    return {};
  }

  // The original makes nodes of all rows before it drops some: one that it cannot make stops it all the same.
  Status check_dropped(std::uint32_t row) {
    message_bytes_.clear();
    WireWriter node(message_bytes_);
    return append_attributes(node, row, strings_.text(trace_.name[row]));
  }

  Status append_duration(WireWriter& node, std::uint32_t row, std::string_view name) {
    // The original gives the optimizer's annotation no duration: what runs inside it has its own.
    if (!trace_.is_linked() || name.find("Optimizer.step") != std::string_view::npos) return {};
    const double exclusive = trace_.measured[row].exclusive_dur;
    // 2^64: what an unsigned field of protobuf cannot hold.
    constexpr double kTooLarge = 18446744073709551616.0;
    // Python's int() cuts toward zero, so -0.5 is 0 and fits; protobuf refuses the rest with a ValueError.
    if (!(exclusive > -1 && exclusive < kTooLarge))
      return stop_at(trace_, row, "exclusive_dur is negative or too large");
    const auto micros = exclusive < 1 ? 0 : static_cast<std::uint64_t>(exclusive);
    if (micros != 0) node.add_number(node_field::duration_micros, micros);
    return {};
  }

  // Device rows come right after the operator whose inputs and outputs they share: the text of the last row is often
  // that of this one.
  struct TensorText {
    TextRange of;
    std::string message;
  };

  Status append_tensors(WireWriter& node, std::uint32_t row) {
    if (!update(inputs_, trace_.inputs[row])) return stop_at(trace_, row, "inputs lack values, shapes or types");
    if (!update(outputs_, trace_.outputs[row])) return stop_at(trace_, row, "outputs lack values, shapes or types");
    node.add_bytes(node_field::inputs, inputs_.message);
    node.add_bytes(node_field::outputs, outputs_.message);
    return {};
  }

  bool update(TensorText& text, TextRange range) {
    if (range.size == 0) return false;
    if (text.of == range) return true;
    text.of = range;
    text.message.clear();
    WireWriter message(text.message);
    std::uint32_t number = 0;
    for (const std::string_view value : members_of<3>(trace_.text(range), {"values", "shapes", "types"})) {
      if (value.empty()) return false;
      python_text_.clear();
      append_python_str(python_text_, value);
      message.add_bytes(++number, python_text_);
    }
    return true;
  }

  Status append_attributes(WireWriter& node, std::uint32_t row, std::string_view name) {
    const std::pair<std::string_view, std::int64_t> numbers[] = {{"rf_id", trace_.record_function[row]},
                                                                 {"fw_parent", trace_.forward_parent[row]},
                                                                 {"seq_id", trace_.sequence_number[row]},
                                                                 {"scope", trace_.scope[row]},
                                                                 {"tid", trace_.thread[row]},
                                                                 {"fw_tid", trace_.forward_thread[row]}};
    for (const auto& [attribute, number] : numbers) {
      if (number == trace::kNoNumber) return stop_at(trace_, row, "there is no attribute " + std::string(attribute));
      append_number(node, attribute, number);
    }
    const StringId op_schema = trace_.op_schema[row];
    // Empty and missing are one number here; the original takes the one and stops at the other.
    if (op_schema == 0 && trace_.text(trace_.attributes[row]).find("op_schema\"") == std::string_view::npos)
      return stop_at(trace_, row, "there is no attribute op_schema");
    append_text(node, node_field::attr, "op_schema", strings_.text(op_schema));
    const bool on_device = is_device_row(trace_, row);
    append_attribute(node, node_field::attr, "is_cpu_op",
                     [&](WireWriter& a) { a.add_number(field::bool_val, !on_device); });
    if (!on_device) append_number(node, "stream", 0);
    else if (trace_.measured[row].stream != trace::kNoNumber)
      append_number(node, "stream", trace_.measured[row].stream);
    return on_device ? append_communication(node, row, name) : Status();
  }

  Status append_communication(WireWriter& node, std::uint32_t row, std::string_view name) {
    const NodeType type = graph_.type[row];
    if (type != NodeType::comm_send && type != NodeType::comm_recv && type != NodeType::comm_coll) return {};
    if (type == NodeType::comm_coll) {
      const auto comm_type = comm_type_of_kernel(name);
      if (!comm_type) return stop_at(trace_, row, "no collective that the original knows: " + std::string(name));
      append_number(node, "comm_type", *comm_type);
    }
    const auto bytes = bytes_of_inputs(trace_.text(trace_.inputs[row]));
    if (!bytes) return stop_at(trace_, row, "an input that is said to be a tensor is none");
    append_number(node, "comm_size", *bytes);
    if (graph_.group_name[row] != 0)
      append_text(node, node_field::attr, "pg_name", strings_.text(graph_.group_name[row]));
    return {};
  }

  const HostTrace& trace_;
  const Interner& strings_;
  const LinkedGraph& graph_;
  std::string bytes_;
  std::string message_bytes_, attribute_bytes_, python_text_;
  TensorText inputs_, outputs_;
  std::vector<std::uint64_t> dependencies_;
};

}  // namespace

Result<std::string> convert_linked_trace(const HostTrace& linked, const Interner& strings) {
  if (std::find(kSchemas.begin(), kSchemas.end(), linked.schema) == kSchemas.end())
    return stop(linked, "schema " + linked.schema + " is not one that the original converts");
  const Result<LinkedGraph> graph = make_linked_graph(linked, strings);
  if (!graph) return graph.error();
  return LinkedConverter(linked, strings, *graph).convert();
}

}  // namespace orrery::chakra
