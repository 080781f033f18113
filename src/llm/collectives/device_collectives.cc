#include "llm/collectives/device_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "machine/device/collective_yaml.h"

namespace orrery::llm {
namespace {

// Factors on the logarithms of an interval. Four ranks of GB200 by the lines of two and eight B200 are 6 % off on
// average, as sizes are that were left out, so that ranks between others need none; what lies outside of all ranks has
// no such proof. GB200 and B200, whose links are alike, are 5 and 8 % off by one another, A100 and H100 26 and 39:
// latencies do not go with the link's rate.
constexpr double kOfRelative = 1.6;
constexpr double kOfOtherLink = 5;
constexpr double kSameLink = 1.2;  // rates within this factor
constexpr double kOfOtherVersion = 1.3;
constexpr double kOutsideRanks = 1.6;
constexpr double kAcrossNodes = 3;  // bandwidth between nodes is a condition of the run (docs/LLM.md)

constexpr double kRailLatencyUs =
    5;  // of a message by GPUDirect RDMA: an assumption, nothing between nodes was measured

bool has_collectives(const machine::Device& device) {
  std::error_code ignored;
  return !device.tables_folder.empty() &&
         std::filesystem::exists(std::filesystem::path(device.tables_folder) / machine::kCollectivesFile, ignored);
}

/// Smaller is nearer.
std::tuple<bool, double, double> link_distance(const machine::Device& one, const machine::Device& other) {
  const auto apart = [](double a, double b) { return std::abs(std::log(a / b)); };
  return {one.generation != other.generation, apart(one.scale_up_gb_per_s, other.scale_up_gb_per_s),
          apart(static_cast<double>(one.scale_up_devices), static_cast<double>(other.scale_up_devices))};
}

bool has_ranks_around(const machine::CollectiveLaw& law, std::int64_t ranks) {
  bool below = false, above = false;
  for (const machine::LineCorrection& one : law.corrections) {
    below = below || one.ranks <= ranks;
    above = above || one.ranks >= ranks;
  }
  return below && above;
}

}  // namespace

std::optional<CollectiveEstimate> DeviceCollectives::estimate(const machine::CollectiveCall& call, std::int64_t nodes,
                                                              const machine::RailLink& rail) const {
  const machine::CollectiveLaw* law = machine::nearest_law(lines, call.op, call.library, call.version);
  if (law == nullptr) return std::nullopt;
  CollectiveEstimate estimate{.measured_on = measured_on,
                              .basis = fmt::format("{} {} {}", measured_on, law->library, law->version)};
  double widening = 1;
  if (nodes > 1) {
    const auto price = machine::rail_price(lines, call, nodes, link_bytes_per_s, rail);
    if (!price) return std::nullopt;
    estimate.us = price->us;
    estimate.protocol = price->protocol;
    estimate.basis += fmt::format(", rails of {:.4g} GB/s", rail.bytes_per_s * 1e-9);
    widening *= kAcrossNodes;
  } else {
    const machine::CollectivePrice price = machine::price(*law, call, link_bytes_per_s);
    estimate.us = price.us;
    estimate.protocol = price.protocol;
    if (!has_ranks_around(*law, call.ranks)) widening *= kOutsideRanks;
  }
  if (!is_own()) {
    estimate.basis += fmt::format(", at the link of {}", device);
    const double apart =
        std::max(link_bytes_per_s, measured_link_bytes_per_s) / std::min(link_bytes_per_s, measured_link_bytes_per_s);
    widening *= apart < kSameLink ? kOfRelative : kOfOtherLink;
  }
  const bool other = (!call.library.empty() && law->library != call.library) ||
                     (!call.version.empty() && law->version != call.version);
  if (other) widening *= kOfOtherVersion;
  if (const auto ends = machine::interval(lines, call.bytes, estimate.us, widening)) {
    estimate.low_us = ends->low_us;
    estimate.high_us = ends->high_us;
    estimate.unseen_pct = ends->unseen_pct;
  }
  return estimate;
}

Result<std::optional<DeviceCollectives>> collectives_of(const std::vector<machine::Device>& known,
                                                        const machine::Device& device) {
  const machine::Device* source = has_collectives(device) ? &device : nullptr;
  if (source == nullptr) {
    for (const machine::Device& one : known) {
      if (!has_collectives(one)) continue;
      if (source == nullptr || link_distance(one, device) < link_distance(*source, device)) source = &one;
    }
  }
  if (source == nullptr) return std::optional<DeviceCollectives>();
  auto lines = machine::read_collectives(*source);
  if (!lines) return lines.error();
  return std::optional(DeviceCollectives{.lines = std::move(**lines),
                                         .link_bytes_per_s = device.scale_up_bytes_per_s(),
                                         .measured_link_bytes_per_s = source->scale_up_bytes_per_s(),
                                         .device = device.name,
                                         .measured_on = source->name});
}

machine::RailLink usual_rail(const Catalog& catalog, const machine::Device& device) {
  return {rates_of(catalog.core.rates, device.generation).port_gb_per_s * 1e9, kRailLatencyUs};
}

}  // namespace orrery::llm
