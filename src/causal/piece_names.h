// What the work of a step is blamed under.
#pragma once

#include <span>
#include <string_view>

#include "base/column.h"
#include "causal/rank_graph.h"

namespace orrery::causal {

/// The name of a step without the number that it ends in: "ProfilerStep#12" -> "ProfilerStep#".
std::string_view without_number(std::string_view name);

/// Per owner a text of the step, where new ones are added: the name of its event, of a step without its number; by
/// annotation, that of the innermost user annotation around the launch instead, where there is one. `step_names`: of
/// the steps in the window.
Column<StringId> name_pieces(RankGraph& step, std::span<const std::string_view> step_names, bool by_annotation);

}  // namespace orrery::causal
