#include "query/answer.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace orrery::query {
namespace {

/// Integers up to here are reals without loss.
constexpr std::int64_t kExactReal = std::int64_t{1} << 53;

report::Type type_of(const Answer& answer, std::size_t column) {
  bool has_integers = false, has_reals = false, has_large = false;
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    const Value& value = answer.at(row, column);
    if (std::holds_alternative<std::string_view>(value)) return report::Type::text;
    const auto* const integer = std::get_if<std::int64_t>(&value);
    has_integers |= integer != nullptr;
    has_large |= integer != nullptr && (*integer > kExactReal || *integer < -kExactReal);
    // A sheet has one integer less than SQL has.
    if (integer != nullptr && *integer == INT64_MIN) return report::Type::text;
    has_reals |= std::holds_alternative<double>(value);
  }
  if (has_reals && has_large) return report::Type::text;
  if (has_reals) return report::Type::real;
  return has_integers ? report::Type::integer : report::Type::text;
}

std::string text_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return std::string(std::get<std::string_view>(value));
}

}  // namespace

Answer::Answer(std::vector<std::string> columns) : columns_(std::move(columns)) {
  std::set<std::string> taken;
  for (std::string& column : columns_) {
    const std::string name = column;
    for (int i = 1; !taken.insert(column).second; ++i) column = fmt::format("{}:{}", name, i);
  }
}

void Answer::push(const Value& value) {
  const auto* const text = std::get_if<std::string_view>(&value);
  values_.push_back(text == nullptr ? value : Value(texts_.text(texts_.intern(*text))));
}

report::Sheet to_sheet(const Answer& answer) {
  report::Sheet sheet("rows");
  std::vector<report::Type> types;
  for (std::size_t c = 0; c < answer.columns().size(); ++c) {
    types.push_back(type_of(answer, c));
    const std::string& name = answer.columns()[c];
    // Digits as they are: an answer may be the next question.
    sheet.add({.name = name, .type = types.back(), .title = name, .decimals = report::kExact});
  }
  std::vector<std::string> texts(types.size());
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    std::vector<report::Cell> cells;
    for (std::size_t c = 0; c < types.size(); ++c) {
      const Value& value = answer.at(row, c);
      if (std::holds_alternative<std::monostate>(value)) {
        cells.emplace_back(nullptr);
      } else if (types[c] == report::Type::text) {
        texts[c] = text_of(value);
        cells.emplace_back(texts[c]);
      } else if (const auto* real = std::get_if<double>(&value)) {
        cells.emplace_back(*real);
      } else {
        cells.emplace_back(std::get<std::int64_t>(value));
      }
    }
    sheet.add_row(cells);
  }
  return sheet;
}

void tell_answer(report::Facts& facts, const Answer& answer) {
  facts.key("columns").begin_array();
  for (const std::string& column : answer.columns()) facts.value(column);
  facts.end_array().key("rows").begin_array();
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    facts.begin_array();
    for (std::size_t c = 0; c < answer.columns().size(); ++c) {
      const Value& value = answer.at(row, c);
      if (const auto* integer = std::get_if<std::int64_t>(&value)) facts.value(*integer);
      else if (const auto* real = std::get_if<double>(&value)) facts.value(*real);
      else if (const auto* text = std::get_if<std::string_view>(&value)) facts.value(*text);
      else facts.null();
    }
    facts.end_array();
  }
  facts.end_array();
}

}  // namespace orrery::query
