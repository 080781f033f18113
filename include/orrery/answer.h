// What a question is answered with: a sentence, named values, and tables.
//
//     Result<Answer> answer = recording->path();
//     puts(answer->headline().c_str());
//     double span_us = *answer->number("window.span_us");
//     for (const Table& table : answer->tables()) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/export.h"

namespace orrery::api {

struct AnswerData;

/// A table of an answer. Columns have the names and units of the program's --json: finish_us. Lives as long as the
/// Answer it is from, or a copy of that.
class ORRERY_API Table {
 public:
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] std::string key(std::size_t column) const;  ///< `column` < columns()
  /// The place of the column with this key, if there is one.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const;

  /// Values: `row` < rows(). Absent: not known, which is not zero; or a text asked for as a number, and the reverse.
  [[nodiscard]] std::optional<double> number(std::size_t column, std::size_t row) const;
  [[nodiscard]] std::optional<std::string_view> text(std::size_t column, std::size_t row) const;

 private:
  friend class Answer;
  Table(const AnswerData& data, std::size_t place) : data_(&data), place_(place) {}

  const AnswerData* data_;
  std::size_t place_;
};

/// Copies are cheap and share what they hold, which does not change.
class ORRERY_API Answer {
 public:
  /// The answer in one sentence; may be empty.
  [[nodiscard]] const std::string& headline() const;
  /// All of it as the program prints it: sentences and tables, without colour.
  [[nodiscard]] std::string text() const;
  /// The "data" of the program's --json.
  [[nodiscard]] std::string json() const;
  /// False if the work was done, and what was to be checked does not hold: where the program exits with 1.
  [[nodiscard]] bool holds() const;

  /// Named values, as in json(): "verdict", "window.span_us". Absent if there is none of that name and kind.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;

  [[nodiscard]] std::vector<Table> tables() const;
  /// The table of that name, if there is one.
  [[nodiscard]] std::optional<Table> table(std::string_view name) const;

  /// What was odd about the input, a line for each kind: code, how often, and where first.
  [[nodiscard]] const std::vector<std::string>& remarks() const;

 private:
  friend struct AnswerData;
  explicit Answer(std::shared_ptr<const AnswerData> data) : data_(std::move(data)) {}

  std::shared_ptr<const AnswerData> data_;
};

}  // namespace orrery::api
