// Fits a residual table to scattered residuals: least squares with two penalties, on the values themselves (where no
// measurement says anything, the formula alone holds) and on their second differences along each axis (between
// measurements the table is smooth), and three rounds of reweighting, so that it is medians that count.
#pragma once

#include <vector>

#include "machine/warm/residual_table.h"

namespace orrery::llm {

struct TableFitOptions {
  double value_penalty = 0.1;
  double bend_penalty = 0.3;
  int rounds = 3;
};

/// A residual at a place: logarithms, one per axis.
struct Residual {
  std::vector<double> place;
  double value = 0;
};

/// At most `most` knots per axis out of the sizes that occur: the ends, and the rest where sizes are dense.
std::vector<machine::TableAxis> axes_for(const std::vector<Residual>& residuals,
                                         const std::vector<std::string_view>& names, const std::vector<int>& most);

/// Deterministic: conjugate gradients from 0.
machine::ResidualTable fit_table(std::vector<machine::TableAxis> axes, const std::vector<const Residual*>& residuals,
                                 const TableFitOptions& options);

}  // namespace orrery::llm
