// Message patterns written out as a Workload: one program per rank, nothing but sends and receives.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "workload/message_pattern.h"
#include "workload/workload.h"

namespace orrery::generate {

inline constexpr std::uint32_t kMaxRanks = 1u << 24;

/// `append` appends the steps of a rank. Ids are the positions of the steps; every message has tag 0 and no name.
Result<workload::Workload> pattern_workload(
    std::uint32_t ranks, const std::function<void(workload::MessagePattern&, std::uint32_t rank)>& append);

}  // namespace orrery::generate
