// What each activity of a chain is: its name, kind, size, group and place, as columns of a Program.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "causal/program/activity_chain.h"
#include "causal/program/collective_details.h"
#include "match/group_table.h"
#include "match/host_work.h"
#include "workload/workload.h"

namespace orrery::causal {

/// A Program without its dependencies, and what is known of its activities beside it.
struct ProgramParts {
  workload::Program program;
  Column<std::uint32_t> host_row;  ///< per activity: into the host trace; of device work that of the operator; kNoRow
  Column<std::uint32_t> event;     ///< per activity: the event of the profiler trace it comes from; kNoEvent
  std::vector<workload::CommGroup> groups;  ///< other than all ranks, as far as used
};

class ProgramColumns {
 public:
  /// `host`, `match` and `arguments` may be null. `groups`, `work`: see LinkOptions. Texts go to `strings`.
  ProgramColumns(const trace::Trace& trace, const trace::RankTrace& rank, const OperatorIndex& operators,
                 const trace::HostTrace* host, const HostMatch* match, const trace::HostArguments* arguments,
                 const std::vector<workload::CommGroup>& groups, std::span<const match::HostWork> work,
                 Interner& strings, Diagnostics& diagnostics);

  ProgramParts make(const ActivityChain& chain);

 private:
  struct Communication {
    workload::ActivityKind kind = workload::ActivityKind::compute;
    CollectiveDetails details;
    StringId group = 0;  // in strings_
    std::int64_t peer = 0;
  };

  /// Whether the activity stands for its event: the first part of an operator, the part in which a collective
  /// communicates.
  [[nodiscard]] bool stands_for_event(std::uint32_t i, const ChainedActivity& activity) const;
  StringId name_of(std::uint32_t i, const ChainedActivity& activity);
  StringId translate(StringId in_trace);
  StringId continued(StringId in_trace);
  [[nodiscard]] bool is_on_host(const ChainedActivity& activity) const;
  [[nodiscard]] std::int32_t place_of(const ChainedActivity& activity, bool on_host) const;
  [[nodiscard]] std::uint32_t row_of(std::uint32_t i, const ChainedActivity& activity, bool on_host) const;
  Communication communication_of(const ChainedActivity& activity, ProgramParts& parts);
  void set_communication(std::size_t i, const ChainedActivity& activity, ProgramParts& parts);
  void set_memory(std::size_t i, const ChainedActivity& activity, workload::Program& program) const;

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const OperatorIndex& operators_;
  const HostMatch* match_;
  QueueIndex queues_;
  Interner& strings_;
  Diagnostics& diagnostics_;
  CollectiveSource collectives_;
  match::GroupTable groups_;
  Column<std::uint32_t> communicates_;               // by event: the activity in which it communicates
  std::array<StringId, kJobEdgeKinds> delay_names_;  // by EdgeKind
  Column<StringId> translated_, continued_;          // by number of the text in the trace
};

}  // namespace orrery::causal
