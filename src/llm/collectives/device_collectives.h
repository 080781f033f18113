// Whose measured collectives a device is priced by: its own, or those of its nearest relative at its own link rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/catalog.h"
#include "machine/device/collective_lines.h"
#include "machine/device/device.h"

namespace orrery::llm {

struct CollectiveEstimate {
  double us = 0;
  std::optional<double> low_us = {}, high_us = {};  ///< eight of ten measurements would lie between
  std::optional<double> unseen_pct = {};            ///< mean error of such messages that the lines had not seen
  std::string measured_on = {};                     ///< the device
  std::string protocol = {};
  std::string basis =
      {};  ///< "H100 nccl 2.27.3": what was measured; "H100 nccl 2.27.3 at the link of H200" of a relative
};

struct DeviceCollectives {
  machine::CollectiveLines lines;
  double link_bytes_per_s = 0;           ///< of the device
  double measured_link_bytes_per_s = 0;  ///< of the one that was measured
  std::string device = {};
  std::string measured_on = {};  ///< the same device, or its relative

  [[nodiscard]] bool is_own() const { return device == measured_on; }
  /// None: the operation was not measured. `rail` is only asked about more than one node.
  [[nodiscard]] std::optional<CollectiveEstimate> estimate(const machine::CollectiveCall& call, std::int64_t nodes,
                                                           const machine::RailLink& rail) const;
};

/// The lines of the device's own folder; else those of the device in `known` that has some and is most alike in what
/// connects devices: generation, then the rate of the link, then how many share it. None: nobody has any. An Error: a
/// file that cannot be used.
Result<std::optional<DeviceCollectives>> collectives_of(const std::vector<machine::Device>& known,
                                                        const machine::Device& device);

/// The port that devices of this generation are usually sold with, one each.
machine::RailLink usual_rail(const Catalog& catalog, const machine::Device& device);

}  // namespace orrery::llm
