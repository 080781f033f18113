#include "machine/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace orrery::machine {

namespace {

/// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t kMaxLength = 64;
  if (name.empty() || name.size() > kMaxLength) return {};
  const auto continued = std::find_if(known.begin(), known.end(), [&](std::string_view candidate) {
    return candidate.size() > name.size() && candidate.starts_with(name) && candidate[name.size()] == '_';
  });
  if (continued != known.end()) return *continued;
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace orrery::machine
