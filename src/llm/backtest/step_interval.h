// Where the step of a model that nobody measured would lie. Models are what was drawn, not rows: those of one are off
// together, so that a hundred rows of two models say little about a third.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llm/measurements.h"

namespace orrery::llm {

/// Ratios of measured to predicted, by model.
using ModelRatios = std::map<std::string, std::vector<double>>;

/// Eight of ten steps of a further model: the mean of its logarithms is where Student's t puts it, as the means of the
/// models are spread, and its rows lie around that as those of the others lie around theirs (by their order, since a
/// few are far off). Always around 1. None: of fewer than three models, or nine rows.
std::optional<KindAccuracy> interval_over_models(std::string kind, const ModelRatios& ratios);

}  // namespace orrery::llm
