// Flat tables in Parquet files, as Arrow writes them: columns of numbers or texts, required or optional, plain or by
// dictionary, in data pages of version 1, bare or packed by snappy. What goes beyond that is refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace orrery::training_operations {

struct ParquetColumn {
  std::string name;
  /// Integers of 32 and 64 bits; floats and doubles; texts, each distinct one once with its number per row.
  std::vector<std::int64_t> integers = {};
  std::vector<double> reals = {};
  std::vector<std::uint32_t> text_of = {};
  std::vector<std::string> texts = {};
  std::vector<std::uint8_t> is_null = {};  ///< empty: no row is
  bool is_float = false;                   ///< the reals were written with 32 bits
};

struct ParquetTable {
  std::size_t rows = 0;
  std::vector<ParquetColumn> columns;  ///< in the order of the file
};

/// The names of the columns: what a sniffer looks at stands at the end of the file, so that it takes all of it.
bool is_parquet(std::string_view head);

/// `bytes` is the whole file, `path` what errors call it.
Result<ParquetTable> read_parquet(std::string_view bytes, const std::string& path);

}  // namespace orrery::training_operations
