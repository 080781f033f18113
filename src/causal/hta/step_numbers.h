// Which profiler step a row belongs to, as HTA counts.
#pragma once

#include <optional>
#include <string_view>

#include "causal/hta/rows.h"

namespace orrery::causal::hta {

/// 7 of "ProfilerStep#7" and "ProfilerStep # 7", whatever follows; nothing of other names.
std::optional<std::int64_t> step_number(std::string_view name);

inline constexpr std::int64_t kNoStep = -1;

/// One per row, kNoStep for none. A host row has the step of the last step row in file order, of any category, in which
/// it starts; a row on a stream above 0 that of its partner.
Column<std::int64_t> number_steps(const Rows& rows);

}  // namespace orrery::causal::hta
