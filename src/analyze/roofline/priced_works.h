// What the device's roof allows for each call of an operator: max(FLOPs / peak rate, bytes / memory bandwidth).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/capture/work_origins.h"
#include "analyze/device/device_rank.h"
#include "analyze/roofline/operator_cost.h"
#include "machine/device/device.h"

namespace orrery::analyze {

/// One call of an operator and the works that it launched, in a graph those of one launch. Of the operators around a
/// work the innermost with a formula counts; where none has one, the innermost, without a price.
struct PricedCall {
  OperatorCall call;
  std::optional<OperatorCost> cost;                  ///< none: no formula
  machine::DataType peak = machine::DataType::fp32;  ///< the rate that it is held against
  bool on_matrix_units = false;                      ///< else outside of them: fp32 that no kernel's name calls tf32
  TimePs time = 0;                                   ///< of its works together
  std::uint32_t works = 0;
  std::optional<TimePs> roof;     ///< of the call; none: no price, or the device has no rate for it
  bool is_compute_bound = false;  ///< else by memory
};

struct PricedWorks {
  std::vector<PricedCall> calls;       ///< by first work
  std::vector<std::uint32_t> of_work;  ///< per work of the timeline: place in `calls`; kNoCall
  static constexpr std::uint32_t kNoCall = ~std::uint32_t{0};
};

/// Works that belong to the window. `origins`: of the rank.
PricedWorks price_works(const DeviceRank& devices, WorkOrigins& origins, const machine::Device& device);

/// FLOPs per second that a call is held against; 0: the device does not compute in its type, or nobody knows how fast.
double peak_of(const machine::Device& device, const PricedCall& call);

}  // namespace orrery::analyze
