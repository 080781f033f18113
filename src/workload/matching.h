// Who belongs together: the collectives and messages of all ranks, by one set of rules that every simulator, replay and
// export uses.
//
// - Collectives: the i-th of a rank on a communicator is the i-th of every other member, in program order
//   (workload/program_lines.h). Members agree on the kind, on the root and, unless the kind allows parts of unequal
//   size, on the size. A root that is not given is the first member.
// - Messages: the i-th send from one rank to another in a role with a tag is the i-th receive there, in program order.
// - Wildcards: a rank with a receive from any source or of any tag (or to which a send goes that fits any tag) takes
//   messages as MPI does, in the order in which receives are posted and sends are issued (workload/message_matcher.h).
//   Who sends to whom is then known only while it runs.
//
// Which groups and channels there are follows from what programs announce (workload/membership.h), what sides have to
// agree on is in workload/agreement.h. Here all activities are at hand, so that everything is looked at before anything
// runs. Where a program is made while it runs (workload/source.h), the engine holds the same rules against its
// activities as they come.
//
// Nothing here is stored per activity and rank: what a program does is put into lines once, and a partner is looked up
// when it is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/membership.h"
#include "workload/program_lines.h"
#include "workload/workload.h"

namespace orrery::workload {

/// A send and its receive. Activities are numbered within their rank.
struct Message {
  std::uint32_t source = 0;  ///< a rank
  std::uint32_t target = 0;
  std::uint32_t send = 0;  ///< an activity
  std::uint32_t recv = 0;
  std::int64_t bytes = 0;
};

class Matching {
 public:
  /// An Error names both activities that should match and do not; or the one that has no partner, names a rank, role or
  /// group that is not there, or is in a group that does not list its rank. O(programs + communicators and their
  /// members + ranks x channels). `workload` must outlive the matching.
  static Result<Matching> of(const Workload& workload);

  Matching(Matching&&) = default;
  Matching& operator=(Matching&&) = default;

  [[nodiscard]] const Workload& workload() const { return membership_.job(); }
  [[nodiscard]] const Membership& membership() const { return membership_; }
  [[nodiscard]] const ProgramLines& lines(std::uint32_t rank) const {
    return programs_[workload().program_of_rank[rank]];
  }
  [[nodiscard]] const ProgramLines& lines_of_program(std::size_t program) const { return programs_[program]; }
  [[nodiscard]] LinePlace place(std::uint32_t rank, std::uint32_t activity) const {
    return lines(rank).places[activity];
  }

  // --- collectives ---

  [[nodiscard]] std::span<const Communicator> communicators() const { return membership_.communicators(); }
  [[nodiscard]] std::uint64_t collective_count() const { return first_operation_.back(); }
  /// Of a stream of a rank's program: into communicators().
  [[nodiscard]] std::uint32_t communicator_number(std::uint32_t rank, std::uint32_t stream) const {
    return membership_.communicator_number(rank, stream);
  }
  /// Of a collective.
  [[nodiscard]] const Communicator& communicator(std::uint32_t rank, std::uint32_t activity) const {
    return communicators()[communicator_number(rank, place(rank, activity).line)];
  }
  /// Collectives are numbered communicator by communicator, each in program order.
  [[nodiscard]] std::uint64_t operation(std::uint32_t rank, std::uint32_t activity) const {
    const LinePlace here = place(rank, activity);
    return first_operation_[communicator_number(rank, here.line)] + here.place;
  }
  /// The activity of a member that is collective number `place` of the communicator.
  [[nodiscard]] std::uint32_t activity_of(const Communicator& communicator, std::uint32_t rank,
                                          std::uint64_t place) const {
    const ProgramLines& program = lines(rank);
    return program.streams[program.find_stream(communicator.name)].activities[place];
  }

  // --- messages ---

  /// Messages are numbered by source, each in program order of its sends.
  [[nodiscard]] std::uint64_t message_number(std::uint32_t source, std::uint32_t send) const {
    return first_send_[source] + place(source, send).send;
  }
  /// The rank that a message goes to or comes from; Membership::kNoRank for any.
  [[nodiscard]] std::uint32_t peer(std::uint32_t rank, std::uint32_t activity) const {
    return membership_.peer(rank, lines(rank).channels[place(rank, activity).line].key);
  }
  /// What a send or receive is one side of; nothing if that is known only while it runs. O(log channels).
  [[nodiscard]] std::optional<Message> message(std::uint32_t rank, std::uint32_t activity) const;

 private:
  friend class CollectiveRules;
  friend class MessageRules;

  explicit Matching(Membership membership, std::vector<ProgramLines> programs)
      : membership_(std::move(membership)), programs_(std::move(programs)) {}

  Membership membership_;
  std::vector<ProgramLines> programs_;
  std::vector<std::uint64_t> first_operation_;  // per communicator, and the total
  std::vector<std::uint64_t> first_send_;       // per rank, and the total
};

/// The two halves of Matching::of: they fill it in and check it.
Status match_collectives(Matching& matching);
Status match_messages(Matching& matching);

}  // namespace orrery::workload
