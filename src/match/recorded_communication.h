// Collectives and messages as each node recorded them, before it is known which of them are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "match/group_order.h"
#include "match/host_work.h"
#include "match/mpi/mpi_sources.h"
#include "match/number_table.h"
#include "trace/content_order.h"
#include "trace/names/rules.h"
#include "trace/trace.h"

namespace orrery::match {

// Who takes part in what, as traces write it: members of a process group, replica groups and source-target pairs of
// XLA.

/// "[4, 5, 6, 7]" at place 1 -> 5. None if the list is shorter, cut off ("...") before that place, or no list.
std::optional<std::int64_t> member_of_group(std::string_view list, std::int64_t place);

/// "{{0,1},{2,3}}" -> those lists. "{}" and "[1,8]<=[8]" are one group of everybody: {}. None if the text is anything
/// else, as "[4,2]<=[8]", which says that there are four groups and, in a way not read here, which.
std::optional<std::vector<std::vector<std::int64_t>>> parse_groups(std::string_view text);

/// "{{0,1},{1,0}}" and rank 1 -> 0, whether it sends or receives. None if no pair or more than one has the rank on that
/// side.
std::optional<std::int64_t> peer_in_pairs(std::string_view pairs, std::int64_t rank, bool is_send);

/// What is asked of which group. Equal on all participants.
struct Operation {
  StringId kind = 0;    ///< allreduce
  StringId name = 0;    ///< all-reduce.3; 0 where the program gives it no name of its own
  StringId module = 0;  ///< jit_step
  StringId group = 0;   ///< name of the process group
  StringId ranks = 0;   ///< its members, as written
  StringId pairs = 0;   ///< of a permutation: who sends to whom, as written
  /// Of what a host did itself: its group, a number of RecordedCommunication::groups; everybody where the ranks list
  /// none.
  std::uint32_t members = kNoGroup;
  /// Of works whose names alone tell (trace/names/rules.h): the rule that does; the size of the group where the name
  /// says it, else 0; and which block of that many ranks in a row it is, since engines make groups of neighbours.
  std::uint32_t rule = trace::Rules::kNoRule;
  std::uint32_t group_size = 0;
  std::uint32_t block = 0;

  friend bool operator==(const Operation&, const Operation&) = default;
  [[nodiscard]] std::uint64_t hash() const {
    const auto both = [](StringId a, StringId b) { return std::uint64_t{a} << 32 | b; };
    return mix(mix(mix(1, both(kind, name)), both(module, group)), both(ranks, pairs)) ^ members ^
           both(~rule * 31 + block, 0);
  }
};

/// What is done: as recorded, or as its rule says. Empty: not known.
std::string_view kind_of(const trace::Trace& trace, const Operation& operation);

struct CollectiveRecord {
  std::int64_t sequence =
      kNoNumber;  ///< of NCCL, the run id of XLA, or the place in the order of a group; kNoNumber: none
  trace::EventIndex event = 0;
  std::uint32_t operation = 0;  ///< index of RecordedCommunication::operations
  trace::EventIndex call =
      kNoCall;  ///< of a non-blocking collective of MPI: the call that began it; `event` is the one that completed it
};

/// One side of a message.
struct MessageSide {
  std::uint32_t node = 0;  ///< place in Trace::ranks
  trace::EventIndex event = 0;
  StringId group = 0;
  bool is_send = false;
  std::int64_t peer = kNoNumber;  ///< rank number of the other side
  std::int64_t sequence = kNoNumber;
  std::int64_t tag = kNoNumber;
  trace::EventIndex call = kNoCall;  ///< what asked for it, of what a host did itself
};

struct RecordedCommunication {
  ProcessGroups groups;
  HostWorks host = {};
  std::vector<MpiCalls> mpi = {};  ///< as Trace::ranks; empty if no rank is one of an MPI job
  std::vector<Operation> operations = {};
  std::vector<CollectiveRecord> all =
      {};  ///< node by node, each in the order of what the events are (trace/content_order.h)
  std::vector<std::size_t> first_of_node = {};  ///< one more than there are nodes
  std::vector<MessageSide> messages = {};       ///< the same
  std::size_t without_extent = 0;               ///< events that do not end after they start: they bound nothing
};

/// Launches (PyTorch's record_param_comms) are no collectives: they end long before. What only they record is looked up
/// by launch_of.
RecordedCommunication find_recorded_communication(const trace::Trace& trace);

/// The launches of one rank, by what ties them to the work they set off.
class Launches {
 public:
  /// `rank` must outlive this. O(collectives log collectives).
  Launches(const trace::RankTrace& rank, const trace::ContentOrder& content, StringId launch_name);
  /// A value of the event, or else of its launch; kNoNumber if neither has it. O(log collectives).
  [[nodiscard]] std::int64_t value(trace::EventIndex event, trace::Field field) const;

 private:
  struct Launch {
    std::int64_t external_id;
    trace::EventIndex event;
  };
  const trace::RankTrace& rank_;
  std::vector<Launch> by_id_;
};

/// The name of launches in this trace; 0 if there is none.
StringId launch_name(const trace::Trace& trace);

}  // namespace orrery::match
