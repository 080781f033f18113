// How steps differ, for programs; the sentence is analyze::steps_differ.
#pragma once

#include <optional>

#include "analyze/path/step_spread.h"
#include "base/json/json_writer.h"

namespace orrery::cli {

/// The member `steps`: null where there are fewer than two.
void write_step_spread_json(JsonWriter& json, const std::optional<analyze::StepSpread>& spread);

}  // namespace orrery::cli
