// A pattern out of lists of MPI calls: what the ranks of a class of a program call, one after the other, with the
// computation before each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "motif/patterns/mpi_call.h"
#include "motif/patterns/pattern.h"

namespace orrery::motif {

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
