// A step's graph saved and restored, so that questions can be asked later without the trace. See docs/formats/step.md.
#pragma once

#include <string>

#include "base/result.h"
#include "link/step_graph.h"

namespace orrery::link {

/// The same step gives the same bytes. Written aside and renamed into place.
Status save_step(const StepGraph& step, const std::string& path);

/// Refuses a foreign, newer, truncated or damaged file, and one whose parts do not fit together, with the byte position.
Result<StepGraph> load_step(const std::string& path);

/// The same from memory; `name` stands for the path in errors.
Result<StepGraph> load_step_from_bytes(std::string_view bytes, const std::string& name);

}  // namespace orrery::link
