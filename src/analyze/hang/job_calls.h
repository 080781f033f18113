// What every rank of a job called, and how far each call got: what the rules of hang.h look at.
//
// Made from a Trace of Flight Recorder dumps; nothing here knows files.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::analyze {

enum class CallState : std::uint8_t {
  done,
  inside,  ///< it has begun and is not over
  queued,  ///< called, but the device has not begun it
};

inline constexpr std::int64_t kSizeUnknown = -1;

struct RecordedCall {
  std::int64_t number = 0;  ///< of a collective: in its group, from 1; of a message: as recorded, for people
  std::int64_t called_ns = 0;
  std::int64_t in_elements = kSizeUnknown, out_elements = kSizeUnknown;
  std::int64_t peer = -1;   ///< of a message: the rank on the other side; -1: not known
  std::uint32_t group = 0;  ///< place in JobCalls::groups
  StringId what = 0;        ///< all_reduce
  StringId in_type = 0, out_type = 0;
  StringId where = 0;  ///< train.py:73 in body; 0: not recorded
  CallState state = CallState::done;
  bool is_message = false;
  bool is_send = false;
  bool is_of_host = false;
};

/// A process group: one name with other members is another group.
struct CallGroup {
  std::string name;
  std::string description;
  std::vector<std::int64_t> ranks;  ///< in the order of the group
};

struct RankCalls {
  std::int64_t rank = 0;
  bool has_dumped = false;
  bool is_cut = false;  ///< its first calls are not recorded any more: the recorder keeps the last
  std::size_t entries = 0;
  std::vector<RecordedCall> calls;  ///< in the order in which they were made
};

/// The collectives of one member of a group, ascending by number: places in RankCalls::calls.
struct MemberCalls {
  std::uint32_t rank = 0;  ///< place in JobCalls::ranks
  std::vector<std::uint32_t> calls;
};

/// `strings` belongs to the trace, which must outlive this.
struct JobCalls {
  const Interner* strings = nullptr;
  std::vector<CallGroup> groups;
  std::vector<RankCalls> ranks;                   ///< ascending, those without a dump as well
  std::vector<std::vector<MemberCalls>> members;  ///< as `groups`, in the order of CallGroup::ranks

  [[nodiscard]] std::string_view text(StringId id) const { return strings->text(id); }
  /// The member's call with that number; null: it has none.
  [[nodiscard]] const RecordedCall* find(const MemberCalls& member, std::int64_t number) const;
  /// Whether a member that has no such call is past it all the same: its recorder dropped it.
  [[nodiscard]] bool has_passed(const MemberCalls& member, std::int64_t number) const;
  /// Place in `ranks`, which has all members of all groups.
  [[nodiscard]] std::uint32_t place_of(std::int64_t rank) const;
};

/// What follows from the groups and the calls of those who dumped: ranks that are missing, up to `world`, and
/// `members`. A call of a host backend that ended though a member which dumped never made it has failed: it counts as
/// begun.
void complete_calls(JobCalls& job, std::int64_t world);

/// Entries that were made as one (NCCL's coalesced groups) are one collective, or messages that are as far as the entry
/// that ends them. O(events log events).
JobCalls collect_calls(const trace::Trace& trace);

}  // namespace orrery::analyze
