// Does the host keep the devices fed: launch calls, delays, queues, operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "ask/devices/device_source.h"

namespace orrery::ask {

/// Which operators come first: the column whose largest do; none: the most frequent.
inline constexpr std::pair<std::string_view, std::string_view> kOperatorOrders[] = {
    {"count", ""}, {"device", "device"}, {"launch_delay", "launch_delay"}, {"runtime_delay", "runtime_delay"}};

struct LaunchesRequest {
  DeviceRequest devices = {};
  std::int64_t queue_limit = 1024;            ///< with this many waiting, a queue is full
  bool no_memory = false;                     ///< leave out copies and sets
  double runtime_cutoff_us = 50;              ///< calls that take longer are slow
  double delay_cutoff_us = 100;               ///< work that starts later after its call is late
  std::size_t top = 10;                       ///< rows of each table that people see; 0: all
  std::optional<std::string_view> sort = {};  ///< see kOperatorOrders
  Compat compat = Compat::none;
  bool include_last_step = false;  ///< HTA's own, and meaningless otherwise
};
template <typename Visitor>
void fields(LaunchesRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("queue-limit", request.queue_limit);
  visit("no-memory", request.no_memory);
  visit("runtime-cutoff-us", request.runtime_cutoff_us);
  visit("delay-cutoff-us", request.delay_cutoff_us);
  visit("top", request.top);
  visit("sort", choice(request.sort, kOperatorOrders));
  visit("compat", choice(request.compat, kCompatWords));
  visit("include-last-step", request.include_last_step);
}

Result<report::Answer> run(const LaunchesRequest& request, Context& context);

}  // namespace orrery::ask
