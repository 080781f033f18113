// What HTA takes a kernel for, by its name alone.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "causal/hta/rows.h"

namespace orrery::causal::hta {

/// In the order in which HTA's tables have them.
enum class KernelType : std::uint8_t { computation, communication, memory, other };
inline constexpr std::array kTabulatedTypes = {KernelType::computation, KernelType::communication, KernelType::memory};
/// "COMPUTATION", as HTA spells it.
std::string_view to_string(KernelType type);

/// (^nccl)|(^hip)|(^hccl)|(.*ncclKernel), matched at the start.
bool is_communication(std::string_view name);
/// (^(hip)?Memcpy)|(^(hip)?Memset)|(^dma)
bool is_memory(std::string_view name);
/// Communication is asked first, so that everything called hip... is that.
KernelType kernel_type(std::string_view name);

/// The same by the number of the name: names are few and long, rows many, so each name is looked at once. Not
/// thread-safe.
class KernelTypes {
 public:
  explicit KernelTypes(const Rows& rows) : rows_(rows), known_(rows.trace->strings.size(), kUnknown) {}
  [[nodiscard]] KernelType of(RowIndex r) {
    std::uint8_t& known = known_[rows_.name(r)];
    if (known == kUnknown) known = static_cast<std::uint8_t>(kernel_type(rows_.name_text(r)));
    return static_cast<KernelType>(known);
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xFF;
  const Rows& rows_;
  Column<std::uint8_t> known_;
};

}  // namespace orrery::causal::hta
