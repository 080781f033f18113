#include "formats/goal/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "formats/goal/rank_program.h"

namespace orrery::goal {
namespace {

using workload::ActivityKind;
using workload::Dependency;
using workload::Program;

bool is_message(ActivityKind kind) { return kind == ActivityKind::send || kind == ActivityKind::recv; }

/// Numbers of 32 bits for tags beyond those (messages of collectives have such): above all others, in the same order.
/// All ranks have the same.
class Tags {
 public:
  /// False if there are more of them than numbers.
  bool collect(const workload::Workload& workload) {
    std::int64_t highest = -1;
    for (const Program& program : workload.programs) {
      for (std::size_t i = 0; i < program.size(); ++i) {
        if (!is_message(program.kinds[i])) continue;
        const std::int64_t tag = program.tags[i];
        if (tag > kMaxTag) wide_.push_back(tag);
        else highest = std::max(highest, tag);
      }
    }
    std::sort(wide_.begin(), wide_.end());
    wide_.erase(std::unique(wide_.begin(), wide_.end()), wide_.end());
    first_ = highest + 1;
    return wide_.empty() || static_cast<std::int64_t>(wide_.size()) - 1 <= kMaxTag - first_;
  }
  [[nodiscard]] std::int64_t narrow(std::int64_t tag) const {
    if (tag <= kMaxTag) return tag;
    return first_ + (std::lower_bound(wide_.begin(), wide_.end(), tag) - wide_.begin());
  }

 private:
  std::vector<std::int64_t> wide_;  // each once, ascending
  std::int64_t first_ = 0;
};

/// Whole nanoseconds for the computations of a rank. What rounding adds to one is taken from the next: the sum never is
/// off by more than half of one.
class Rounding {
 public:
  std::int64_t to_ns(TimePs duration) {
    const TimePs due = duration + owed_;
    const std::int64_t ns = std::max<std::int64_t>(0, (due + kPsPerNs / 2) / kPsPerNs);
    owed_ = due - ns * kPsPerNs;
    return ns;
  }

 private:
  TimePs owed_ = 0;
};

void append_placement(const Program& program, std::size_t i, std::string& text) {
  const auto out = std::back_inserter(text);
  if (program.cpus[i] != 0) fmt::format_to(out, " cpu {}", program.cpus[i]);
  if (program.nics[i] != 0) fmt::format_to(out, " nic {}", program.nics[i]);
  text += '\n';
}

/// False if GOAL cannot say it.
bool append_operation(const Program& program, std::size_t i, const Tags& tags, Rounding& rounding, std::string& text) {
  const auto out = std::back_inserter(text);
  const ActivityKind kind = program.kinds[i];
  const bool is_memory = kind == ActivityKind::memory_load || kind == ActivityKind::memory_store;
  if (kind == ActivityKind::compute || is_memory || kind == ActivityKind::metadata || kind == ActivityKind::none) {
    fmt::format_to(out, "l{}: calc {}", i + 1,
                   kind == ActivityKind::compute || is_memory ? rounding.to_ns(program.duration_ps(i)) : 0);
  } else if (is_message(kind) && program.has(i, workload::activity::kHasPeer)) {
    const bool is_send = kind == ActivityKind::send;
    fmt::format_to(out, "l{}: {} {}b {} {} tag {}", i + 1, is_send ? "send" : "recv", program.bytes[i],
                   is_send ? "to" : "from", program.peers[i], tags.narrow(program.tags[i]));
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
  Tags tags;
  if (!tags.collect(workload)) return Error{"the messages have more tags than GOAL has numbers: 2^32 - 1"};
  std::string text = fmt::format("num_ranks {}\n", workload.rank_count());
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Program& program = workload.program(rank);
    fmt::format_to(std::back_inserter(text), "\nrank {} {{\n", rank);
    Rounding rounding;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (!append_operation(program, i, tags, rounding, text))
        return Error{workload.describe(rank, i) + " cannot be written as GOAL"};
    }
    append_dependencies(program, text);
    text += "}\n";
  }
  return text;
}

}  // namespace orrery::goal
