// What communicates on the devices: by library, kind and role.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/device/device_rank.h"
#include "causal/device/communicating_works.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Works of one library, kind, role and size of group.
struct CommunicationSum {
  causal::CommunicationFacts facts;
  std::size_t names = 0;
  std::size_t works = 0;
  TimePs sum = 0;                          ///< over works: concurrent ones count for each
  TimePs any = 0;                          ///< of the window: some of them runs
  std::optional<TimePs> exposed = {};      ///< of that: nothing computes on its device; none of what computes itself
  std::optional<std::int64_t> bytes = {};  ///< that all of them move; none: not known of all
};

/// By time, the largest first, then by what they are.
std::vector<CommunicationSum> sum_communication(const DeviceRank& devices);

/// rank, library, kind, role, names, works, sum_us, any_us, exposed_us, bytes, group_size. Null: not known.
report::Sheet communication_sheet(const std::vector<DeviceRank>& ranks);

}  // namespace orrery::analyze
