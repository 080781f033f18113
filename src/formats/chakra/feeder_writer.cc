#include "formats/chakra/feeder_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/output_file.h"
#include "base/json/json_writer.h"
#include "formats/chakra/node_words.h"
#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

using workload::ActivityKind;
using workload::Dependency;
using workload::Program;
namespace activity = workload::activity;

constexpr std::size_t kFlushedTextBytes = std::size_t{1} << 20;

void append_dependencies(JsonWriter& json, const Program& program, std::size_t i, Dependency type) {
  json.begin_array();
  for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i))) {
    if (static_cast<Dependency>(program.dependencies.type(slot)) == type)
      json.value(program.ids[program.dependencies.source(slot)]);
  }
  json.end_array();
}

void append_message(JsonWriter& json, const Program& program, std::size_t i, std::size_t rank) {
  const bool is_send = program.kinds[i] == ActivityKind::send;
  if (program.has(i, activity::kHasPeer)) {
    const auto own = static_cast<std::int64_t>(rank), peer = std::int64_t{program.peers[i]};
    json.field("comm_src", is_send ? own : peer).field("comm_dst", is_send ? peer : own);
  }
  // Also where they are 0: a message that lacks one is odd to every reader.
  json.field("comm_tag", program.tags[i]).field("comm_size", program.bytes[i]);
}

void append_collective(JsonWriter& json, const workload::Workload& workload, const Program& program, std::size_t i) {
  json.field("comm_type", comm_type_of(program.collectives[i])).field("comm_size", program.bytes[i]);
  if (program.has(i, activity::kHasPeer)) json.field("root_rank", program.peers[i]);
  if (program.priorities[i] != 0) json.field("comm_priority", program.priorities[i]);
  if (program.group_names[i] != 0) json.field("pg_name", workload.strings.text(program.group_names[i]));
  if (const std::uint32_t excluded = program.excluded_dims[i]; excluded != 0) {
    json.key("involved_dim").begin_array();
    for (std::uint32_t d = 0; excluded >> d != 0; ++d) json.value((excluded >> d & 1) == 0);
    json.end_array();
  }
}

void append_node(JsonWriter& json, const workload::Workload& workload, std::size_t rank, std::size_t i) {
  const Program& program = workload.program(rank);
  const ActivityKind kind = program.kinds[i];
  json.begin_object().field("Id", program.ids[i]).field("Name", node_name(workload, program, i));
  json.field("NodeType", static_cast<std::int32_t>(node_type_of(kind)));
  // Two spellings side by side are what the feeder reads: JSONNode looks for ctrlDeps and data_deps.
  json.key("ctrlDeps"), append_dependencies(json, program, i, Dependency::control);
  json.key("data_deps"), append_dependencies(json, program, i, Dependency::data);
  json.field("is_cpu_op", program.has(i, activity::kOnHost)).field("runtime", duration_micros(program, i));
  if (const std::uint64_t start = start_micros(workload, program, i); start != 0)
    json.field("start_time_micros", start);
  if (!program.lanes.values().empty())
    json.field(program.has(i, activity::kOnHost) ? "tid" : "stream", program.lanes[i]);
  if (kind == ActivityKind::collective) append_collective(json, workload, program, i);
  else if (kind == ActivityKind::send || kind == ActivityKind::recv) append_message(json, program, i, rank);
  else {
    if (program.has(i, activity::kHasOperations)) json.field("num_ops", program.operations[i]);
    if (program.has(i, activity::kHasBytes)) json.field("tensor_size", program.bytes[i]);
  }
  json.end_object();
}

}  // namespace

Status write_feeder_json(const workload::Workload& workload, std::size_t rank, const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  std::string text = "{\"workload_graph\": [";
  for (std::size_t i = 0; i < workload.program(rank).size(); ++i) {
    if (const std::string_view problem = beyond_words(workload.program(rank), i); !problem.empty())
      return Error{fmt::format("{} {}", workload.describe(rank, i), problem)};
    text += i == 0 ? "\n" : ",\n";
    JsonWriter json(text);
    append_node(json, workload, rank, i);
    // A rank may have millions of nodes; none of it needs to be kept.
    if (text.size() >= kFlushedTextBytes) {
      file->write(text);
      text.clear();
    }
  }
  text += "\n]}\n";
  file->write(text);
  return file->commit();
}

}  // namespace orrery::chakra
