// What a formula leaves over: the logarithm of measured to predicted time on a grid of sizes, multilinear between its
// knots in the logarithms of the sizes, and constant beyond them. Several tables may be added up: a coarse one over all
// sizes and finer ones over two or three of them say more than one grid with as many knots (an analysis of variance).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::machine {

struct TableAxis {
  std::string name;
  std::vector<double> sizes;   ///< at the knots, ascending
  std::size_t coordinate = 0;  ///< of a place: which of its logarithms the axis is about

  friend bool operator==(const TableAxis&, const TableAxis&) = default;
};

class ResidualTable {
 public:
  ResidualTable() = default;
  explicit ResidualTable(std::vector<TableAxis> axes);

  /// One knot that a place lies between, and how much of it is taken.
  struct Corner {
    std::size_t knot = 0;
    double weight = 0;
  };
  /// Of a place that is given by logarithms, as the axes count them. The weights are positive and their sum is 1.
  void corners_at(std::span<const double> place, std::vector<Corner>& corners) const;
  /// The residual there; 0 without any axes.
  [[nodiscard]] double at(std::span<const double> place) const;

  [[nodiscard]] const std::vector<TableAxis>& axes() const { return axes_; }
  /// The last axis is the fastest. Hundredths: a file has no more digits.
  [[nodiscard]] std::span<const std::int16_t> values() const { return values_; }
  [[nodiscard]] std::span<std::int16_t> values() { return values_; }

 private:
  std::vector<TableAxis> axes_;
  std::vector<std::vector<double>> knots_;  // the logarithms of the sizes
  std::vector<std::int16_t> values_;
};

inline constexpr double kTableStep = 0.01;

}  // namespace orrery::machine
