#include "formats/chakra/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/output_file.h"
#include "formats/chakra/sample_attributes.h"
#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

using graph::ActivityKind;
using graph::Collective;
using graph::Dependency;
using graph::Program;
using protozero::pbf_writer;
namespace activity = graph::activity;
namespace field = attribute_field;

NodeType type_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::none: return NodeType::invalid;
    case ActivityKind::metadata: return NodeType::metadata;
    case ActivityKind::memory_load: return NodeType::mem_load;
    case ActivityKind::memory_store: return NodeType::mem_store;
    case ActivityKind::compute: return NodeType::comp;
    case ActivityKind::send: return NodeType::comm_send;
    case ActivityKind::recv: return NodeType::comm_recv;
    case ActivityKind::collective: return NodeType::comm_coll;
  }
  return NodeType::invalid;
}

std::int64_t comm_type_of(Collective collective) {
  switch (collective) {
    case Collective::all_reduce: return comm_type::all_reduce;
    case Collective::reduce: return comm_type::reduce;
    case Collective::all_gather: return comm_type::all_gather;
    case Collective::gather: return comm_type::gather;
    case Collective::scatter: return comm_type::scatter;
    case Collective::broadcast: return comm_type::broadcast;
    case Collective::all_to_all: return comm_type::all_to_all;
    case Collective::reduce_scatter: return comm_type::reduce_scatter;
    case Collective::barrier: return comm_type::barrier;
  }
  return comm_type::all_reduce;
}

constexpr std::size_t kFlushedBytes = std::size_t{1} << 20;

/// Writes the nodes of one rank, a megabyte at a time.
class RankWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  RankWriter(const graph::Workload& workload, std::size_t rank, const WriteOptions& options, Sink sink)
      : workload_(workload), program_(workload.program(rank)), rank_(rank), options_(options), sink_(std::move(sink)) {}

  Status write();

 private:
  Status append_node(std::size_t i);
  Status append_dependencies(pbf_writer& node, std::size_t i);
  void append_attributes(pbf_writer& node, std::size_t i);
  void append_message_attributes(pbf_writer& node, std::size_t i);
  void append_collective_attributes(pbf_writer& node, std::size_t i);
  void append_start(pbf_writer& node, TimePs start);
  void append_lane(pbf_writer& node, std::size_t i);
  void append_details(pbf_writer& node);
  static void append_tensors(pbf_writer& node, std::uint32_t number, const NodeDetails::Tensors& tensors);
  void append_message(const std::string& message) {
    protozero::add_varint_to_buffer(&bytes_, message.size());
    bytes_ += message;
    if (bytes_.size() >= kFlushedBytes) flush();
  }
  void flush() {
    sink_(bytes_);
    bytes_.clear();
  }
  [[nodiscard]] Error refuse(std::size_t i, std::string_view why) const {
    return Error{fmt::format("{} {}", workload_.describe(rank_, i), why)};
  }

  /// One attribute; `add` adds its value.
  template <typename Add>
  static void attribute(pbf_writer& node, std::string_view name, const Add& add) {
    pbf_writer attribute(node, node_field::attr);
    attribute.add_string(field::name, name.data(), name.size());
    add(attribute);
  }
  static void int64_attribute(pbf_writer& node, std::string_view name, std::int64_t value) {
    attribute(node, name, [&](pbf_writer& a) { a.add_int64(field::int64_val, value); });
  }
  static void uint64_attribute(pbf_writer& node, std::string_view name, std::int64_t value) {
    attribute(node, name, [&](pbf_writer& a) { a.add_uint64(field::uint64_val, static_cast<std::uint64_t>(value)); });
  }
  /// As the feeder wants it where it fits.
  static void int32_attribute(pbf_writer& node, std::string_view name, std::int64_t value) {
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
      return int64_attribute(node, name, value);
    attribute(node, name, [&](pbf_writer& a) { a.add_int32(field::int32_val, static_cast<std::int32_t>(value)); });
  }

  const graph::Workload& workload_;
  const Program& program_;
  std::size_t rank_;
  const WriteOptions& options_;
  Sink sink_;
  NodeDetails details_;     // of the node at hand
  std::string bytes_;       // not given to the sink yet
  std::string node_bytes_;  // of the node at hand
};

