#include "llm/frameworks.h"

#include <algorithm>

#include "base/numbers.h"

namespace orrery::llm {

std::optional<SoftwareRelease> parse_release(std::string_view text) {
  int year = 0, month = 0;
  if (!take_number(text, year) || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  if (!take_number(text, month) || month < 1 || month > 12) return std::nullopt;
  return SoftwareRelease{.year = static_cast<double>(year), .month = static_cast<double>(month)};
}

const MegatronFlavour* find_flavour(const MegatronConstants& constants, std::string_view name) {
  for (const MegatronFlavour& one : constants.flavours) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

CoreRelease release_of(const CoreConstants& c, const SoftwareRelease& release, std::string_view generation) {
  CoreRelease found{.expert_overhead_factor = 1, .expert_matrix_factor = 1, .hybrid_byte_factor = 1};
  // By date, so that the last one that fits is the latest.
  for (const CoreRelease& one : c.releases) {
    const bool listed = one.generations.empty() ||
                        std::find(one.generations.begin(), one.generations.end(), generation) != one.generations.end();
    if (listed && is_since(release, {.year = one.year, .month = one.month})) found = one;
  }
  return found;
}

const CorePrecision& precision_of(const CoreConstants& c, machine::DataType type) {
  const std::string_view name = machine::kDataTypeNames[static_cast<std::size_t>(type)];
  for (const CorePrecision& one : c.precisions) {
    if (one.name == name) return one;
  }
  // The first is bf16: formats that nobody measured gain nothing.
  return c.precisions.front();
}

double grouping_factor(const CoreConstants& c, const CoreRelease& release, double local_experts) {
  return local_experts > 1 ? c.grouped_matrix_factor * release.expert_matrix_factor : 1;
}

double launch_seconds(const CoreConstants& c, const CoreRelease& release, double local_experts, const Launching& how) {
  if (how.graphs || c.host_expert_layer_us <= 0) return 0;
  const double us = c.host_expert_layer_us + release.expert_overhead_factor * c.expert_us * local_experts +
                    (how.paired ? c.host_paired_layer_us : 0);
  return us * 1e-6;
}

}  // namespace orrery::llm
