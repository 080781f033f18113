// A recording with the edits of a what-if carried out: calls that are left out, communication that carries more or
// less, work of another duration.
//
// Edits select device work, as they do in a what-if; but an operator is called whole or not at all, so that all that it
// launched has to be selected. What cannot be done to real hardware is refused, and nothing changes.
#pragma once

#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/edits/rank_edits.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// `edits` are some that check_edits let pass. An Error names the edit and the first operator that it cannot be carried
/// out with. Edits apply in order, each to the result of those before it. O(edits * (rows + works)).
Result<RankEdits> edit_calls(const std::vector<analyze::ParsedEdit>& edits, const RankSource& source,
                             const ChosenCalls& chosen, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
