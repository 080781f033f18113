// How fast a device computes, by number format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::machine {

enum class DataType : std::uint8_t { fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4 };
inline constexpr std::array<std::string_view, 8> kDataTypeNames = {"fp64", "fp32", "tf32", "bf16",
                                                                   "fp16", "fp8",  "int8", "fp4"};

/// Bytes of one element in memory.
constexpr double bytes_of(DataType type) {
  switch (type) {
    case DataType::fp64: return 8;
    case DataType::fp32:
    case DataType::tf32: return 4;
    case DataType::bf16:
    case DataType::fp16: return 2;
    case DataType::fp8:
    case DataType::int8: return 1;
    case DataType::fp4: break;
  }
  return 0.5;
}

/// Dense peak rate per data type, in 1e12 operations per second; a type the device does not compute in, or whose rate
/// is unknown, has none.
struct PeakTflops {
  std::array<std::optional<double>, kDataTypeNames.size()> by_type = {};

  [[nodiscard]] std::optional<double> operator[](DataType type) const {
    return by_type[static_cast<std::size_t>(type)];
  }
  std::optional<double>& operator[](DataType type) { return by_type[static_cast<std::size_t>(type)]; }
  friend bool operator==(const PeakTflops&, const PeakTflops&) = default;
};

}  // namespace orrery::machine
