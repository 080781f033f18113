// The rows of a table of training operations, whatever file they were in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/units.h"

namespace orrery::training_operations {

struct OperationRow {
  std::int64_t dp_rank = 0, stage = 0, rank = 0, step = 0;
  std::uint32_t operation = 0;                                  ///< place in OperationTable::operations
  TimePs start = 0, duration = 0;                               ///< since the begin of the step
  std::int64_t number = 0;                                      ///< among those of its kind, rank and step
  std::int64_t chunk = -1, micro_batch = -1, model_chunk = -1;  ///< -1: not said
  std::uint64_t place = 0;                                      ///< of the row in the file
};

struct OperationTable {
  std::vector<std::string> operations;  ///< forward-compute, ...
  std::vector<OperationRow> rows;       ///< as in the file
};

/// Whether this is the first line of such a table.
bool is_header(std::string_view line);

/// `bytes`: the whole file, inflated. An Error if columns are missing, or if no row can be used.
Result<OperationTable> read_rows(std::string_view bytes, const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::training_operations
