// Which graphs run, what is in them, and what happens between their launches (docs/INFERENCE.md).
#pragma once

#include "ask/devices/device_source.h"

namespace orrery::ask {

struct GraphsRequest {
  DeviceRequest devices = {};
  std::size_t top = 10;  ///< nodes of each graph, and causes of gaps; 0: all
};
template <typename Visitor>
void fields(GraphsRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("top", request.top);
}

Result<report::Answer> run(const GraphsRequest& request, Context& context);

}  // namespace orrery::ask
