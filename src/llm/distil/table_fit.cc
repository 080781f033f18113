#include "llm/distil/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace orrery::llm {
namespace {

using machine::ResidualTable, machine::TableAxis;

constexpr double kSmallestResidual = 0.02;  // below it residuals count as squares, beyond as they are
constexpr int kRounds = 3;
constexpr int kMostIterations = 200;
constexpr double kEnough = 1e-4;  // of the first gradient

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

/// Minimises  sum w (sum of corners - y)^2 + a sum x^2 + b sum (second differences)^2, a and b being each layer's.
class TableSystem {
 public:
  TableSystem(const std::vector<ResidualTable>& layers, const std::vector<LayerShape>& shapes, double stiffness,
              const std::vector<const Residual*>& residuals) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      parts_.push_back({&layers[i], begin, stiffness * shapes[i].value_penalty, stiffness * shapes[i].bend_penalty});
      begin += layers[i].values().size();
    }
    unknowns_ = begin;
    std::vector<ResidualTable::Corner> corners;
    for (const Residual* one : residuals) {
      begins_.push_back(corners_.size());
      for (const Part& part : parts_) {
        part.layer->corners_at(one->place, corners);
        for (const auto& [knot, weight] : corners)
          corners_.push_back({static_cast<std::uint32_t>(part.begin + knot), static_cast<float>(weight)});
      }
      wanted_.push_back(one->value);
    }
    begins_.push_back(corners_.size());
    weights_.assign(wanted_.size(), 1);
  }

  [[nodiscard]] std::size_t unknowns() const { return unknowns_; }
  [[nodiscard]] std::size_t rows() const { return wanted_.size(); }

  [[nodiscard]] double value(std::size_t row, const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) sum += corners_[i].weight * x[corners_[i].unknown];
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
    for (const Part& part : parts_) {
      std::size_t stride = part.layer->values().size();
      for (std::size_t i = part.begin; i < part.begin + stride; ++i) out[i] = part.value_penalty * x[i];
      for (const TableAxis& axis : part.layer->axes()) {
        stride /= axis.sizes.size();
        add_bends(part, axis.sizes.size(), stride, x, out);
      }
    }
    for (std::size_t row = 0; row < rows(); ++row) spread(row, weights_[row] * value(row, x), out);
    return out;
  }

  [[nodiscard]] std::vector<double> diagonal() const {
    std::vector<double> out(unknowns_);
    for (const Part& part : parts_)
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(part.begin), part.layer->values().size(),
                  part.value_penalty + 6 * part.bend_penalty);
    for (std::size_t row = 0; row < rows(); ++row) {
      for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i)
        out[corners_[i].unknown] += weights_[row] * corners_[i].weight * corners_[i].weight;
    }
    return out;
  }

 private:
  struct Part {
    const ResidualTable* layer;
    std::size_t begin;  ///< of its unknowns
    double value_penalty, bend_penalty;
  };
  struct Corner {
    std::uint32_t unknown;
    float weight;
  };

  void spread(std::size_t row, double amount, std::vector<double>& out) const {
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i)
      out[corners_[i].unknown] += amount * corners_[i].weight;
  }
  /// Of the lines of knots along one axis, which are `stride` apart.
  static void add_bends(const Part& part, std::size_t count, std::size_t stride, const std::vector<double>& x,
                        std::vector<double>& out) {
    for (std::size_t knot = 0; knot < part.layer->values().size(); ++knot) {
      const std::size_t place = knot / stride % count, i = part.begin + knot;
      if (place == 0 || place + 1 >= count) continue;
      const double bend = part.bend_penalty * (x[i - stride] - 2 * x[i] + x[i + stride]);
      out[i - stride] += bend;
      out[i] -= 2 * bend;
      out[i + stride] += bend;
    }
  }

  std::vector<Part> parts_;
  std::size_t unknowns_ = 0;
  std::vector<Corner> corners_;
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

std::vector<ResidualTable> empty_layers(const std::vector<Residual>& residuals, machine::WarmKind kind,
                                        const std::vector<LayerShape>& shapes) {
  std::vector<ResidualTable> layers;
  for (const LayerShape& shape : shapes) {
    std::vector<TableAxis> axes;
    for (std::size_t i = 0; i < shape.axes.size(); ++i) {
      TableAxis& axis = axes.emplace_back(
          TableAxis{std::string(shape.axes[i]), {}, machine::coordinate_called(kind, shape.axes[i]).value()});
      for (const Residual& one : residuals) axis.sizes.push_back(rounded_size(one.place[axis.coordinate]));
      std::sort(axis.sizes.begin(), axis.sizes.end());
      axis.sizes.erase(std::unique(axis.sizes.begin(), axis.sizes.end()), axis.sizes.end());
      axis.sizes = thinned(std::move(axis.sizes), static_cast<std::size_t>(shape.knots[i]));
    }
    layers.emplace_back(std::move(axes));
  }
  return layers;
}

std::vector<ResidualTable> fit_layers(std::vector<ResidualTable> layers, const std::vector<LayerShape>& shapes,
                                      double stiffness, const std::vector<const Residual*>& residuals) {
  TableSystem system(layers, shapes, stiffness, residuals);
  std::vector<double> x(system.unknowns(), 0);
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) system.reweight(x);
    solve(system, x);
  }
  auto from = x.begin();
  for (ResidualTable& layer : layers) {
    for (std::int16_t& value : layer.values())
      value = static_cast<std::int16_t>(std::lround(std::clamp(*from++ / machine::kTableStep, -300.0, 300.0)));
  }
  return layers;
}

}  // namespace orrery::llm
