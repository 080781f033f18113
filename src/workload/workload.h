// What a job does, before it is known when: per rank a graph of activities (compute, memory, messages, collectives),
// and the groups they run in. Readers of workload formats and generators make one; simulators take one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/optional_column.h"
#include "base/units.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "workload/role.h"

namespace orrery::workload {

enum class ActivityKind : std::uint8_t { none, metadata, memory_load, memory_store, compute, send, recv, collective };
std::string_view to_string(ActivityKind kind);

enum class Collective : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  barrier
};
inline constexpr std::size_t kCollectives = 9;
std::string_view to_string(Collective collective);
/// Whether one rank has a part of its own.
bool is_rooted(Collective collective);
/// Whether its members may put in, or get, parts of unequal size: MPI's v-collectives.
bool may_have_unequal_parts(Collective collective);
/// The size of what a collective makes when each of `ranks` puts in `bytes` (see Program::bytes): the whole result of
/// all_gather and gather, and of the others the same as what is put in. Stops at the largest number there is.
std::int64_t whole_bytes(Collective collective, std::int64_t bytes, std::size_t ranks);

/// Of a receive: from whichever rank; of a message: whichever tag.
inline constexpr std::int32_t kAnyPeer = -1;
inline constexpr std::int64_t kAnyTag = -1;

/// The start of an activity whose start was not recorded.
inline constexpr TimePs kNotRecorded = std::numeric_limits<TimePs>::min();

/// The type of a dependency edge. `start` is weaker than the others: the target may start as soon as the source has
/// started.
enum class Dependency : std::uint8_t { data, control, start };

/// A builder of Program::dependencies.
inline graph::GraphBuilder dependency_builder() {
  return graph::GraphBuilder(static_cast<std::uint8_t>(Dependency::start));
}

/// Which attributes of an activity were given at all, and where it runs: a set of bits.
namespace activity {
inline constexpr std::uint8_t kOnHost = 1;         ///< runs on the CPU, not on the device
inline constexpr std::uint8_t kHasBytes = 2;       ///< Program::bytes was given
inline constexpr std::uint8_t kHasOperations = 4;  ///< Program::operations was given
inline constexpr std::uint8_t kHasTag = 8;         ///< Program::tags was given
inline constexpr std::uint8_t kHasPeer = 16;       ///< Program::peers was given
}  // namespace activity

/// What one rank does, or several that do the same. Activity i is node i of the graph; activities are in ascending
/// order of their ids. Per activity about 50 bytes with those of the graph, per dependency 13.
struct Program {
  /// Node i has the duration of activity i, as recorded; 0: not recorded. An edge: the source ends (Dependency::start:
  /// starts) before the target starts; type: Dependency; weight 0. Made with dependency_builder(), so that graph::solve
  /// is the program in time, alone: every activity takes as long as it was recorded to take and starts as soon as it
  /// may; collectives and messages wait for nobody.
  graph::Graph dependencies;
  Column<std::uint64_t> ids;  ///< the file's own, unique, ascending
  Column<StringId> names;     ///< in Workload::strings
  Column<ActivityKind> kinds;
  Column<std::uint8_t> flags;  ///< activity::k...
  /// At least 0. Of a message: its size. Of a collective: what one rank puts in; so of all_gather and gather its share
  /// of the result, of broadcast and scatter what the root puts in, of the others the whole buffer. Of anything else:
  /// the tensors touched.
  Column<std::int64_t> bytes;
  OptionalColumn<std::int64_t> operations;  ///< floating-point operations of a compute
  /// Of a send: the destination; of a recv: the source, kAnyPeer for any; of a rooted collective: the root, not given:
  /// the first member. A rank; but of a message with a peer role how many places further in the group of that role,
  /// round about; and of a collective in the group of a role the place in it.
  OptionalColumn<std::int32_t> peers;
  OptionalColumn<StringId>
      peer_roles;                     ///< of a message: a Role, in whose group `peers` counts; none: `peers` is a rank
  OptionalColumn<std::int64_t> tags;  ///< of a message; kAnyTag matches any
  OptionalColumn<Collective> collectives;       ///< which collective
  OptionalColumn<StringId> group_names;         ///< of a collective: a CommGroup or a Role; the empty name is the world
  OptionalColumn<std::int32_t> priorities;      ///< of a collective
  OptionalColumn<std::uint32_t> excluded_dims;  ///< of a collective: bit d is set if network dimension d takes no part
  OptionalColumn<std::uint8_t> cpus;            ///< which of a rank's processors it runs on
  OptionalColumn<std::uint8_t> nics;            ///< of a message: which of a rank's network interfaces it uses
  OptionalColumn<TimePs, kNotRecorded> starts_ps;  ///< as recorded, since Workload::epoch_us
  OptionalColumn<std::int32_t>
      lanes;  ///< as recorded: of a host activity its thread, of others the stream of the device

