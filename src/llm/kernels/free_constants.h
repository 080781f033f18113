// Which constants of a device follow from timings of which kernels. Constants that the same rows speak about are fitted
// together: a group.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "llm/kernels/kernel_rows.h"
#include "machine/device/device.h"

namespace orrery::llm {

struct FreeConstant {
  std::string path;                             ///< as in the description: "gemm.wave_share"
  std::function<double&(machine::Device&)> at;  ///< only of devices that have what the path names
  double most = 1e9;                            ///< shares of a running step end at 1
};

/// "gemm", "standalone.softmax", "elementwise.add"; empty: no constant follows from such a row. The kind must be known.
std::string group_of(const KernelRow& row);

/// The constants of a group that are not 0 in `device`, in the order of its description: what is switched off stays so.
std::vector<FreeConstant> constants_of(const std::string& group, const machine::Device& device);

/// Gives every element-wise kind that `rows` time alone an entry of its own in device.standalone, which must be there:
/// what it was estimated with so far.
void name_timed_kinds(machine::Device& device, const std::vector<KernelRow>& rows);

}  // namespace orrery::llm
