// How it reads that steps differ.
#pragma once

#include <optional>
#include <string>

#include "analyze/step_spread.h"
#include "base/json_writer.h"

namespace orrery::cli {

/// One line with its end, or nothing where steps are alike.
std::string step_spread_line(const std::optional<analyze::StepSpread>& spread);
/// The member `steps`: null where there are fewer than two.
void write_step_spread_json(JsonWriter& json, const std::optional<analyze::StepSpread>& spread);

}  // namespace orrery::cli
