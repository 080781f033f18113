// One rank's sides of its communications, for the other ranks to be held against (edit_agreement.h).
#pragma once

#include <vector>

#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/edits/edited_list.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// In the order in which they begin. `edits`: per ChosenCalls::collectives.
std::vector<TransferSide> transfer_sides(const RankSource& source, const ChosenCalls& chosen,
                                         const std::vector<TransferEdit>& edits);

/// The place of its group in RankSource::groups.
std::uint32_t group_of_call(const RankSource& source, std::uint32_t row);

}  // namespace orrery::replay::torch
