// What communicates on the devices: by library, kind and role.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

/// What an operator was given, as JSON: few questions need it, so that it is read when one is asked.
struct GivenOperands {
  std::string shapes, types;
};
using OperandsByOperator = std::map<trace::EventIndex, GivenOperands>;

/// The operators whose operands say how much their works move, ascending, each once. Works of graphs have the shapes of
/// theirs themselves (Field::shapes_text).
std::vector<trace::EventIndex> sizing_operators(const DeviceRank& devices);

/// By time, the largest first, then by what they are. `given`: of sizing_operators.
std::vector<CommunicationSum> sum_communication(const DeviceRank& devices, const OperandsByOperator& given);

/// rank, library, kind, role, names, works, sum_us, any_us, exposed_us, bytes, group_size. Null: not known.
/// `given`: per rank.
report::Sheet communication_sheet(const std::vector<DeviceRank>& ranks, const std::vector<OperandsByOperator>& given);

}  // namespace orrery::analyze
