// The trace of one rank of an MPI job into a program: what it computed between calls, its messages and collectives, and
// what waits for what.
//
// - Computing is the time between two calls, and the time inside calls that only begin something or ask for something.
// - Messages: MPI_Send is a send that the rank waits for; MPI_Isend one that it goes on beside, until the call that
//   completes it. Tags tell communicators apart (message_tags.h).
// - Collectives are those of a communicator that the trace knows; v-collectives with their parts.
// - Others: a call that synchronises with ranks that the trace does not name keeps its recorded time, as computing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/program/linked_rank.h"
#include "match/mpi/mpi_sources.h"
#include "trace/trace.h"

namespace orrery::causal {

// Tags that tell messages of one communicator from those of another. In MPI a message meets a receive of its own
// communicator only; a message of a Workload has a peer and a tag. So every (communicator, tag) of a job gets a tag of
// its own; those of the world keep theirs.

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

/// Of collectives in which only the root's sizes count (scatter): what it puts in, by communicator and place there.
class RootSizes {
 public:
  /// `calls` is empty of a job that is none of MPI.
  RootSizes(const trace::Trace& trace, const std::vector<match::MpiCalls>& calls);
  struct Sizes {
    std::int64_t bytes = 0;  ///< for each member
    StringId counts = 0;     ///< elements for each member, as written; 0: equal
    std::int64_t element_bytes = 0;
    bool is_of_root = false;
  };
  /// Null if no member recorded it.
  [[nodiscard]] const Sizes* find(StringId group, std::int64_t sequence) const;

 private:
  std::map<std::pair<StringId, std::int64_t>, Sizes> sizes_;
};

/// What is found out about all ranks together before each is linked.
struct MpiJobFacts {
  MpiJobFacts(const trace::Trace& trace, const std::vector<match::MpiCalls>& calls)
      : root_sizes(trace, calls), tags(trace, calls) {}
  RootSizes root_sizes;
  MessageTags tags;
};

/// Texts of the program go to `strings`. `calls` is that of the rank. Deterministic; O(calls + open requests).
Result<LinkedRank> link_mpi_rank(const trace::Trace& trace, const trace::RankTrace& rank, const match::MpiCalls& calls,
                                 const MpiJobFacts& facts, Interner& strings, const LinkOptions& options,
                                 Diagnostics& diagnostics);

}  // namespace orrery::causal
