// Rows that were made and are kept: of tables that are small beside the trace.
#pragma once

#include <string_view>
#include <vector>

#include "base/interner.h"
#include "query/rows.h"

namespace orrery::query {

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
