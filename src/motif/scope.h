// What formulas of a motif speak of: one run, described by its parameters.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery::motif {

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

}  // namespace orrery::motif