  OptionalColumn<std::uint32_t> part_lists;  ///< of a collective: 1 + place in `parts`; 0: as `bytes` says
  /// Bytes per member of the group, where they are not equal: of all_to_all what goes to each, of scatter and
  /// reduce_scatter the share of each.
  std::vector<std::vector<std::int64_t>> parts;

  [[nodiscard]] std::size_t size() const { return ids.size(); }
  [[nodiscard]] TimePs duration_ps(std::size_t i) const { return dependencies.duration(static_cast<graph::NodeId>(i)); }
  /// Empty if they are equal.
  [[nodiscard]] std::span<const std::int64_t> parts_of(std::size_t i) const {
    return part_lists[i] == 0 ? std::span<const std::int64_t>()
                              : std::span<const std::int64_t>(parts[part_lists[i] - 1]);
  }
  [[nodiscard]] bool has(std::size_t i, std::uint8_t flag) const { return (flags[i] & flag) != 0; }
  [[nodiscard]] std::size_t memory_bytes() const;
};

/// A communicator of which the ranks are listed, in order: what files have. The world is not listed.
struct CommGroup {
  StringId name = 0;
  std::vector<std::uint32_t> ranks;
};

/// A plain value. Ranks with the same program share it: a data-parallel job of 4,096 ranks may have one program, and
/// one of 16,384 ranks with 16 pipeline stages 16 of them, since programs speak of groups and peers by role. Across
/// ranks, activities are numbered rank by rank: activity i of rank r is first_activity(r) + i.
struct Workload {
  Interner strings;
  std::vector<Program> programs;
  Column<std::uint32_t> program_of_rank;
  std::vector<CommGroup> groups;  ///< distinct names
  std::vector<Role> roles;        ///< distinct names, and none that a group has
  std::int64_t epoch_us = 0;  ///< what TimePs 0 of a recorded start means, in microseconds of the recording's own clock
  std::size_t recorded_ranks = 0;  ///< how many ranks the job had, as its files say; 0: they do not say. More than
                                   ///< rank_count(): some are missing

  [[nodiscard]] std::size_t rank_count() const { return program_of_rank.size(); }
  [[nodiscard]] const Program& program(std::size_t rank) const { return programs[program_of_rank[rank]]; }
  /// The group called `name`, or null (also for the world).
  [[nodiscard]] const CommGroup* find_group(StringId name) const;
  /// The role called `name`, or null.
  [[nodiscard]] const Role* find_role(StringId name) const;
  /// The rank that a message of `rank` goes to or comes from, as `activity` says: kAnyPeer for any; perhaps one that is
  /// not there.
  [[nodiscard]] std::int64_t peer_rank(std::uint32_t rank, std::size_t activity) const;
  /// rank_count() + 1 entries: where each rank's activities begin, and their total.
  [[nodiscard]] std::vector<std::uint64_t> first_activities() const;
  /// "rank 3, node 17 (all_reduce grads)": how messages name an activity.
  [[nodiscard]] std::string describe(std::size_t rank, std::size_t activity) const {
    return describe(rank, program(rank), activity);
  }
  /// The same where the program is not one of `programs`.
  [[nodiscard]] std::string describe(std::size_t rank, const Program& program, std::size_t activity) const;
};

}  // namespace orrery::workload
