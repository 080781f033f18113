// Which device a recording was made on, as the descriptions that come with the program know it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "machine/device/device.h"
#include "trace/trace.h"

namespace orrery::ask {

struct ChosenDevice {
  machine::Device device;
  std::string source;  ///< "--device", "the name in the recording", "units and memory in the recording"
};

/// `named`: by its name or file, which must be known. Else by what the recording says of its devices: a name, or how
/// many units and bytes of memory it has. None: nothing tells.
Result<std::optional<ChosenDevice>> choose_device(const std::optional<std::string>& named, const trace::Trace& trace);

}  // namespace orrery::ask
