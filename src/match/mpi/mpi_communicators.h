// Which communicator an MPI call used: handles mean nothing outside the process that wrote them, and are used again
// after a communicator was freed. What is the same on all ranks is the ordered list of members and the order in which
// those do their collectives.
//
// A communicator is (members in order, epoch). Members of one list do their collectives in one order, whatever the
// handles: the n-th of a rank is the n-th of the others. The handles that they used for the n-th, taken together, tell
// the communicators of one list apart: two collectives are of the same one if every member used the same handle for
// both. Epochs count those from 1, by their first collective.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace orrery::match {

/// A call of one rank, and the communicator it names.
struct CommunicatorUse {
  trace::EventIndex event = 0;
  std::uint64_t handle = 0;   ///< of the recording process
  std::uint32_t members = 0;  ///< place in CommunicatorUses::lists
  bool is_collective = true;  ///< false: a message, which is in no order with the collectives of others
};

/// What one rank says of communicators, filled by readers while they read.
class CommunicatorUses {
 public:
  CommunicatorUses() = default;
  CommunicatorUses(CommunicatorUses&&) = default;
  CommunicatorUses& operator=(CommunicatorUses&&) = default;

  /// In order of `event`. `members`: ranks of the job, in the order of the communicator.
  void add(trace::EventIndex event, std::uint64_t handle, const std::vector<std::int64_t>& members, bool is_collective);
  [[nodiscard]] const std::vector<CommunicatorUse>& uses() const { return uses_; }
  [[nodiscard]] const std::vector<const std::vector<std::int64_t>*>& lists() const { return lists_; }

 private:
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers_;
  std::vector<const std::vector<std::int64_t>*> lists_;
  std::vector<CommunicatorUse> uses_;
};

/// Fills group_name_text, group_ranks_text, group_size and, of collectives, collective_sequence (its place among those
/// of its communicator, from 0) of every use, and SourceInfo::groups. `uses` has one entry per rank of the trace. The
/// communicator of all ranks is called "world"; others by their members ("0,2", "0-9:3": every third); later epochs get
/// their number ("world#2"). O(uses x members of their communicators).
void name_communicators(const std::vector<CommunicatorUses>& uses, std::int64_t world_size, trace::Trace& trace);

/// "0,2,5", "0-3", "0-9:3"; a long list without rule by its first members, its size and a hash.
std::string name_of_members(const std::vector<std::int64_t>& members, std::int64_t world_size);

/// "[0, 2, 5]", as Field::group_ranks_text has it; also of counts.
std::string list_text(const std::vector<std::int64_t>& numbers);

/// The numbers of such a text; empty if it is anything else.
std::vector<std::int64_t> parse_list(std::string_view text);

}  // namespace orrery::match
