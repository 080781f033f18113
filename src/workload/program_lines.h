// The communication of one program, put into lines: collectives by communicator, sends and receives by channel, each in
// program order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "graph/graph.h"
#include "workload/workload.h"

namespace orrery::workload {

// The order in which a program issues its activities: what "the i-th" means wherever activities of several ranks are
// matched.

/// Activities such that each comes after those it depends on; of those that may come next, always the smallest. So the
/// order of the ids, unless dependencies run against them. O(n), and O(n log n) where they do.
Column<graph::NodeId> program_order(const graph::Graph& dependencies);

inline constexpr std::uint32_t kNoLine = ~std::uint32_t{0};

/// The collectives of one communicator.
struct Stream {
  StringId group_name = 0;
  std::vector<std::uint32_t> activities;  ///< in program order
};

/// What tells messages apart, as one side sees it. As in MPI the communicator, here a role, is part of it: a message to
/// the next of the pipeline is received from the one before in the pipeline, and not by a receive that names a rank.
struct ChannelKey {
  bool is_send = false;
  StringId role = 0;      ///< 0: ranks are named by their numbers
  std::int64_t peer = 0;  ///< a rank, or how many places further in the role's group, from 0 to its size - 1; kAnyPeer
  std::int64_t tag = 0;   ///< or kAnyTag

  auto operator<=>(const ChannelKey&) const = default;
  [[nodiscard]] bool is_wildcard() const { return peer == kAnyPeer || tag == kAnyTag; }
};

struct Channel {
  ChannelKey key;
  std::vector<std::uint32_t> activities;  ///< in program order
};

/// Where an activity stands.
struct LinePlace {
  std::uint32_t line = kNoLine;  ///< into streams or channels; kNoLine: no communication
  std::uint32_t place = 0;       ///< within the line
  std::uint32_t send = 0;        ///< of a send: its place in ProgramLines::sends
};

/// How much a program does in all.
struct ProgramLength {
  std::uint64_t activities = 0;
  std::vector<std::uint64_t> collectives;  ///< by group, as ProgramStructure::group_names
  std::uint64_t sends = 0;
};

/// Whom a program speaks to, however long it is: what can be known of one before it is made (workload/source.h).
struct ProgramStructure {
  std::vector<StringId> group_names;    ///< of its collectives; ascending
  std::vector<ChannelKey> channels;     ///< of its messages; ascending
  std::optional<ProgramLength> length;  ///< none: nobody knows

  /// Index into `group_names` or `channels`; kNoLine if it is not there.
  [[nodiscard]] std::uint32_t find_stream(StringId group_name) const;
  [[nodiscard]] std::uint32_t find_channel(const ChannelKey& key) const;
  /// A message whose peer is a rank, not a place in a role's group.
  [[nodiscard]] bool names_ranks() const;
  /// A receive from any rank or of any tag, or a send that fits any tag.
  [[nodiscard]] bool has_wildcards() const;
};

struct ProgramLines {
  std::vector<Stream> streams;       ///< by group name
  std::vector<Channel> channels;     ///< by key
  Column<LinePlace> places;          ///< by activity
  std::vector<std::uint32_t> sends;  ///< in program order
  std::uint32_t nameless = kNoLine;  ///< the first message that names no peer

  /// Index into `streams` or `channels`; kNoLine if there is none.
  [[nodiscard]] std::uint32_t find_stream(StringId group_name) const;
  [[nodiscard]] std::uint32_t find_channel(const ChannelKey& key) const;
};

/// O(n log lines), and what program_order() takes.
ProgramLines lines_of(const Workload& workload, const Program& program);

/// The same for a part of a program: the streams and channels are those of `structure`, also where nothing is on them.
/// An Error names the group or channel of an activity that `structure` does not have.
Result<ProgramLines> lines_of(const Workload& workload, const Program& program, const ProgramStructure& structure);

/// With its length.
ProgramStructure structure_of(const ProgramLines& lines);

}  // namespace orrery::workload
