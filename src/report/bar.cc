#include "report/bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/percent.h"

namespace orrery::report {

std::string percent(double part, double whole) {
  const double share = share_percent(part, whole);
  if (whole == 0 || !std::isfinite(share)) return "-";
  if (share == 0) return "0.0 %";
  if (share > 0 && share < 0.05) return "<0.1 %";
  if (share < 0 && share > -0.05) return ">-0.1 %";
  return fmt::format("{:.1f} %", share);
}

std::string bar(double fraction, std::size_t columns) {
  static constexpr std::array<std::string_view, 8> kPieces = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(fraction > 0) || columns == 0) return {};
  const double full = 8.0 * static_cast<double>(columns);
  const auto eighths = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(std::min(fraction, 1.0) * full)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(kPieces[eighths % 8]);
}

}  // namespace orrery::report
