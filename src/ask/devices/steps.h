// What the engine did, step by step: phase, batch, tokens, and what the devices made of it.
#pragma once

#include "ask/devices/device_source.h"

namespace orrery::ask {

struct StepsRequest {
  DeviceRequest devices = {};
  std::size_t top = kRowsThatMatter;  ///< rows of each table that people see; 0: all
};
template <typename Visitor>
void fields(StepsRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("top", request.top);
}

Result<report::Answer> run(const StepsRequest& request, Context& context);

}  // namespace orrery::ask
