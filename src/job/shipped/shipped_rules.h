// The table of rules that ships with the program: data/rules/communication.yaml, taken into it, since every recording
// is read by it.
#pragma once

#include <string_view>

namespace orrery::job {

std::string_view shipped_rules_text();

}  // namespace orrery::job
