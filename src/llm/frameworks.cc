#include "llm/frameworks.h"

#include <algorithm>

#include "base/numbers.h"

namespace orrery::llm {

std::optional<SoftwareRelease> parse_release(std::string_view text) {
  int year = 0, month = 0;
  if (!take_number(text, year) || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  if (!take_number(text, month) || month < 1 || month > 12) return std::nullopt;
  int patch = 0;
  if (text.starts_with('.')) {
    std::string_view rest = text.substr(1);
    if (!take_number(rest, patch)) patch = 0;  // "26.06. NeMo"
  }
  return SoftwareRelease{
      .year = static_cast<double>(year), .month = static_cast<double>(month), .patch = static_cast<double>(patch)};
}

const MegatronFlavour* find_flavour(const MegatronConstants& constants, std::string_view name) {
  for (const MegatronFlavour& one : constants.flavours) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

CoreRelease release_of(const CoreConstants& c, const SoftwareRelease& release, std::string_view generation,
                       Captured captured) {
  CoreRelease found{.expert_overhead_factor = 1, .expert_matrix_factor = 1, .hybrid_byte_factor = 1};
  // By date, so that the last one that fits is the latest.
  for (const CoreRelease& one : c.releases) {
    const bool listed = one.generations.empty() ||
                        std::find(one.generations.begin(), one.generations.end(), generation) != one.generations.end();
    if (listed && is_since(release, {.year = one.year, .month = one.month})) found = one;
  }
  if (captured != Captured::everything) found.expert_overhead_factor = found.expert_matrix_factor = 1;
  return found;
}

const CoreRecipe* recipe_of(const CoreConstants& c, std::string_view model, std::string_view device,
                            machine::DataType precision, const SoftwareRelease& release) {
  const std::string_view format = machine::kDataTypeNames[static_cast<std::size_t>(precision)];
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const CoreRecipe* found = nullptr;
  // By date, as releases are.
  for (const CoreRecipe& one : c.recipes) {
    const bool listed =
        has(one.models, model) && has(one.devices, device) && (one.precisions.empty() || has(one.precisions, format));
    if (listed && is_since(release, {.year = one.year, .month = one.month, .patch = one.patch})) found = &one;
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
  if (how.captured == Captured::everything || c.host_expert_layer_us <= 0) return 0;
  // Attention, router with what prepares the exchange, and experts are about as many launches each.
  const double parts = 3 - static_cast<double>(how.captured);
  const double us = parts / 3 * c.host_expert_layer_us + release.expert_overhead_factor * c.expert_us * local_experts;
  return us * 1e-6 * (how.paired ? c.host_paired_factor : 1);
}

}  // namespace orrery::llm
