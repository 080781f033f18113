// Where a sparse matrix in the Matrix Market format has entries: its values are not looked at.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace orrery::motif {

struct MatrixPlaces {
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  ///< row and column from 0, ascending, each once
};

/// Coordinate files (Boisvert, Pozo, Remington: The Matrix Market exchange formats, 1996); those that are not "general"
/// stand for their mirror image too. An Error names the file and the line.
Result<MatrixPlaces> read_matrix_market(const std::string& path);

}  // namespace orrery::motif
