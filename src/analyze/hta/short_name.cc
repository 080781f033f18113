#include "analyze/hta/short_name.h"

#include "analyze/hta_summary.h"
#include "link/hta/kernel_type.h"

namespace orrery::analyze::hta {

std::string short_name(std::string_view name) {
  if (link::hta::is_memory(name) || name.find_first_of("<(") == std::string_view::npos) return std::string(name);
  return shorten_name(name);
}

}  // namespace orrery::analyze::hta
