#include "formats/goal/writer.h"

#include <fmt/format.h>

#include <iterator>

namespace orrery::goal {
namespace {

using workload::ActivityKind;
using workload::Dependency;
using workload::Program;

void append_placement(const Program& program, std::size_t i, std::string& text) {
  const auto out = std::back_inserter(text);
  if (program.cpus[i] != 0) fmt::format_to(out, " cpu {}", program.cpus[i]);
  if (program.nics[i] != 0) fmt::format_to(out, " nic {}", program.nics[i]);
  text += '\n';
}

/// False if GOAL cannot say it.
bool append_operation(const Program& program, std::size_t i, std::string& text) {
  const auto out = std::back_inserter(text);
  const ActivityKind kind = program.kinds[i];
  const bool is_memory = kind == ActivityKind::memory_load || kind == ActivityKind::memory_store;
  if (kind == ActivityKind::compute || is_memory || kind == ActivityKind::metadata || kind == ActivityKind::none) {
    fmt::format_to(out, "l{}: calc {}", i + 1, kind == ActivityKind::compute || is_memory ? program.duration_ps(i) / kPsPerNs : 0);
  } else if ((kind == ActivityKind::send || kind == ActivityKind::recv) && program.has(i, workload::activity::kHasPeer)) {
    const bool is_send = kind == ActivityKind::send;
    fmt::format_to(out, "l{}: {} {}b {} {} tag {}", i + 1, is_send ? "send" : "recv", program.bytes[i], is_send ? "to" : "from",
                   program.peers[i], program.tags[i]);
  } else {
    return false;
  }
  append_placement(program, i, text);
  return true;
}

void append_dependencies(const Program& program, std::string& text) {
  const graph::Graph& graph = program.dependencies;
  for (graph::EdgeId edge = 0; edge < graph.edge_count(); ++edge) {
    const graph::Slot slot = graph.slot_of_edge(edge);
    const bool starts = static_cast<Dependency>(graph.type(slot)) == Dependency::start;
    fmt::format_to(std::back_inserter(text), "l{} {} l{}\n", graph.target(slot) + 1, starts ? "irequires" : "requires",
                   graph.source(slot) + 1);
  }
}

}  // namespace

Result<std::string> to_text(const workload::Workload& workload) {
  std::string text = fmt::format("num_ranks {}\n", workload.rank_count());
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Program& program = workload.program(rank);
    fmt::format_to(std::back_inserter(text), "\nrank {} {{\n", rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (!append_operation(program, i, text)) return Error{workload.describe(rank, i) + " cannot be written as GOAL"};
    }
    append_dependencies(program, text);
    text += "}\n";
  }
  return text;
}

}  // namespace orrery::goal