Status RankWriter::append_dependencies(pbf_writer& node, std::size_t i) {
  std::vector<std::uint64_t> control, data;
  for (const graph::Slot slot : program_.dependencies.incoming(static_cast<graph::NodeId>(i))) {
    const auto type = static_cast<Dependency>(program_.dependencies.type(slot));
    if (type == Dependency::start) return refuse(i, "waits for a start only, which Chakra cannot say");
    (type == Dependency::control ? control : data).push_back(program_.ids[program_.dependencies.source(slot)]);
  }
  if (!control.empty()) node.add_packed_uint64(node_field::ctrl_deps, control.begin(), control.end());
  if (!data.empty()) node.add_packed_uint64(node_field::data_deps, data.begin(), data.end());
  return {};
}

void RankWriter::append_message_attributes(pbf_writer& node, std::size_t i) {
  const bool is_send = program_.kinds[i] == ActivityKind::send;
  const auto own = static_cast<std::int64_t>(rank_), peer = std::int64_t{program_.peers[i]};
  if (program_.has(i, activity::kHasPeer)) {
    int32_attribute(node, "comm_src", is_send ? own : peer);
    int32_attribute(node, "comm_dst", is_send ? peer : own);
  }
  int32_attribute(node, "comm_tag", program_.tags[i]);
  int64_attribute(node, "comm_size", program_.bytes[i]);
}

void RankWriter::append_collective_attributes(pbf_writer& node, std::size_t i) {
  int64_attribute(node, "comm_type", comm_type_of(program_.collectives[i]));
  int64_attribute(node, "comm_size", program_.bytes[i]);
  if (program_.has(i, activity::kHasPeer)) int32_attribute(node, "root_rank", program_.peers[i]);
  if (program_.priorities[i] != 0) int32_attribute(node, "comm_priority", program_.priorities[i]);
  if (program_.group_names[i] != 0) {
    const std::string_view name = workload_.strings.text(program_.group_names[i]);
    attribute(node, "pg_name", [&](pbf_writer& a) { a.add_string(field::string_val, name.data(), name.size()); });
  }
  if (const std::uint32_t excluded = program_.excluded_dims[i]; excluded != 0) {
    attribute(node, "involved_dim", [&](pbf_writer& a) {
      pbf_writer list(a, field::bool_list);
      std::vector<std::uint32_t> involved(static_cast<std::size_t>(std::bit_width(excluded)));
      for (std::size_t d = 0; d < involved.size(); ++d) involved[d] = (excluded >> d & 1) != 0 ? 0 : 1;
      list.add_packed_uint32(1, involved.begin(), involved.end());
    });
  }
}

/// Where it ran, under the name Chakra's converter has for it.
void RankWriter::append_lane(pbf_writer& node, std::size_t i) {
  if (program_.lanes.values().empty()) return;
  int64_attribute(node, program_.has(i, activity::kOnHost) ? "tid" : "stream", program_.lanes[i]);
}

/// Microseconds of the recording's clock, so that 0 still means that nothing was recorded.
void RankWriter::append_start(pbf_writer& node, TimePs start) {
  const std::int64_t us = workload_.epoch_us + (start >= 0 ? start : start - (kPsPerUs - 1)) / kPsPerUs;
  if (us > 0) node.add_uint64(node_field::start_time_micros, static_cast<std::uint64_t>(us));
}

void RankWriter::append_tensors(pbf_writer& node, std::uint32_t number, const NodeDetails::Tensors& tensors) {
  pbf_writer info(node, number);
  if (!tensors.values.empty()) info.add_string(tensors_field::values, tensors.values);
  if (!tensors.shapes.empty()) info.add_string(tensors_field::shapes, tensors.shapes);
  if (!tensors.types.empty()) info.add_string(tensors_field::types, tensors.types);
}

