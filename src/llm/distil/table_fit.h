// Fits residual tables that are added up to scattered residuals, all at once: least squares with two penalties per
// table, on the values themselves (where no measurement says anything, the formula alone holds, and what a table with
// small penalties can say no other does) and on their second differences along each axis (between measurements a table
// is smooth), and three rounds of reweighting, so that it is medians that count.
#pragma once

#include <string_view>
#include <vector>

#include "machine/warm/residual_table.h"
#include "machine/warm/warm_shape.h"

namespace orrery::llm {

/// One of the tables.
struct LayerShape {
  std::vector<std::string_view> axes;
  std::vector<int> knots;  ///< of each axis, at most
  double value_penalty = 0.1;
  double bend_penalty = 0.3;
};

/// A residual at a place: logarithms of sizes.
struct Residual {
  std::vector<double> place;
  double value = 0;
};

/// The layers of a kind without values: at most so many knots per axis out of the sizes that occur, the ends, and the
/// rest where sizes are dense.
std::vector<machine::ResidualTable> empty_layers(const std::vector<Residual>& residuals, machine::WarmKind kind,
                                                 const std::vector<LayerShape>& shapes);

/// `layers` with values; their penalties are those of `shapes` times `stiffness`. Deterministic: conjugate gradients
/// from 0.
std::vector<machine::ResidualTable> fit_layers(std::vector<machine::ResidualTable> layers,
                                               const std::vector<LayerShape>& shapes, double stiffness,
                                               const std::vector<const Residual*>& residuals);

}  // namespace orrery::llm
