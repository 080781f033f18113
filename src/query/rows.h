// What the SQL tables are made of: rows of values that are read where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace orrery::query {

/// Null, integer, real or text. A text lives as long as the rows it comes from.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

struct TableColumn {
  std::string name;
  std::string_view type;  ///< INTEGER, REAL or TEXT; empty: it depends on the row
};

class Rows {
 public:
  virtual ~Rows() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual Value at(std::size_t row, std::size_t column) const = 0;
};

/// A table whose rows are made when they are first asked for. What `rows` returns must live as long as the database.
struct Table {
  std::string name;
  std::vector<TableColumn> columns;
  std::function<Result<const Rows*>()> rows;
};

}  // namespace orrery::query
