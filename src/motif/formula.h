// A law of a motif as text that a person reads and edits: "12.5 + 0.0021*X/n + 3e-4*max(0, X/n - 262144)".
//
//     sum     = product { ("+" | "-") product }
//     product = power { ("*" | "/") power }
//     power   = atom [ "^" power ] | "-" power
//     atom    = number | variable | function "(" sum { "," sum } ")" | "(" sum ")"
//
// Variables are those of scope.h; functions sqrt, log2, exp, floor, ceil, round, logistic (one argument), min, max
// (two). The value is never negative, never infinite and always a number: what a formula says below zero, or where it
// says nothing (0/0), is zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/scope.h"

namespace orrery::motif {

class Formula {
 public:
  static constexpr double kLargest = 1e18;  ///< what is more is taken for this: formulas can explode

  Formula() : Formula(0.0) {}
  /// A constant.
  explicit Formula(double value);
  /// The Error says what is wrong at which character; it names no file.
  static Result<Formula> parse(std::string_view text);
  /// Of text that this program composed: a mistake there is ours.
  static Formula composed(std::string_view text);

  [[nodiscard]] double at(const Scope& scope) const;
  /// As it was given, without blanks around it.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool uses(Variable variable) const;
  [[nodiscard]] bool is_constant() const;

  bool operator==(const Formula& other) const { return text_ == other.text_; }

  enum class Operator : std::uint8_t {
    number,
    variable,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    sqrt,
    log2,
    exp,
    floor,
    ceil,
    round,
    logistic,
    min,
    max
  };
  /// Reverse Polish: operands before their operator.
  struct Instruction {
    Operator op;
    Variable variable = Variable::n;
    double number = 0;
  };

 private:
  std::string text_;
  std::vector<Instruction> program_;
};

/// A coefficient as formulas have it: six digits, which is more than any fit knows.
std::string coefficient_text(double value);

}  // namespace orrery::motif