void RankWriter::append_details(pbf_writer& node) {
  for (const auto& [name, value] : details_.integers) int64_attribute(node, name, value);
  for (const auto& [name, value] : details_.texts)
    attribute(node, name, [&](pbf_writer& a) { a.add_string(field::string_val, value.data(), value.size()); });
}

void RankWriter::append_attributes(pbf_writer& node, std::size_t i) {
  const ActivityKind kind = program_.kinds[i];
  if (kind == ActivityKind::metadata) {
    if (options_.sample_attributes) append_sample_attributes(node);
    return;
  }
  attribute(node, "is_cpu_op", [&](pbf_writer& a) { a.add_bool(field::bool_val, program_.has(i, activity::kOnHost)); });
  append_lane(node, i);
  if (kind == ActivityKind::collective) return append_collective_attributes(node, i);
  const bool is_message = kind == ActivityKind::send || kind == ActivityKind::recv;
  const bool is_addressed = program_.has(i, activity::kHasPeer) || program_.has(i, activity::kHasTag);
  if (is_message && is_addressed) return append_message_attributes(node, i);
  if (program_.has(i, activity::kHasOperations)) int64_attribute(node, "num_ops", program_.operations[i]);
  if (program_.has(i, activity::kHasBytes)) uint64_attribute(node, "tensor_size", program_.bytes[i]);
}

Status RankWriter::append_node(std::size_t i) {
  const bool from_any = program_.kinds[i] == ActivityKind::recv && program_.has(i, activity::kHasPeer) && program_.peers[i] < 0;
  if (from_any) return refuse(i, "receives from any rank, which Chakra cannot say");
  node_bytes_.clear();
  pbf_writer node(node_bytes_);
  if (program_.ids[i] != 0) node.add_uint64(node_field::id, program_.ids[i]);
  const std::string_view name = workload_.strings.text(program_.names[i]);
  if (!name.empty()) node.add_string(node_field::name, name.data(), name.size());
  if (const NodeType type = type_of(program_.kinds[i]); type != NodeType::invalid)
    node.add_enum(node_field::type, static_cast<std::int32_t>(type));
  if (Status added = append_dependencies(node, i); !added) return added;
  if (const TimePs start = program_.starts_ps[i]; start != graph::kNotRecorded) append_start(node, start);
  if (const TimePs duration = program_.durations_ps[i]; duration > 0)
    node.add_uint64(node_field::duration_micros, static_cast<std::uint64_t>(std::max<TimePs>(1, (duration + kPsPerUs / 2) / kPsPerUs)));
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
  if (!options_.version.empty()) pbf_writer(metadata).add_string(1, options_.version);
  append_message(metadata);
  for (std::size_t i = 0; i < program_.size(); ++i) {
    if (const Status added = append_node(i); !added) return added;
  }
  flush();
  return {};
}

}  // namespace

Result<std::string> to_protobuf(const graph::Workload& workload, std::size_t rank, const WriteOptions& options) {
  std::string bytes;
  const Status written = RankWriter(workload, rank, options, [&](std::string_view part) { bytes += part; }).write();
  if (!written) return written.error();
  return bytes;
}

Status write_rank(const graph::Workload& workload, std::size_t rank, const std::string& path, const WriteOptions& options) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  const Status written = RankWriter(workload, rank, options, [&](std::string_view part) { file->write(part); }).write();
  if (!written) return written;
  return file->commit();
}

Status write_workload(const graph::Workload& workload, const std::string& prefix, const WriteOptions& options) {
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (Status written = write_rank(workload, rank, fmt::format("{}.{}.et", prefix, rank), options); !written) return written;
  }
  return {};
}

std::string groups_json(const graph::Workload& workload) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const graph::CommGroup& group : workload.groups) {
    json.key(workload.strings.text(group.name)).begin_array();
    for (const std::uint32_t rank : group.ranks) json.value(rank);
    json.end_array();
  }
  json.end_object();
  return text;
}

}  // namespace orrery::chakra
