// Workloads of computations and messages, written down in a few words for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "workload/workload.h"

namespace orrery::testing {

struct Op {
  workload::ActivityKind kind = workload::ActivityKind::compute;
  std::int64_t size = 0;  ///< bytes or ns
  std::int32_t peer = 0;
  std::int64_t tag = 0;
  std::vector<std::uint32_t> after = {};        ///< ends of these, by position
  std::vector<std::uint32_t> after_start = {};  ///< starts of these
  std::uint8_t cpu = 0, nic = 0;
};

inline Op calc(std::int64_t ns, std::vector<std::uint32_t> after = {}) {
  return {.size = ns, .after = std::move(after)};
}
inline Op send(std::int32_t to, std::int64_t bytes, std::vector<std::uint32_t> after = {}, std::int64_t tag = 0) {
  return {.kind = workload::ActivityKind::send, .size = bytes, .peer = to, .tag = tag, .after = std::move(after)};
}
inline Op recv(std::int32_t from, std::int64_t bytes, std::vector<std::uint32_t> after = {}, std::int64_t tag = 0) {
  return {.kind = workload::ActivityKind::recv, .size = bytes, .peer = from, .tag = tag, .after = std::move(after)};
}

inline workload::Workload workload_of(const std::vector<std::vector<Op>>& ranks) {
  workload::Workload workload;
  for (const std::vector<Op>& ops : ranks) {
    workload::Program program;
    graph::GraphBuilder builder = workload::dependency_builder();
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      const bool is_message = op.kind != workload::ActivityKind::compute;
      program.ids.push_back(i);
      program.names.push_back(0);
      program.kinds.push_back(op.kind);
      program.flags.push_back(
          is_message ? workload::activity::kHasPeer | workload::activity::kHasBytes | workload::activity::kHasTag : 0);
      program.bytes.push_back(is_message ? op.size : 0);
      program.peers.set(i, op.peer);
      program.tags.set(i, op.tag);
      program.cpus.set(i, op.cpu);
      program.nics.set(i, op.nic);
      builder.add_node(is_message ? 0 : op.size * kPsPerNs);
      for (const std::uint32_t on : op.after)
        builder.add_edge(on, i, static_cast<std::uint8_t>(workload::Dependency::data), 0);
      for (const std::uint32_t on : op.after_start)
        builder.add_edge(on, i, static_cast<std::uint8_t>(workload::Dependency::start), 0);
    }
    program.peers.complete(ops.size());
    program.tags.complete(ops.size());
    program.cpus.complete(ops.size());
    program.nics.complete(ops.size());
    program.dependencies = std::move(builder).build().value();
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(std::move(program));
  }
  return workload;
}

}  // namespace orrery::testing
