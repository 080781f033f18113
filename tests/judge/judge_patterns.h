// What the judge runs: platforms that both simulators know, and who sends how much to whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/fluid_network_flows.h"

namespace orrery::judge {

/// Links of 1 GB/s in both directions.
struct Platform {
  std::string name;
  std::uint32_t devices;
  std::string topology;          ///< as in a machine file
  std::string simgrid_topology;  ///< attributes of SimGrid's <cluster>
};

enum class Agreement : std::uint8_t {
  exact,     ///< the same model: must agree
  differing  ///< paths of unequal latency, which SimGrid weighs: reported only
};

struct Case {
  Platform platform;
  std::string pattern;
  double latency_us = 0;
  Agreement agreement = Agreement::exact;
  std::vector<simulate::testing::Message> messages;
};

/// All cases; random partners and sizes follow from `seed`. `scale` multiplies the number of random messages per
/// device.
std::vector<Case> make_cases(std::uint64_t seed, std::uint32_t scale);

}  // namespace orrery::judge
