// One call of an MPI program, as the ranks of a class make it.
#pragma once

#include <compare>
#include <cstdint>

#include "base/units.h"
#include "workload/workload.h"

namespace orrery::motif {

/// Ranks stand on a grid row by row.
struct MpiCall {
  enum class Kind : std::uint8_t {
    local,       ///< nothing that others see: freeing a communicator, say
    wait,        ///< for all messages that are under way
    exchange,    ///< a message to `peer`, and one from who sends to this rank in the same way
    collective,  ///< in `group`
  };
  enum class Group : std::uint8_t { world, row, column };
  enum class Peer : std::uint8_t {
    transposed,  ///< the rank at the mirrored place of a square grid
    shift,       ///< `offset` ranks further in `group`, around the ends
    neighbour,   ///< the `offset`-th existing one in the grid: up, down, left, right
    fixed,       ///< rank `offset`, which gets a message from each and sends none
  };

  Kind kind = Kind::local;
  Group group = Group::world;
  Peer peer = Peer::shift;
  workload::Collective collective = workload::Collective::all_reduce;
  bool blocks = true;       ///< an exchange is over when the call is; else when somebody waits
  std::uint32_t phase = 0;  ///< into CallLists::phases
  std::uint32_t root = 0;   ///< in the group
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  ///< as Program::bytes counts
  TimePs compute_ps = 0;   ///< before it

  auto operator<=>(const MpiCall&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

}  // namespace orrery::motif
