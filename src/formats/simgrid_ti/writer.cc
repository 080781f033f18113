#include "formats/simgrid_ti/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/io/output_file.h"
#include "workload/program_lines.h"

// Activities in program order, which SimGrid replays one after the other. A message that the next activity waits for is
// a blocking action; others are begun, and waited for before the first activity that depends on them.

namespace orrery::simgrid_ti {
namespace {

using workload::ActivityKind;
using workload::Collective;
using workload::Program;

constexpr int kBytesType = 6;  // SimGrid's number for MPI_BYTE

class RankWriter {
 public:
  RankWriter(const workload::Workload& workload, std::uint32_t rank)
      : workload_(workload), program_(workload.program(rank)), rank_(rank) {}

  Result<std::string> write() {
    open_.assign(program_.size(), false);
    action("init");
    const Column<graph::NodeId> order = workload::program_order(program_.dependencies);
    for (std::size_t place = 0; place < order.size(); ++place) {
      const graph::NodeId activity = order[place];
      if (const Status waited = wait_for_those_before(activity); !waited) return waited.error();
      const graph::NodeId next = place + 1 < order.size() ? order[place + 1] : graph::kNoNode;
      if (const Status written = write_activity(activity, next); !written) return written.error();
    }
    // What nobody waited for must still be over before the rank leaves.
    for (const graph::NodeId activity : order)
      if (open_[activity]) wait(activity);
    action("finalize");
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void action(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format("{} ", rank_);
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  [[nodiscard]] Error refuse(graph::NodeId activity, std::string_view why) const {
    return Error{.message = fmt::format("{} {}", workload_.describe(rank_, activity), why),
                 .hint = "export to GOAL or Chakra instead"};
  }

  Status wait_for_those_before(graph::NodeId activity) {
    for (const graph::Slot slot : program_.dependencies.incoming(activity)) {
      if (static_cast<workload::Dependency>(program_.dependencies.type(slot)) == workload::Dependency::start)
        return refuse(activity, "waits for a start, for which SimGrid's traces have no word");
      const graph::NodeId source = program_.dependencies.source(slot);
      if (open_[source]) wait(source);
    }
    return {};
  }

  void wait(graph::NodeId message) {
    open_[message] = false;
    const bool sends = program_.kinds[message] == ActivityKind::send;
    const std::uint32_t peer = static_cast<std::uint32_t>(program_.peers[message]);
    action("wait {} {} {}", sends ? rank_ : peer, sends ? peer : rank_, program_.tags[message]);
  }

  [[nodiscard]] bool next_waits_for(graph::NodeId next, graph::NodeId activity) const {
    if (next == graph::kNoNode) return false;
    const auto incoming = program_.dependencies.incoming(next);
    return std::any_of(incoming.begin(), incoming.end(),
                       [&](graph::Slot slot) { return program_.dependencies.source(slot) == activity; });
  }

  Status write_activity(graph::NodeId i, graph::NodeId next) {
    switch (program_.kinds[i]) {
      case ActivityKind::none:
      case ActivityKind::metadata: return {};
      case ActivityKind::compute:
      case ActivityKind::memory_load:
      case ActivityKind::memory_store:
        // Not "compute": that is a number of operations, whose time is the host's affair.
        if (program_.duration_ps(i) > 0)
          // Twelve digits behind the point are picoseconds: nothing is rounded.
          action("sleep {}.{:012}", program_.duration_ps(i) / kPsPerSecond, program_.duration_ps(i) % kPsPerSecond);
        return {};
      case ActivityKind::send:
      case ActivityKind::recv: return write_message(i, next);
      case ActivityKind::collective: return write_collective(i);
    }
    return {};
  }

  Status write_message(graph::NodeId i, graph::NodeId next) {
    if (!program_.has(i, workload::activity::kHasPeer) || program_.peers[i] < 0)
      return refuse(i, "names no rank, and SimGrid's traces have to");
    const bool sends = program_.kinds[i] == ActivityKind::send, blocks = next_waits_for(next, i);
    action("{}{} {} {} {} {}", blocks ? "" : "i", sends ? "send" : "recv", program_.peers[i], program_.tags[i],
           program_.bytes[i], kBytesType);
    open_[i] = !blocks;
    return {};
  }

  Status write_collective(graph::NodeId i) {
    if (program_.group_names[i] != 0)
      return refuse(i, "is among a part of the ranks, and SimGrid replays every collective among all");
    const auto ranks = static_cast<std::int64_t>(workload_.rank_count());
    const std::int64_t bytes = program_.bytes[i];
    const std::int32_t root = program_.has(i, workload::activity::kHasPeer) ? program_.peers[i] : 0;
    if (!program_.parts_of(i).empty()) return refuse(i, "has parts of unequal size");
    // Rounded up, so that nothing that was sent is lost.
    const auto share = [&] { return (bytes + ranks - 1) / ranks; };
    switch (program_.collectives[i]) {
      case Collective::barrier: action("barrier"); break;
      case Collective::broadcast: action("bcast {} {} {}", bytes, root, kBytesType); break;
      // The 0 stands for the operations of the reduction itself, which are not known apart.
      case Collective::reduce: action("reduce {} 0 {} {}", bytes, root, kBytesType); break;
      case Collective::all_reduce: action("allreduce {} 0 {}", bytes, kBytesType); break;
      case Collective::all_to_all: action("alltoall {} {} {} {}", share(), share(), kBytesType, kBytesType); break;
      case Collective::all_gather: action("allgather {} {} {} {}", bytes, bytes, kBytesType, kBytesType); break;
      case Collective::gather: action("gather {} {} {} {} {}", bytes, bytes, root, kBytesType, kBytesType); break;
      case Collective::scatter: action("scatter {} {} {} {} {}", share(), share(), root, kBytesType, kBytesType); break;
      case Collective::reduce_scatter: {
        std::string counts;
        for (std::int64_t member = 0; member < ranks; ++member) counts += fmt::format("{} ", share());
        action("reducescatter {}0 {}", counts, kBytesType);
        break;
      }
    }
    return {};
  }

  const workload::Workload& workload_;
  const Program& program_;
  std::uint32_t rank_;
  std::vector<bool> open_;  // by activity: a message that was begun and not waited for
  std::string text_;
};

}  // namespace

Result<std::string> rank_text(const workload::Workload& workload, std::uint32_t rank) {
  return RankWriter(workload, rank).write();
}

Status write_workload(const workload::Workload& workload, const std::string& prefix) {
  std::string index;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const auto text = rank_text(workload, rank);
    if (!text) return text.error();
    const std::string path = fmt::format("{}_rank-{}.txt", prefix, rank);
    if (const Status written = write_whole_file(path, *text); !written) return written;
    index += path + "\n";
  }
  return write_whole_file(prefix + ".txt", index);
}

}  // namespace orrery::simgrid_ti
