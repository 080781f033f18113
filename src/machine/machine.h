// Where a job runs: devices, their rates and memory, and the network between them. A plain value;
// docs/formats/machine.md tells the fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/communication.h"
#include "machine/device/peak_rates.h"
#include "machine/topology/dimension.h"

namespace orrery::machine {

/// One level of a device's memory, shared by the whole device. GB is 1e9 bytes everywhere.
struct MemoryLevel {
  std::string name;
  double capacity_gb = 0;
  std::optional<double> bandwidth_gb_per_s = {};
  std::optional<double> latency_ns = {};

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

/// `count` devices of one kind.
struct Devices {
  std::int64_t count = 1;
  std::string name;
  std::optional<std::int64_t> compute_unit_count = {};  ///< SMs, CUs or cores: what a kernel's blocks are spread over
  PeakTflops matrix_peak_tflops = {};                   ///< tensor or matrix units
  PeakTflops vector_peak_tflops = {};                   ///< everything else: what softmax and element-wise kernels get
  std::optional<double> launch_latency_us = {};  ///< from the launch call to the start of the kernel on an idle device
  std::vector<MemoryLevel> memory = {};          ///< from the largest and slowest level inwards
  std::int64_t compute_stream_count = 1;         ///< kernels that run at once

  friend bool operator==(const Devices&, const Devices&) = default;
};

enum class Routing : std::uint8_t { shortest, dimension_ordered, ecmp, adaptive };
inline constexpr std::array<std::string_view, 4> kRoutingNames = {"shortest", "dimension_ordered", "ecmp", "adaptive"};

/// What is wrong with the links between two neighbours, named as Network names them.
struct Fault {
  std::string from;
  std::string to;
  double derate = 0;                       ///< the share of the bandwidth that is left; 0: down
  Direction direction = Direction::both;   ///< forward: only from `from` to `to`
  std::optional<std::int64_t> cable = {};  ///< which of several parallel ones, from 0; all of them if left out

  friend bool operator==(const Fault&, const Fault&) = default;
};

/// The device with coordinates c0, c1, … has the rank c0 + size0 * (c1 + size1 * …): the first dimension varies
/// fastest.
struct Machine {
  std::string name;
  Devices devices;
  std::vector<Dimension> network = {};  ///< innermost first; empty for a single device
  Routing routing = Routing::shortest;
  std::vector<Fault> faults = {};
  Communication communication = {};

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace orrery::machine
