// A table of collectives: what each row asks to be priced, or says was measured.
//
// Columns are id, device, library, version, op, ranks, dtype, bytes, nodes, and us where it was measured:
//   c3,H100,nccl,2.27.3,all_reduce,8,fp16,65536,18.66
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/csv.h"
#include "base/result.h"
#include "machine/device/collective_lines.h"

namespace orrery::llm {

struct CollectiveRow {
  std::string id = {};      ///< as the table has it; its place, from 1, where there is no such column
  std::string device = {};  ///< empty: whoever asks says whose
  std::string library = {}, version = {};
  machine::NodeCollective op = machine::NodeCollective::all_reduce;
  std::optional<std::int64_t> ranks = {}, bytes = {};  ///< none: the row does not say
  std::int64_t nodes = 1;
  double element_bytes = 2;
  std::optional<double> measured_us = {};
  std::size_t place = 0;  ///< of the row in the table

  /// Views this row. Only of a row that is complete.
  [[nodiscard]] machine::CollectiveCall call() const {
    return {op, *ranks, static_cast<double>(*bytes), element_bytes, library, version};
  }
};

/// Whether a table is one of collectives: by its columns op and ranks.
bool is_collective_table(const CsvTable& table);

/// In the order of the table. An Error about a cell names line and column: no such collective or format, a size that is
/// no whole number, fewer than two ranks, ranks that the nodes do not share evenly.
Result<std::vector<CollectiveRow>> collective_rows(const CsvTable& table);

}  // namespace orrery::llm
