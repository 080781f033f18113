// The micro-workloads of Chakra's generator (chakra_generator 1.0.0): fourteen families, each of a node or two per
// rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/workload.h"

namespace orrery::generate {

/// The defaults are its own.
struct ChakraFamilyOptions {
  std::uint32_t ranks = 64;
  std::int64_t runtime_us = 5;       ///< of compute nodes
  std::int64_t tensor_bytes = 1024;  ///< of memory nodes, sends and receives
  std::int64_t collective_bytes = 65536;
};

struct NamedWorkload {
  std::string name;  ///< also the prefix of its files
  workload::Workload workload;
};

/// In its order: node ids run on from rank to rank and from family to family, as there. Written with
/// WriteOptions{.version = "1.0.0", .sample_attributes = true}, the files are its files, byte for byte. Its sends and
/// receives name no peer: they cannot be simulated.
Result<std::vector<NamedWorkload>> chakra_families(const ChakraFamilyOptions& options);

}  // namespace orrery::generate
