#include "job/shipped/measured_collectives.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "job/shipped/shipped_catalog.h"
#include "llm/collectives/device_collectives.h"

namespace orrery::job {

Result<simulate::MeasuredDevice> measured_collectives(const std::vector<machine::Device>& known,
                                                      const machine::Device& device) {
  auto found = llm::collectives_of(known, device);
  if (!found) return found.error();
  if (!*found)
    return Error{.message = fmt::format("no collectives were measured on '{}', or on any device like it", device.name),
                 .hint = "orrery llm distil makes lines of a table of measured ones"};
  auto collectives = std::make_shared<const llm::DeviceCollectives>(std::move(**found));
  simulate::MeasuredDevice measured;
  measured.scale_up_devices = device.scale_up_devices;
  measured.basis = collectives->measured_on;
  if (!collectives->is_own()) measured.basis += " at the link of " + collectives->device;
  measured.us = [collectives](const machine::CollectiveCall& call) -> std::optional<double> {
    const machine::CollectiveLaw* law = machine::nearest_law(collectives->lines, call.op, call.library, call.version);
    if (law == nullptr) return std::nullopt;
    return machine::price(*law, call, collectives->link_bytes_per_s).us;
  };
  return measured;
}

Result<simulate::MeasuredDevice> open_measured_collectives(const machine::Machine& machine) {
  const auto catalog = read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto device = read_device(*catalog, machine.devices.name);
  if (!device) return device.error();
  return measured_collectives(catalog->devices, *device);
}

}  // namespace orrery::job
