// Collects the operations of one rank of a GOAL schedule: what the two parsers fill.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "graph/builder.h"
#include "workload/workload.h"

namespace orrery::goal {

inline constexpr std::int64_t kMaxCalcNs = graph::kMaxWeightPs / kPsPerNs;
inline constexpr std::int64_t kMaxTag = std::int64_t{0xffffffff} - 1;  ///< the last 32-bit number stands for any

/// `send 1024b to 3 tag 7 cpu 0 nic 1`, `recv 1024b from -1 tag -1`, `calc 5000 cpu 1`.
struct Operation {
  workload::ActivityKind kind = workload::ActivityKind::compute;
  StringId label = 0;
  std::int64_t size = 0;  ///< bytes of a message, nanoseconds of a calc (at most kMaxCalcNs)
  std::int32_t peer = 0;  ///< -1: any source
  std::int64_t tag = 0;   ///< -1: any
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
};

class RankProgram {
 public:
  graph::NodeId add(const Operation& operation);
  /// `dependent` waits for `on`; both were added.
  void require(graph::NodeId dependent, graph::NodeId on, workload::Dependency type);
  [[nodiscard]] std::size_t size() const { return program_.size(); }
  /// An Error names the operations of a cycle, by position.
  Result<workload::Program> build() &&;

 private:
  workload::Program program_;
  graph::GraphBuilder dependencies_ = workload::dependency_builder();
};

}  // namespace orrery::goal
