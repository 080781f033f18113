// HTA's shortened names in tables.
#pragma once

#include <string>
#include <string_view>

namespace orrery::analyze::hta {

/// Without template arguments, parameters and return type; copies and sets, and names without either kind of bracket, stay whole.
std::string short_name(std::string_view name);

}  // namespace orrery::analyze::hta
