// A law of a motif as text that a person reads and edits: "12.5 + 0.0021*X/n + 3e-4*max(0, X/n - 262144)".
//
//     sum     = product { ("+" | "-") product }
//     product = power { ("*" | "/") power }
//     power   = atom [ "^" power ] | "-" power
//     atom    = number | variable | function "(" sum { "," sum } ")" | "(" sum ")"
//
// Variables are those of Variable below; functions sqrt, log2, exp, floor, ceil, round, logistic (one argument), min,
// max (two). The value is never negative, never infinite and always a number: what a formula says below zero, or where
// it says nothing (0/0), is zero.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::motif {

// What formulas of a motif speak of: one run, described by its parameters.

/// What the parameter `size` of a run means: the exponent of a problem that doubles with every unit (the scale of a
/// graph), or an amount itself (the edge of a block of cells).
enum class SizeMeaning : std::uint8_t { exponent, amount };

/// The parameters of one run. Ranks are nodes times ranks per node.
struct RunParameters {
  double nodes = 1;
  double size = 1;
  double threads = 1;
  double ranks_per_node = 1;

  [[nodiscard]] double ranks() const { return nodes * ranks_per_node; }
  bool operator==(const RunParameters&) const = default;
};

/// The variables by the names that formulas know them by.
enum class Variable : std::uint8_t {
  n,      ///< nodes
  s,      ///< size
  X,      ///< 2^size or size, by its meaning: the amount of work
  t,      ///< threads per rank
  r,      ///< ranks per node
  p,      ///< ranks
  q,      ///< the square root of the ranks: the side of a square grid of them
  level,  ///< which visit of the block around the call this is, from 1 (the depth of a search, the number of a sweep)
};
inline constexpr std::size_t kVariables = 8;
inline constexpr std::array<std::string_view, kVariables> kVariableNames = {"n", "s", "X", "t", "r", "p", "q", "level"};

/// A value per variable.
struct Scope {
  std::array<double, kVariables> values = {1, 1, 1, 1, 1, 1, 1, 1};

  Scope() = default;
  Scope(const RunParameters& run, SizeMeaning meaning)
      : values{run.nodes,
               run.size,
               meaning == SizeMeaning::exponent ? std::exp2(run.size) : run.size,
               run.threads,
               run.ranks_per_node,
               run.ranks(),
               std::sqrt(run.ranks()),
               1} {}

  [[nodiscard]] double operator[](Variable variable) const { return values[static_cast<std::size_t>(variable)]; }
  [[nodiscard]] Scope at_level(double level) const {
    Scope other = *this;
    other.values[static_cast<std::size_t>(Variable::level)] = level;
    return other;
  }
};

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
