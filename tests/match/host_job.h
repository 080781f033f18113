// Jobs whose hosts communicate themselves, as Kineto files that the real reader reads.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/kineto_lines.h"

namespace orrery::match::test {

/// One communication of a rank: the call on thread 1 and the work on `thread`. Times in microseconds.
struct HostCall {
  std::string_view call = "c10d::allreduce_";
  std::string_view work = "gloo:all_reduce";
  std::int64_t thread = 10;
  std::int64_t asked = 0, start = 0, end = 0;
  std::int64_t elements = 4;                                     ///< negative: the work has no tensors to list
  std::string_view inputs = R"("", "", "", "", "False", "-1")";  ///< the concrete inputs of the call
};

struct HostRank {
  std::vector<HostCall> calls = {};
  std::string groups = {};  ///< the list pg_config; empty: none
};

inline std::string host_rank_json(const HostRank& rank, std::size_t number, std::size_t world) {
  std::string events;
  for (const HostCall& call : rank.calls) {
    if (!call.call.empty()) {
      events += fmt::format(
          R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 100, "tid": 1, "ts": {}, "dur": 1, "args": {{"Concrete Inputs": [{}], "Input type": ["TensorList", "", "", ""], "Input Dims": [[[{}]], [], [], []]}}}},)",
          call.call, call.asked, call.inputs, call.elements);
    }
    if (!call.work.empty()) {
      const std::string tensors =
          call.elements < 0
              ? ""
              : fmt::format(R"("Concrete Inputs": [""], "Input type": ["float"], "Input Dims": [[{}]])", call.elements);
      events += fmt::format(
          R"({{"ph": "X", "cat": "user_annotation", "name": "{}", "pid": 100, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}},)",
          call.work, call.thread, call.start, call.end - call.start, tensors);
    }
  }
  if (!events.empty()) events.pop_back();
  const std::string groups = rank.groups.empty() ? "" : fmt::format(R"(, "pg_config": [{}])", rank.groups);
  return fmt::format(R"({{"distributedInfo": {{"rank": {}, "world_size": {}{}}}, "traceEvents": [{}]}})", number, world,
                     groups, events);
}

inline std::string group_json(std::string_view name, const std::vector<std::int64_t>& ranks) {
  return fmt::format(R"({{"pg_name": "{}", "ranks": [{}]}})", name, fmt::join(ranks, ", "));
}

inline trace::Trace host_job(const std::vector<HostRank>& ranks) {
  const testing::TempDir dir;
  Diagnostics diagnostics;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < ranks.size(); ++i) files.push_back(host_rank_json(ranks[i], i, ranks.size()));
  return testing::read_ranks(dir, files, diagnostics);
}

}  // namespace orrery::match::test
