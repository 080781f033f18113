// The shipped catalog, read once for all tests.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "llm/catalog.h"
#include "llm/kernels/kernel_benchmark.h"

namespace orrery::llm {

inline const Catalog& shipped() {
  static const Catalog catalog = [] {
    auto read = read_catalog(std::string(ORRERY_SOURCE_DIR) + "/data");
    REQUIRE_MESSAGE(read.ok(), (read ? "" : read.error().to_string()));
    return std::move(*read);
  }();
  return catalog;
}

inline const machine::Device& shipped_device(std::string_view name) {
  const machine::Device* device = find_device(shipped(), name);
  REQUIRE(device != nullptr);
  return *device;
}

/// Whether both agree in the nine digits that the expected values have.
inline bool alike(double value, double expected) { return std::abs(value - expected) <= 6e-9 * std::abs(expected); }

/// The same with stand-alone figures, taken over where it has none.
inline KernelDevice shipped_kernel_device(std::string_view name) {
  return kernel_device(shipped().devices, shipped_device(name));
}

}  // namespace orrery::llm
