#include "formats/chakra/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/json/json_writer.h"
#include "base/protobuf/protobuf_writer.h"
#include "formats/chakra/node_words.h"
#include "formats/chakra/schema.h"

// A rank's file is a metadata record and a record per node, in the order of the program. Attributes have the types that
// Chakra's own feeder expects (comm_tag and peers 32 bits, sizes 64), and come in the order of Chakra's generator,
// since files are compared byte by byte. Bytes go out by the megabyte, so that memory does not grow with the file.

namespace orrery::chakra {

// One attribute of every type.

/// Appends the thirty attributes of the metadata node of Chakra's generator to a Node, in its order and with its
/// values.
void append_sample_attributes(WireWriter& node);

namespace {

namespace field = attribute_field;

constexpr std::uint32_t kListValues = 1;

/// How a number lies in a message: three ways, for fourteen types.
enum class Encoding : std::uint8_t { varint, zigzag, fixed };

/// An attribute, and below it the same as a list; the field of a list comes after that of its type.
template <typename AddValue, typename AddList>
void append_pair(WireWriter& node, std::string_view name, std::uint32_t number, bool documented,
                 const AddValue& add_value, const AddList& add_list) {
  {
    WireWriter attribute(node, node_field::attr);
    attribute.add_bytes(field::name, name);
    if (documented) attribute.add_bytes(field::doc_string, name);
    add_value(attribute, number);
  }
  WireWriter attribute(node, node_field::attr);
  attribute.add_bytes(field::name, std::string(name) + "_list");
  WireWriter list(attribute, number + 1);
  add_list(list);
}

/// Of three numbers the first is the value alone, the others are the list.
template <Encoding kEncoding, typename T>
void append_numbers(WireWriter& node, std::string_view name, std::uint32_t number, bool documented,
                    std::array<T, 3> numbers) {
  const std::array<T, 2> listed = {numbers[1], numbers[2]};
  append_pair(
      node, name, number, documented,
      [&](WireWriter& attribute, std::uint32_t tag) {
        if constexpr (kEncoding == Encoding::varint) attribute.add_number(tag, numbers[0]);
        else if constexpr (kEncoding == Encoding::zigzag) attribute.add_zigzag(tag, numbers[0]);
        else attribute.add_fixed(tag, numbers[0]);
      },
      [&](WireWriter& list) {
        if constexpr (kEncoding == Encoding::varint) list.add_packed(kListValues, listed);
        else if constexpr (kEncoding == Encoding::zigzag) list.add_packed_zigzag(kListValues, listed);
        else list.add_packed_fixed(kListValues, listed);
      });
}

void append_texts(WireWriter& node, std::string_view name, std::uint32_t number, bool documented) {
  append_pair(
      node, name, number, documented,
      [](WireWriter& attribute, std::uint32_t tag) { attribute.add_bytes(tag, "12345"); },
      [](WireWriter& list) {
        for (int i = 0; i < 10; ++i) list.add_bytes(kListValues, std::to_string(12345 + i));
      });
}

}  // namespace

void append_sample_attributes(WireWriter& node) {
  using enum Encoding;
  using I32 = std::int32_t;
  using I64 = std::int64_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  append_numbers<fixed, double>(node, "double", field::double_val, true, {1.2345, 1.2345, 2.3456});
  append_numbers<fixed, float>(node, "float", field::float_val, true, {1.2345f, 1.2345f, 2.3456f});
  append_numbers<varint, I32>(node, "int32", field::int32_val, true, {12345, 12345, 23456});
  append_numbers<varint, I64>(node, "int64", field::int64_val, true, {9876543210, 9876543210, 1234567890});
  append_numbers<varint, U32>(node, "uint32", field::uint32_val, true, {12345, 12345, 23456});
  append_numbers<varint, U64>(node, "uint64", field::uint64_val, true, {9876543210, 9876543210, 1234567890});
  append_numbers<zigzag, I32>(node, "sint32", field::sint32_val, true, {-12345, 12345, -23456});
  append_numbers<zigzag, I64>(node, "sint64", field::sint64_val, true, {-9876543210, 9876543210, -1234567890});
  // The generator documents neither these nor the bytes.
  append_numbers<fixed, U32>(node, "fixed32", field::fixed32_val, false, {12345, 12345, 23456});
  append_numbers<fixed, U64>(node, "fixed64", field::fixed64_val, false, {9876543210, 9876543210, 1234567890});
  append_numbers<fixed, I32>(node, "sfixed32", field::sfixed32_val, false, {-12345, 12345, -23456});
  append_numbers<fixed, I64>(node, "sfixed64", field::sfixed64_val, false, {-9876543210, 9876543210, -1234567890});
  append_pair(
      node, "bool", field::bool_val, true,
      [](WireWriter& attribute, std::uint32_t tag) { attribute.add_number(tag, true); },
      [](WireWriter& list) {
        list.add_packed(kListValues, std::array<U32, 10>{1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
      });
  append_texts(node, "string", field::string_val, true);
  append_texts(node, "bytes", field::bytes_val, false);
}

namespace {

using workload::ActivityKind;
using workload::Dependency;
using workload::Program;
namespace activity = workload::activity;
namespace field = attribute_field;

constexpr std::size_t kFlushedBytes = std::size_t{1} << 20;

/// Writes the nodes of one rank, a megabyte at a time.
class RankWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  RankWriter(const workload::Workload& workload, std::size_t rank, const WriteOptions& options, Sink sink)
      : workload_(workload), program_(workload.program(rank)), rank_(rank), options_(options), sink_(std::move(sink)) {}

  Status write();

 private:
  Status append_node(std::size_t i);
  void append_dependencies(WireWriter& node, std::size_t i);
  void append_attributes(WireWriter& node, std::size_t i);
  void append_message_attributes(WireWriter& node, std::size_t i);
  void append_collective_attributes(WireWriter& node, std::size_t i);
  void append_lane(WireWriter& node, std::size_t i);
  void append_details(WireWriter& node);
  static void append_tensors(WireWriter& node, std::uint32_t number, const NodeDetails::Tensors& tensors);
  void append_message(const std::string& message) {
    append_record(bytes_, message);
    if (bytes_.size() >= kFlushedBytes) flush();
  }
  void flush() {
    sink_(bytes_);
    bytes_.clear();
  }
  /// One attribute; `add` adds its value.
  template <typename Add>
  static void attribute(WireWriter& node, std::string_view name, const Add& add) {
    WireWriter attribute(node, node_field::attr);
    attribute.add_bytes(field::name, name);
    add(attribute);
  }
  static void append_text(WireWriter& message, std::uint32_t number, std::string_view name, std::string_view value) {
    WireWriter attribute(message, number);
    attribute.add_bytes(field::name, name);
    attribute.add_bytes(field::string_val, value);
  }
  static void int64_attribute(WireWriter& node, std::string_view name, std::int64_t value) {
    attribute(node, name, [&](WireWriter& a) { a.add_number(field::int64_val, value); });
  }
  static void uint64_attribute(WireWriter& node, std::string_view name, std::int64_t value) {
    attribute(node, name, [&](WireWriter& a) { a.add_number(field::uint64_val, static_cast<std::uint64_t>(value)); });
  }
  /// As the feeder wants it where it fits.
  static void int32_attribute(WireWriter& node, std::string_view name, std::int64_t value) {
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
      return int64_attribute(node, name, value);
    attribute(node, name, [&](WireWriter& a) { a.add_number(field::int32_val, static_cast<std::int32_t>(value)); });
  }

  const workload::Workload& workload_;
  const Program& program_;
  std::size_t rank_;
  const WriteOptions& options_;
  Sink sink_;
  NodeDetails details_;  // of the node at hand
  std::vector<std::uint64_t> control_, data_;
  std::string bytes_;       // not given to the sink yet
  std::string node_bytes_;  // of the node at hand
};

void RankWriter::append_dependencies(WireWriter& node, std::size_t i) {
  control_.clear(), data_.clear();
  for (const graph::Slot slot : program_.dependencies.incoming(static_cast<graph::NodeId>(i))) {
    // Start dependencies have no word in Chakra; what cannot be said is refused before (beyond_words).
    const auto type = static_cast<Dependency>(program_.dependencies.type(slot));
    (type == Dependency::control ? control_ : data_).push_back(program_.ids[program_.dependencies.source(slot)]);
  }
  if (!control_.empty()) node.add_packed(node_field::ctrl_deps, control_);
  if (!data_.empty()) node.add_packed(node_field::data_deps, data_);
}

void RankWriter::append_message_attributes(WireWriter& node, std::size_t i) {
  const bool is_send = program_.kinds[i] == ActivityKind::send;
  const auto own = static_cast<std::int64_t>(rank_), peer = std::int64_t{program_.peers[i]};
  if (program_.has(i, activity::kHasPeer)) {
    int32_attribute(node, "comm_src", is_send ? own : peer);
    int32_attribute(node, "comm_dst", is_send ? peer : own);
  }
  int32_attribute(node, "comm_tag", program_.tags[i]);
  int64_attribute(node, "comm_size", program_.bytes[i]);
}

void RankWriter::append_collective_attributes(WireWriter& node, std::size_t i) {
  int64_attribute(node, "comm_type", comm_type_of(program_.collectives[i]));
  int64_attribute(node, "comm_size", program_.bytes[i]);
  if (program_.has(i, activity::kHasPeer)) int32_attribute(node, "root_rank", program_.peers[i]);
  if (program_.priorities[i] != 0) int32_attribute(node, "comm_priority", program_.priorities[i]);
  if (program_.group_names[i] != 0) {
    const std::string_view name = workload_.strings.text(program_.group_names[i]);
    append_text(node, node_field::attr, "pg_name", name);
  }
  if (const std::span<const std::int64_t> parts = program_.parts_of(i); !parts.empty()) {
    attribute(node, "comm_parts", [&](WireWriter& a) {
      WireWriter list(a, field::int64_list);
      list.add_packed(1, std::vector<std::uint64_t>(parts.begin(), parts.end()));
    });
  }
  if (const std::uint32_t excluded = program_.excluded_dims[i]; excluded != 0) {
    attribute(node, "involved_dim", [&](WireWriter& a) {
      WireWriter list(a, field::bool_list);
      std::vector<std::uint32_t> involved(static_cast<std::size_t>(std::bit_width(excluded)));
      // Chakra lists which dimensions take part; a program has the exceptions.
      for (std::size_t d = 0; d < involved.size(); ++d) involved[d] = (excluded >> d & 1) != 0 ? 0 : 1;
      list.add_packed(1, involved);
    });
  }
}

/// Where it ran, under the name Chakra's converter has for it.
void RankWriter::append_lane(WireWriter& node, std::size_t i) {
  if (program_.lanes.values().empty()) return;
  int64_attribute(node, program_.has(i, activity::kOnHost) ? "tid" : "stream", program_.lanes[i]);
}

void RankWriter::append_tensors(WireWriter& node, std::uint32_t number, const NodeDetails::Tensors& tensors) {
  WireWriter info(node, number);
  if (!tensors.values.empty()) info.add_bytes(tensors_field::values, tensors.values);
  if (!tensors.shapes.empty()) info.add_bytes(tensors_field::shapes, tensors.shapes);
  if (!tensors.types.empty()) info.add_bytes(tensors_field::types, tensors.types);
}

void RankWriter::append_details(WireWriter& node) {
  for (const auto& [name, value] : details_.integers) int64_attribute(node, name, value);
  for (const auto& [name, value] : details_.texts) append_text(node, node_field::attr, name, value);
}

void RankWriter::append_attributes(WireWriter& node, std::size_t i) {
  const ActivityKind kind = program_.kinds[i];
  if (kind == ActivityKind::metadata) {
    if (options_.sample_attributes) append_sample_attributes(node);
    return;
  }
  // Workloads that were never on a host (generated ones) do without: Chakra's generator writes none.
  // Chakra's own field has whole microseconds; the exact time goes beside it where it differs.
  if (const TimePs duration = program_.duration_ps(i);
      duration > 0 && duration % kPsPerUs != 0 && kind != ActivityKind::none)
    int64_attribute(node, "duration_ps", duration);
  if (options_.host_attribute)
    attribute(node, "is_cpu_op",
              [&](WireWriter& a) { a.add_number(field::bool_val, program_.has(i, activity::kOnHost)); });
  append_lane(node, i);
  if (kind == ActivityKind::collective) return append_collective_attributes(node, i);
  const bool is_message = kind == ActivityKind::send || kind == ActivityKind::recv;
  const bool is_addressed = program_.has(i, activity::kHasPeer) || program_.has(i, activity::kHasTag);
  // A message without either end or tag is what the generator's samples have: a node of that type, and no more.
  if (is_message && is_addressed) return append_message_attributes(node, i);
  if (program_.has(i, activity::kHasOperations)) int64_attribute(node, "num_ops", program_.operations[i]);
  if (program_.has(i, activity::kHasBytes)) uint64_attribute(node, "tensor_size", program_.bytes[i]);
}

Status RankWriter::append_node(std::size_t i) {
  if (const std::string_view problem = beyond_words(program_, i); !problem.empty())
    return Error{fmt::format("{} {}", workload_.describe(rank_, i), problem)};
  node_bytes_.clear();
  WireWriter node(node_bytes_);
  // proto3 leaves 0 out, as Chakra's writers do.
  if (program_.ids[i] != 0) node.add_number(node_field::id, program_.ids[i]);
  const std::string_view name = node_name(workload_, program_, i);
  if (!name.empty()) node.add_bytes(node_field::name, name);
  // 0, which proto3 leaves out.
  if (const NodeType type = node_type_of(program_.kinds[i]); type != NodeType::invalid)
    node.add_number(node_field::type, static_cast<std::int32_t>(type));
  append_dependencies(node, i);
  if (const std::uint64_t start = start_micros(workload_, program_, i); start != 0)
    node.add_number(node_field::start_time_micros, start);
  if (const std::uint64_t duration = duration_micros(program_, i); duration != 0)
    node.add_number(node_field::duration_micros, duration);
  // Kept between nodes for its memory.
  details_.clear();
  if (options_.details) options_.details(rank_, i, details_);
  if (details_.has_tensors) {
    append_tensors(node, node_field::inputs, details_.inputs);
    append_tensors(node, node_field::outputs, details_.outputs);
  }
  append_attributes(node, i);
  append_details(node);
  append_message(node_bytes_);
  return {};
}

Status RankWriter::write() {
  std::string metadata;
  WireWriter fields(metadata);
  if (!options_.version.empty()) fields.add_bytes(metadata_field::version, options_.version);
  for (const auto& [name, value] : options_.metadata) append_text(fields, metadata_field::attr, name, value);
  append_message(metadata);
  for (std::size_t i = 0; i < program_.size(); ++i) {
    if (const Status added = append_node(i); !added) return added;
  }
  flush();
  return {};
}

}  // namespace

Result<std::string> to_protobuf(const workload::Workload& workload, std::size_t rank, const WriteOptions& options) {
  std::string bytes;
  const Status written = RankWriter(workload, rank, options, [&](std::string_view part) { bytes += part; }).write();
  if (!written) return written.error();
  return bytes;
}

Status write_rank(const workload::Workload& workload, std::size_t rank, const std::string& path,
                  const WriteOptions& options) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  const Status written = RankWriter(workload, rank, options, [&](std::string_view part) { file->write(part); }).write();
  if (!written) return written;
  return file->commit();
}

void write_record(std::string_view message, OutputFile& out) {
  std::string length;
  append_varint(length, message.size());
  out.write(length);
  out.write(message);
}

std::pair<std::string, std::string> without_profiler_metadata() { return {"without_profiler", "true"}; }

std::pair<std::string, std::string> world_size_metadata(std::size_t ranks) {
  return {std::string(kWorldSizeAttribute), std::to_string(ranks)};
}

Status write_workload(const workload::Workload& workload, const std::string& prefix, const WriteOptions& options) {
  OutputSet files;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (Status written = write_rank(workload, rank, fmt::format("{}.{}.et", prefix, rank), options); !written)
      return written;
  }
  return files.publish();
}

std::string groups_json(const workload::Workload& workload) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const workload::CommGroup& group : workload.groups) {
    json.key(workload.strings.text(group.name)).begin_array();
    for (const std::uint32_t rank : group.ranks) json.value(rank);
    json.end_array();
  }
  json.end_object();
  return text;
}

}  // namespace orrery::chakra
