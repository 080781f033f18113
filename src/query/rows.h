// What the SQL tables are made of: rows of values that are read where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/interner.h"
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

// Rows that are made at the first question and kept for the next.

/// `make` returns Result<std::unique_ptr<Rows>>; it is called once, or again after an Error.
template <typename Make>
std::function<Result<const Rows*>()> made_once(Make make) {
  return [make = std::move(make), rows = std::shared_ptr<std::unique_ptr<Rows>>(
                                      std::make_shared<std::unique_ptr<Rows>>())]() -> Result<const Rows*> {
    if (*rows == nullptr) {
      Result<std::unique_ptr<Rows>> made = make();
      if (!made) return made.error();
      *rows = std::move(*made);
    }
    return static_cast<const Rows*>(rows->get());
  };
}

// Rows that were made and are kept: of tables that are small beside the trace.

class ListRows : public Rows {
 public:
  explicit ListRows(std::size_t columns) : columns_(columns) {}

  /// One value per column. Texts are copied.
  void add(std::initializer_list<Value> values) {
    for (const Value& value : values) {
      const auto* const text = std::get_if<std::string_view>(&value);
      values_.push_back(text == nullptr ? value : Value(texts_.text(texts_.intern(*text))));
    }
  }

  [[nodiscard]] std::size_t size() const override { return values_.size() / columns_; }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    return values_[row * columns_ + column];
  }

 private:
  std::size_t columns_;
  std::vector<Value> values_;
  Interner texts_;
};

/// Null for what is not known.
template <typename Optional>
Value value_or_null(const Optional& value) {
  return value ? Value(static_cast<std::int64_t>(*value)) : Value();
}
inline Value text_or_null(std::string_view text) { return text.empty() ? Value() : Value(text); }

}  // namespace orrery::query
