// replay.py, which runs operation lists, as it was when the program was built.
#pragma once

#include <string_view>

namespace orrery::replay::torch {

std::string_view runtime_file();

}  // namespace orrery::replay::torch
