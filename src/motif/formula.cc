#include "motif/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/numbers.h"

// Recursive descent into a program in postfix, which is run on a small stack. Depth and length are bounded, since
// formulas come from files.

namespace orrery::motif {
namespace {

using Operator = Formula::Operator;
using Instruction = Formula::Instruction;

struct Function {
  std::string_view name;
  Operator op;
  int arguments;
};
constexpr std::array kFunctions = {Function{"sqrt", Operator::sqrt, 1},
                                   Function{"log2", Operator::log2, 1},
                                   Function{"exp", Operator::exp, 1},
                                   Function{"floor", Operator::floor, 1},
                                   Function{"ceil", Operator::ceil, 1},
                                   Function{"round", Operator::round, 1},
                                   Function{"logistic", Operator::logistic, 1},
                                   Function{"min", Operator::min, 2},
                                   Function{"max", Operator::max, 2}};

constexpr int kDeepest = 64;  // brackets inside brackets: a file must not exhaust the stack
// Far beyond what fits produce; a file must not keep the program busy for long.
constexpr std::size_t kMostInstructions = 4096;

class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Result<std::vector<Instruction>> parse() {
    sum(0);
    if (!error_ && position_ < text_.size()) fail(fmt::format("unexpected '{}'", text_[position_]));
    if (error_) return *error_;
    return std::move(program_);
  }

 private:
  void sum(int depth) {
    product(depth);
    while (!error_) {
      if (take('+')) {
        product(depth);
        emit(Operator::add);
      } else if (take('-')) {
        product(depth);
        emit(Operator::subtract);
      } else {
        return;
      }
    }
  }
  void product(int depth) {
    power(depth);
    while (!error_) {
      if (take('*')) {
        power(depth);
        emit(Operator::multiply);
      } else if (take('/')) {
        power(depth);
        emit(Operator::divide);
      } else {
        return;
      }
    }
  }
  void power(int depth) {
    if (depth > kDeepest) return fail("brackets are nested too deep");
    // A sign binds less than a power: -x^2 is -(x^2).
    if (take('-')) {
      power(depth + 1);
      return emit(Operator::negate);
    }
    atom(depth);
    if (error_ || !take('^')) return;
    // From the right, as people read it: 2^3^2 is 2^9.
    power(depth + 1);
    emit(Operator::power);
  }
  void atom(int depth) {
    skip_blanks();
    if (position_ >= text_.size()) return fail("ends where a number, a variable or a function should stand");
    if (take('(')) {
      sum(depth + 1);
      if (!error_ && !take(')')) fail("a bracket is not closed");
      return;
    }
    const char first = text_[position_];
    if (std::isalpha(static_cast<unsigned char>(first)) != 0) return name(depth);
    number();
  }
  void number() {
    const NumberScan<double> found = scan_number<double>(text_.substr(position_));
    if (!found.is_number() || !std::isfinite(found.value))
      return fail(fmt::format("unexpected '{}'", text_[position_]));
    position_ += found.used;
    emit({.op = Operator::number, .number = found.value});
  }
  void name(int depth) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    const std::string_view word = text_.substr(begin, position_ - begin);
    const auto function =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == word; });
    if (function != kFunctions.end()) return call(*function, depth);
    const auto variable = std::find(kVariableNames.begin(), kVariableNames.end(), word);
    if (variable != kVariableNames.end())
      return emit({.op = Operator::variable, .variable = static_cast<Variable>(variable - kVariableNames.begin())});
    // The message points at the word, not behind it.
    position_ = begin;
    fail(fmt::format("'{}' is no variable and no function", word));
  }
  void call(const Function& function, int depth) {
    if (!take('(')) return fail(fmt::format("'{}' needs its argument in brackets", function.name));
    for (int i = 0; i < function.arguments && !error_; ++i) {
      if (i > 0 && !take(',')) return fail(fmt::format("'{}' takes {} arguments", function.name, function.arguments));
      sum(depth + 1);
    }
    if (!error_ && !take(')')) return fail("a bracket is not closed");
    emit(function.op);
  }

  void emit(Operator op) { emit(Instruction{.op = op}); }
  void emit(const Instruction& instruction) {
    if (error_) return;
    if (program_.size() >= kMostInstructions) return fail("the formula is too long");
    program_.push_back(instruction);
  }
  void skip_blanks() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (position_ >= text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  void fail(std::string message) {
    if (!error_)
      error_ =
          Error{.message = fmt::format("formula '{}': character {}: {}", text_.substr(0, 80), position_ + 1, message),
                .hint = "variables: n s X t r p q level; functions: sqrt log2 exp floor ceil round logistic min max"};
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<Instruction> program_;
  std::optional<Error> error_;
};

// A law is asked outside of where it was fitted, too: what a function cannot say there counts as nothing.
double apply(Operator op, double a) {
  switch (op) {
    case Operator::negate: return -a;
    case Operator::sqrt: return a > 0 ? std::sqrt(a) : 0;
    case Operator::log2: return a > 0 ? std::log2(a) : 0;
    case Operator::exp: return std::exp(a);
    case Operator::floor: return std::floor(a);
    case Operator::ceil: return std::ceil(a);
    case Operator::round: return std::nearbyint(a);
    case Operator::logistic: return 1 / (1 + std::exp(-a));
    default: return 0;
  }
}

double apply(Operator op, double a, double b) {
  switch (op) {
    case Operator::add: return a + b;
    case Operator::subtract: return a - b;
    case Operator::multiply: return a * b;
    case Operator::divide: return a / b;
    case Operator::power: return std::pow(a, b);
    case Operator::min: return std::min(a, b);
    case Operator::max: return std::max(a, b);
    default: return 0;
  }
}

bool is_binary(Operator op) {
  return (op >= Operator::add && op <= Operator::power) || op == Operator::min || op == Operator::max;
}

}  // namespace

// Six digits: more than measurements are worth, and few enough to read.
std::string coefficient_text(double value) { return fmt::format("{:.6g}", value); }

Formula::Formula(double value) : text_(fmt::format("{}", value)), program_{{.op = Operator::number, .number = value}} {}

Result<Formula> Formula::parse(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  auto program = FormulaParser(text).parse();
  if (!program) return program.error();
  Formula formula;
  formula.text_ = std::string(text);
  formula.program_ = std::move(*program);
  return formula;
}

Formula Formula::composed(std::string_view text) {
  auto formula = parse(text);
  if (!formula) throw std::logic_error(formula.error().to_string());
  return std::move(*formula);
}

double Formula::at(const Scope& scope) const {
  std::vector<double> stack;
  stack.reserve(8);
  // Postfix: the parser has seen to it that every operator finds its operands.
  for (const Instruction& instruction : program_) {
    if (instruction.op == Operator::number) {
      stack.push_back(instruction.number);
    } else if (instruction.op == Operator::variable) {
      stack.push_back(scope[instruction.variable]);
    } else if (is_binary(instruction.op)) {
      const double b = stack.back();
      stack.pop_back();
      stack.back() = apply(instruction.op, stack.back(), b);
    } else {
      stack.back() = apply(instruction.op, stack.back());
    }
  }
  const double value = stack.back();
  return value > 0 ? std::min(value, kLargest) : 0;  // not a number is not above zero either
}

bool Formula::uses(Variable variable) const {
  return std::any_of(program_.begin(), program_.end(),
                     [&](const Instruction& i) { return i.op == Operator::variable && i.variable == variable; });
}

bool Formula::is_constant() const {
  return std::none_of(program_.begin(), program_.end(),
                      [](const Instruction& i) { return i.op == Operator::variable; });
}

}  // namespace orrery::motif
