// The process groups of a rank: which ranks a collective's group name stands for.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "match/recorded_communication.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::match {

// How many members the group of a communication has.

/// By whatever says so: the size that the event records, the list of ranks, else the world's; at least `seen`, those
/// that were seen to take part. Of an operation of a group that the ranks list (Operation::members), that group says
/// it.
std::uint32_t group_members(const trace::Trace& trace, const trace::RankTrace& rank, const Operation& operation,
                            trace::EventIndex event, std::uint32_t seen);

/// Groups are those that the host trace lists and those whose ranks the profiler wrote beside their collectives.
class GroupTable {
 public:
  /// Names of `listed` are in the trace's table of texts; no ranks: all.
  GroupTable(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<workload::CommGroup>& listed);

  struct Group {
    StringId name;                            ///< in the trace's table; 0: all ranks
    const std::vector<std::uint32_t>* ranks;  ///< null: all ranks, in order
  };
  /// A name that nobody explains stands for all ranks, with a remark.
  Group find(StringId name, std::int64_t size, Diagnostics& diagnostics) const;

 private:
  void add(StringId name, std::vector<std::uint32_t> ranks);

  const trace::Trace& trace_;
  std::size_t world_size_ = 0;                                      // 0: not recorded
  std::unordered_map<StringId, std::vector<std::uint32_t>> ranks_;  // only looked up, never walked
};

/// "[0, 1, 2, 3]"; empty if it is anything else, or cut short by the profiler ("[0, 1, ..., 7]").
std::vector<std::uint32_t> parse_ranks(std::string_view text);

}  // namespace orrery::match
