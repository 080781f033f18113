// What is asked of an emitted folder.
#pragma once

#include <optional>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "replay/torch/scale/scale_request.h"

namespace orrery::replay::torch {

struct EmitOptions {
  bool keeps_pace = false;          ///< the host's own times between operations
  bool compute_only = false;        ///< no communication
  bool communication_only = false;  ///< nothing but communication
  std::optional<ScaleRequest> scale;
  std::vector<analyze::ParsedEdit> edits;  ///< none of EditError
};

}  // namespace orrery::replay::torch
