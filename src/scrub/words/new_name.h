// The name that takes the place of another: a word for the sort of work, the parts that analyses look for, and a keyed hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::scrub {

/// "aten::mm" -> "op.gemm.3fa9c2d1e5b60718", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)" -> "ncclDevKernel_AllReduce_3fa9c2d1e5b60718".
///
/// Promises: depends on the name and the hash alone, whatever kind of file or event it stands in. Every test on names that an analysis of
/// this program, HTA or Chakra makes ("contains nccl", "begins with hip", "contains DataLoader") has the same answer for both names; the parts are
/// listed in new_name.cc.
std::string new_name(std::string_view name, std::uint64_t hash);

}  // namespace orrery::scrub
