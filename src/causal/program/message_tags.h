// Tags that tell messages of one communicator from those of another. In MPI a message meets a receive of its own
// communicator only; a message of a Workload has a peer and a tag. So every (communicator, tag) of a job gets a tag of
// its own; those of the world keep theirs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "match/mpi/mpi_sources.h"
#include "trace/trace.h"

namespace orrery::causal {

class MessageTags {
 public:
  /// `calls` is empty of a job that is none of MPI. O(messages log messages).
  MessageTags(const trace::Trace& trace, const std::vector<match::MpiCalls>& calls);

  /// Of a message: `group` is the name of its communicator in the trace, 0 if none is recorded; the world is taken
  /// then.
  [[nodiscard]] std::int64_t of(StringId group, std::int64_t tag) const;
  /// Of a receive by `rank` that takes any tag in `group`. kAnyTag fits other communicators, too, and is the answer
  /// only where no message to the rank is of another, or, with `is_exact` false, where messages of several tags come in
  /// `group` and none of these could be told from the others.
  [[nodiscard]] std::int64_t of_any(StringId group, std::int64_t rank, bool& is_exact) const;

 private:
  [[nodiscard]] StringId counted(StringId group) const { return group == world_ ? 0 : group; }

  StringId world_ = 0;
  std::map<std::pair<StringId, std::int64_t>, std::int64_t> numbers_;  // by communicator other than the world, and tag
  std::map<std::int64_t, std::map<StringId, std::set<std::int64_t>>>
      sent_to_;  // by destination and communicator: the tags
};

}  // namespace orrery::causal
