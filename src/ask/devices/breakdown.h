// Where the time of the devices goes: computing, communicating, copying, idle and why.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "ask/devices/device_source.h"

namespace orrery::ask {

/// Which device comes first in the table: the column whose largest do; none: by rank.
inline constexpr std::pair<std::string_view, std::string_view> kDeviceOrders[] = {
    {"rank", ""}, {"idle", "idle"}, {"busy", "busy"}, {"compute", "compute"}, {"window", "window"}};

struct BreakdownRequest {
  DeviceRequest devices = {};
  /// The largest annotations that keep their names, 1000 unless it is given; 0: all. People see as many rows, or ten.
  std::optional<std::size_t> top = {};
  std::optional<std::string_view> sort = {};  ///< see kDeviceOrders
  Compat compat = Compat::none;
  // HTA's own, and meaningless otherwise.
  std::optional<double> kernel_delay_us = {};  ///< gaps below this lie between kernels; 30
  std::optional<double> duration_ratio = {};   ///< see analyze::hta::TotalsLimit; 0.8
  bool include_last_step = false;
};
template <typename Visitor>
void fields(BreakdownRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("top", request.top);
  visit("sort", choice(request.sort, kDeviceOrders));
  visit("compat", choice(request.compat, kCompatWords));
  visit("kernel-delay-us", request.kernel_delay_us);
  visit("duration-ratio", request.duration_ratio);
  visit("include-last-step", request.include_last_step);
}

Result<report::Answer> run(const BreakdownRequest& request, Context& context);

}  // namespace orrery::ask
