// How far each operator is from what the device can do (docs/INFERENCE.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/roofline/roofline_sheets.h"
#include "ask/devices/device_source.h"

namespace orrery::ask {

inline constexpr std::pair<std::string_view, analyze::RooflineOrder> kRooflineOrders[] = {
    {"time", analyze::RooflineOrder::time},
    {"lost", analyze::RooflineOrder::lost},
    {"share", analyze::RooflineOrder::share}};

struct RooflineRequest {
  DeviceRequest devices = {};
  std::optional<std::string> device = {};  ///< its name or file; none: what the recording says of its devices
  std::size_t top = 10;                    ///< operators; 0: all
  std::optional<analyze::RooflineOrder> sort = {};
};
template <typename Visitor>
void fields(RooflineRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("device", request.device);
  visit("top", request.top);
  visit("sort", choice(request.sort, kRooflineOrders));
}

Result<report::Answer> run(const RooflineRequest& request, Context& context);

}  // namespace orrery::ask
