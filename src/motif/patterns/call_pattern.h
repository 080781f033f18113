// A pattern out of lists of MPI calls: what the ranks of a class of a program call, one after the other, with the
// computation before each.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "motif/patterns/pattern.h"
#include "workload/workload.h"

namespace orrery::motif {

// One call of an MPI program, as the ranks of a class make it.

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

  auto operator<=>(const MpiCall&) const = default;
};

/// Ranks stand on a grid row by row.
struct CallLists {
  std::vector<std::string> phases;
  std::vector<std::vector<MpiCall>> by_class;
  std::function<std::uint32_t(std::uint32_t rank)> class_of;  ///< which of these a rank calls
  std::uint32_t rows = 1, columns = 1;                        ///< of the grid
};

/// An Error if a mirrored place is asked for and the grid is not square, or nobody calls anything.
/// Ranks that call the same share a program wherever they stand, as far as their peers are the same seen from each:
/// mirrored places make a class of each diagonal of the grid.
Result<Pattern> call_pattern(CallLists lists);

}  // namespace orrery::motif
