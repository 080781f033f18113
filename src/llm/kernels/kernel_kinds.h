// The kinds of kernels that can be priced by name, with the sizes that each needs. docs/LLM.md has the same list for
// people.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "llm/kernels/kernel_list.h"
#include "llm/kernels/kernel_rows.h"
#include "machine/device/device.h"

namespace orrery::llm {

// What a kind of kernel is: the sizes it needs, the number formats it comes in, and how it is priced.

/// In which number formats a kind can be priced.
enum class Formats : std::uint8_t {
  any,        ///< bytes are copied whatever they mean
  rated,      ///< those that the device has a rate for
  sized,      ///< those that elements of a tensor are kept in: one byte or more
  two_byte,   ///< those that the figures were measured in
  optimizer,  ///< 16 bits or fp32
};

/// What an element-wise kernel reads and writes, and what it computes outside the matrix units.
struct Traffic {
  double bytes = 0;
  double operations = 0;
};

/// Which rate an element-wise kernel has when it is timed alone and its kind was not.
enum class AloneLike : std::uint8_t {
  add,   ///< that of `add`: it only streams
  gelu,  ///< that of `gelu`: it also computes
  copy,  ///< that of a copy on the device
  step   ///< its share in a running step: nothing that was timed alone is like it
};

/// Either `traffic` is set (an element-wise kernel), or `seconds`.
struct KernelKind {
  std::string_view name;
  Formats formats = Formats::sized;
  std::vector<double KernelSizes::*> needs = {};
  Traffic (*traffic)(const KernelSizes&) = nullptr;
  ElementwiseRate (*share)(const KernelSizes&) = nullptr;  ///< in a running step
  AloneLike like = AloneLike::add;
  double (*seconds)(const machine::Device&, const KernelSizes&) = nullptr;
  bool standalone = true;  ///< needs figures of stand-alone kernels when it runs alone
  bool timed = false;      ///< its model was held against kernels of this very kind, timed alone
};

std::span<const KernelKind> kernel_kinds();
// The families.
std::vector<KernelKind> computed_kinds();
std::vector<KernelKind> elementwise_kinds();

/// Null: there is no such kind.
const KernelKind* find_kernel_kind(std::string_view name);

/// Whether there is a rate for the format of `sizes`.
bool has_format(const KernelKind& kind, const KernelSizes& sizes, const machine::Device& device);
bool has_sizes(const KernelKind& kind, const KernelSizes& sizes);
/// Whether the price stands on kernels of this kind, not only on others that are like it.
bool was_timed(const KernelKind& kind, const machine::Device& device, KernelRun run);

/// Format and sizes must be there, and, of kernels that run alone, device.standalone.
double kernel_seconds(const KernelKind& kind, const machine::Device& device, const KernelSizes& sizes);

/// Of an element-wise kernel timed alone: as it was timed, or as what is like it.
machine::StreamingKernel alone_kernel(const KernelKind& kind, const machine::Device& device, const KernelSizes& sizes);

}  // namespace orrery::llm
