// Rows of a host trace that are ranges which the program named, and steps among them.
#pragma once

#include <string_view>

#include "causal/host/host_match.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// record_function("forward"), ProfilerStep#3; not the rows that stand for threads.
inline bool is_user_range(const RankSource& source, std::uint32_t row) {
  constexpr std::int64_t kUserScope = 7;
  return source.host->scope[row] == kUserScope && source.host->op_schema[row] == 0 &&
         causal::is_operator_row(source.strings->text(source.host->name[row]));
}

inline bool is_step_name(std::string_view range) { return range.starts_with("ProfilerStep"); }

}  // namespace orrery::replay::torch
