#include "llm/distil/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace orrery::llm {
namespace {

using machine::ResidualTable, machine::TableAxis;

constexpr double kSmallestResidual = 0.02;  // below it residuals count as squares, beyond as they are
constexpr int kMostIterations = 300;
constexpr double kEnough = 1e-5;  // of the first gradient

/// To the digits that a file has.
double rounded_size(double logarithm) {
  return std::strtod(fmt::format("{:.5g}", std::exp(logarithm)).c_str(), nullptr);
}

/// The sizes of one axis, without those that are nearest to a neighbour until `most` are left.
std::vector<double> thinned(std::vector<double> sizes, std::size_t most) {
  while (sizes.size() > most) {
    std::size_t closest = 1;
    for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
      if (sizes[i + 1] / sizes[i - 1] < sizes[closest + 1] / sizes[closest - 1]) closest = i;
    }
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(closest));
  }
  return sizes;
}

/// Minimises  sum w (sum of corners - y)^2 + a sum x^2 + b sum (second differences)^2.
class TableSystem {
 public:
  TableSystem(const ResidualTable& table, const std::vector<const Residual*>& residuals, const TableFitOptions& options)
      : table_(table), options_(options), unknowns_(table.values().size()) {
    std::vector<ResidualTable::Corner> corners;
    for (const Residual* one : residuals) {
      begins_.push_back(corners_.size());
      table.corners_at(one->place, corners);
      corners_.insert(corners_.end(), corners.begin(), corners.end());
      wanted_.push_back(one->value);
    }
    begins_.push_back(corners_.size());
    weights_.assign(wanted_.size(), 1);
  }

  [[nodiscard]] std::size_t unknowns() const { return unknowns_; }
  [[nodiscard]] std::size_t rows() const { return wanted_.size(); }

  [[nodiscard]] double value(std::size_t row, const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) sum += corners_[i].weight * x[corners_[i].knot];
    return sum;
  }

  /// An absolute value as a weighted square.
  void reweight(const std::vector<double>& x) {
    for (std::size_t row = 0; row < rows(); ++row)
      weights_[row] = kSmallestResidual / std::max(std::abs(wanted_[row] - value(row, x)), kSmallestResidual);
  }

  [[nodiscard]] std::vector<double> right_side() const {
    std::vector<double> out(unknowns_, 0);
    for (std::size_t row = 0; row < rows(); ++row) spread(row, weights_[row] * wanted_[row], out);
    return out;
  }

  /// The matrix of the normal equations times x.
  [[nodiscard]] std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> out(unknowns_);
    for (std::size_t i = 0; i < unknowns_; ++i) out[i] = options_.value_penalty * x[i];
    for (std::size_t row = 0; row < rows(); ++row) spread(row, weights_[row] * value(row, x), out);
    std::size_t stride = unknowns_;
    for (const TableAxis& axis : table_.axes()) {
      stride /= axis.sizes.size();
      add_bends(axis.sizes.size(), stride, x, out);
    }
    return out;
  }

  [[nodiscard]] std::vector<double> diagonal() const {
    std::vector<double> out(unknowns_, options_.value_penalty + 6 * options_.bend_penalty);
    for (std::size_t row = 0; row < rows(); ++row) {
      for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i)
        out[corners_[i].knot] += weights_[row] * corners_[i].weight * corners_[i].weight;
    }
    return out;
  }

 private:
  void spread(std::size_t row, double amount, std::vector<double>& out) const {
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) out[corners_[i].knot] += amount * corners_[i].weight;
  }
  /// Of the lines of knots along one axis, which are `stride` apart.
  void add_bends(std::size_t count, std::size_t stride, const std::vector<double>& x, std::vector<double>& out) const {
    for (std::size_t i = 0; i < unknowns_; ++i) {
      const std::size_t place = i / stride % count;
      if (place == 0 || place + 1 >= count) continue;
      const double bend = options_.bend_penalty * (x[i - stride] - 2 * x[i] + x[i + stride]);
      out[i - stride] += bend;
      out[i] -= 2 * bend;
      out[i + stride] += bend;
    }
  }

  const ResidualTable& table_;
  TableFitOptions options_;
  std::size_t unknowns_;
  std::vector<ResidualTable::Corner> corners_;
  std::vector<std::size_t> begins_;
  std::vector<double> wanted_, weights_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Conjugate gradients (Hestenes and Stiefel, 1952), scaled by the diagonal.
void solve(const TableSystem& system, std::vector<double>& x) {
  const std::vector<double> scale = system.diagonal();
  std::vector<double> left = system.right_side();
  const std::vector<double> first = system.times(x);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= first[i];
  std::vector<double> scaled(left.size()), direction(left.size(), 0);
  double before = 0, begun = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    for (std::size_t i = 0; i < left.size(); ++i) scaled[i] = left[i] / scale[i];
    const double now = dot(left, scaled);
    if (iteration == 0) begun = now;
    if (now <= kEnough * kEnough * begun) return;
    const double turn = before > 0 ? now / before : 0;
    for (std::size_t i = 0; i < left.size(); ++i) direction[i] = scaled[i] + turn * direction[i];
    const std::vector<double> product = system.times(direction);
    const double length = now / dot(direction, product);
    for (std::size_t i = 0; i < left.size(); ++i) {
      x[i] += length * direction[i];
      left[i] -= length * product[i];
    }
    before = now;
  }
}

}  // namespace

std::vector<TableAxis> axes_for(const std::vector<Residual>& residuals, const std::vector<std::string_view>& names,
                                const std::vector<int>& most) {
  std::vector<TableAxis> axes;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    std::vector<double> sizes;
    sizes.reserve(residuals.size());
    for (const Residual& one : residuals) sizes.push_back(rounded_size(one.place[axis]));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    axes.push_back({.name = std::string(names[axis]), .sizes = thinned(std::move(sizes), most[axis])});
  }
  return axes;
}

ResidualTable fit_table(std::vector<TableAxis> axes, const std::vector<const Residual*>& residuals,
                        const TableFitOptions& options) {
  ResidualTable table(std::move(axes));
  TableSystem system(table, residuals, options);
  std::vector<double> x(system.unknowns(), 0);
  for (int round = 0; round < options.rounds; ++round) {
    if (round > 0) system.reweight(x);
    solve(system, x);
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    table.values()[i] = static_cast<std::int16_t>(std::lround(std::clamp(x[i] / machine::kTableStep, -300.0, 300.0)));
  return table;
}

}  // namespace orrery::llm
