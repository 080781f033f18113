// Which operators take the devices' time.
#pragma once

#include <vector>

#include "analyze/device/device_rank.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// rank operator top_operator works sum pct source: device work by the innermost and the outermost operator that
/// launched it, the longest first; null where none is known. Work of graph launches has the operators that a capture
/// tells (Field::operator_text): what is around the launch of a graph is not its operator. `ranks` have operators.
report::Sheet by_operator_sheet(const std::vector<DeviceRank>& ranks);

}  // namespace orrery::analyze
