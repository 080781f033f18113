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

/// Smaller is nearer.
std::tuple<bool, bool, double, double> distance(const machine::Device& one, const machine::Device& other) {
  const auto balance = [](const machine::Device& device) {
    return device.peak_flops(machine::DataType::bf16) / device.memory_bytes_per_s();
  };
  return {one.generation != other.generation, kind_of_memory(one) != kind_of_memory(other),
          std::abs(std::log(balance(one) / balance(other))),
          std::abs(std::log(one.cache_bytes() / other.cache_bytes()))};
}

}  // namespace

machine::Kinship kinship(const machine::Device& one, const machine::Device& other) {
  const bool alike = one.generation == other.generation && kind_of_memory(one) == kind_of_memory(other);
  return alike ? machine::Kinship::close : machine::Kinship::distant;
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
