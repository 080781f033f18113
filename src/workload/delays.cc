#include "workload/delays.h"

#include <algorithm>
#include <vector>

namespace orrery::workload {

bool names_delay(std::string_view name) {
  return name.starts_with('[') && std::find(kDelayNames.begin(), kDelayNames.end(), name) != kDelayNames.end();
}

Column<std::uint8_t> find_delays(const Program& program, const Interner& strings) {
  std::vector<StringId> names;
  for (const std::string_view name : kDelayNames) {
    if (const StringId id = strings.find(name); id != Interner::kMissing) names.push_back(id);
  }
  Column<std::uint8_t> is_delay(program.size(), 0);
  for (std::size_t i = 0; i < program.size() && !names.empty(); ++i) {
    const bool may_be = program.kinds[i] == ActivityKind::compute || program.kinds[i] == ActivityKind::none;
    if (may_be && std::find(names.begin(), names.end(), program.names[i]) != names.end()) is_delay[i] = 1;
  }
  return is_delay;
}

}  // namespace orrery::workload
