#include "page/sections/stairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::page {

std::string stairs(std::span<const std::uint64_t> series, double most, int height) {
  std::string path = fmt::format("M0 {}", height);
  int at = 0;
  std::size_t run = 0;
  for (const std::uint64_t value : series) {
    const double share = static_cast<double>(value) / most;
    const int now = value == 0 ? 0 : std::max(1, static_cast<int>(std::lround(share * height)));
    if (now != at) {
      if (run > 0) path += fmt::format("h{}", run);
      path += fmt::format("v{}", at - now);
      at = now;
      run = 0;
    }
    ++run;
  }
  return path + fmt::format("h{}V{}z", run, height);
}

}  // namespace orrery::page
