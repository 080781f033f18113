// What became of each edit, over all ranks.
#pragma once

#include <string>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

struct EditOutcome {
  std::string text;
  EditCount count;
  std::vector<std::string> not_there;  ///< "rank 77", "step 9": named, but not in this recording
};

std::vector<EditOutcome> outcomes_of(const std::vector<analyze::ParsedEdit>& edits,
                                     const std::vector<OperationList>& ranks);

/// "comm * 2: 64 communications carry 2 times as much".
std::string remark_on(const analyze::ParsedEdit& edit, const EditOutcome& outcome);

}  // namespace orrery::replay::torch
