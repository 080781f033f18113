// Collectives of a group by their order: its members do the same in the same order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "match/host_work.h"
#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::match {

// The process groups of a job, told apart by their members: one name may stand for different groups on different ranks.

/// The groups that the ranks list (SourceInfo::groups), each once. `trace` must outlive it.
class ProcessGroups {
 public:
  struct Group {
    std::string name;
    std::vector<std::int64_t> ranks;    ///< in the order of the group
    std::vector<std::uint32_t> listed;  ///< who lists it: places in Trace::ranks, increasing
  };

  explicit ProcessGroups(const trace::Trace& trace);

  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }
  /// The number in all() of a group of one rank: `place` in its SourceInfo::groups.
  [[nodiscard]] std::uint32_t number(std::size_t rank, std::size_t place) const { return numbers_[rank][place]; }
  /// Whether it is of all ranks of the job, as far as recorded.
  [[nodiscard]] bool is_world(std::uint32_t number) const { return groups_[number].ranks.size() == world_size_; }
  /// Names that stand for different members on different ranks, each once.
  [[nodiscard]] std::vector<std::string> reused_names() const;

 private:
  std::vector<Group> groups_;
  std::vector<std::vector<std::uint32_t>> numbers_;
  std::size_t world_size_ = 0;
};

/// In the order in which one rank asked for them.
std::vector<std::uint32_t> order_of_issue(const trace::RankTrace& rank, const trace::ContentOrder& content,
                                          const std::vector<HostWork>& works);

/// What has to be the same on all members: the kind, and the size where everybody puts in as much.
std::uint64_t token_of(const HostWork& work);

/// Sets HostWork::sequence of collectives. Where a recording was cut short at one end, those at the other end still
/// belong together. Groups whose members differ in any other way get no numbers and are counted: for those there is the
/// pattern of their times (unnumbered.h).
void number_in_order(const trace::Trace& trace, const ProcessGroups& groups, HostWorks& works);

}  // namespace orrery::match
