#include "llm/kernels/relative.h"

#include <cmath>
#include <string_view>
#include <tuple>

namespace orrery::llm {
namespace {

/// "HBM" of "HBM3e".
std::string_view kind_of_memory(const machine::Device& device) {
  const std::string_view name = device.memory.name;
  return name.substr(0, name.find_first_of("0123456789 -"));
}

/// How far apart generations are: 0 for one and the same, 1 where one refreshes the other, as "blackwell_ultra" does
/// "blackwell" (kernels of the one run on the other), else 2.
int generations_apart(const std::string& one, const std::string& other) {
  if (one == other) return 0;
  const auto refreshes = [](std::string_view later, std::string_view earlier) {
    return later.size() > earlier.size() && later.starts_with(earlier) && later[earlier.size()] == '_';
  };
  return refreshes(one, other) || refreshes(other, one) ? 1 : 2;
}

/// Whether every figure of a datasheet that kernels depend on is the same. What a cache delivers no datasheet says.
bool same_rates(const machine::Device& one, const machine::Device& other) {
  for (const machine::DataType type : {machine::DataType::bf16, machine::DataType::fp8, machine::DataType::fp4}) {
    if (one.peak_flops(type) != other.peak_flops(type)) return false;
  }
  return one.generation == other.generation && one.compute_unit_count == other.compute_unit_count &&
         one.memory_bytes_per_s() == other.memory_bytes_per_s() && one.cache_bytes() == other.cache_bytes();
}

/// Whether products gain as much from narrower formats.
bool same_ratios(const machine::Device& one, const machine::Device& other) {
  const auto gain = [](const machine::Device& device, machine::DataType type) {
    return device.peak_flops(type) / device.peak_flops(machine::DataType::bf16);
  };
  constexpr double kRounding = 0.02;  // of figures on datasheets
  for (const machine::DataType type : {machine::DataType::fp8, machine::DataType::fp4}) {
    const double here = gain(one, type), there = gain(other, type);
    if (here > 0 && there > 0 && std::abs(std::log(here / there)) > kRounding) return false;
  }
  return true;
}

/// Smaller is nearer.
std::tuple<int, bool, double, double> distance(const machine::Device& one, const machine::Device& other) {
  const auto balance = [](const machine::Device& device) {
    return device.peak_flops(machine::DataType::bf16) / device.memory_bytes_per_s();
  };
  return {generations_apart(one.generation, other.generation), kind_of_memory(one) != kind_of_memory(other),
          std::abs(std::log(balance(one) / balance(other))),
          std::abs(std::log(one.cache_bytes() / other.cache_bytes()))};
}

}  // namespace

machine::Kinship kinship(const machine::Device& one, const machine::Device& other) {
  using machine::Kinship;
  const int apart = generations_apart(one.generation, other.generation);
  if (apart > 1 || kind_of_memory(one) != kind_of_memory(other)) return Kinship::distant;
  if (same_rates(one, other)) return Kinship::same;
  return apart == 0 && same_ratios(one, other) ? Kinship::close : Kinship::refreshed;
}

const machine::Device* nearest_relative(const std::vector<machine::Device>& known, const machine::Device& device,
                                        const std::function<bool(const machine::Device&)>& has) {
  const machine::Device* nearest = nullptr;
  for (const machine::Device& one : known) {
    if (!has(one)) continue;
    if (nearest == nullptr || distance(one, device) < distance(*nearest, device)) nearest = &one;
  }
  return nearest;
}

void complete_constants(const std::vector<machine::Device>& known, machine::Device& device) {
  if (device.has_constants()) return;
  const auto complete = [](const machine::Device& one) { return one.has_constants() && one.constants_from.empty(); };
  const machine::Device* relative = nearest_relative(known, device, complete);
  if (relative == nullptr) return;
  const auto take = [](auto& own, const auto& other) {
    if (own == std::remove_cvref_t<decltype(own)>{}) own = other;
  };
  take(device.gemm, relative->gemm);
  take(device.attention, relative->attention);
  take(device.elementwise, relative->elementwise);
  device.constants_from = relative->name;
}

}  // namespace orrery::llm
