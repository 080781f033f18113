// The process groups of a job, told apart by their members: one name may stand for different groups on different ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace orrery::match {

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

}  // namespace orrery::match
