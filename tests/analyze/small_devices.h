// Small traces whose devices are looked at, for the tests of breakdowns and tables.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyze/device/breakdown_sheets.h"
#include "analyze/device/kernels.h"
#include "causal/step_path_text.h"

namespace orrery::analyze::testing {

inline constexpr TimePs us = kPsPerUs;

inline std::vector<DeviceRank> look(const trace::Trace& trace,
                                    const causal::WindowRequest& request = causal::testing::whole()) {
  Diagnostics diagnostics;
  auto ranks = look_at_devices(trace, request, true, diagnostics);
  REQUIRE_MESSAGE(ranks.ok(), (ranks.ok() ? "" : ranks.error().message));
  return std::move(*ranks);
}

/// A small trace and what the devices did in it.
struct SmallDevices {
  explicit SmallDevices(std::string_view lines, const causal::WindowRequest& request = causal::testing::whole())
      : small(lines), ranks(look(small.trace(), request)), breakdown(break_down(ranks)) {}

  [[nodiscard]] const DeviceTime& device(std::size_t d = 0) const { return breakdown.front().times.at(d); }
  [[nodiscard]] TimePs idle(IdleReason reason, std::size_t d = 0) const {
    return device(d).idle.time[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] std::string name(StringId id) const { return std::string(small.trace().strings.text(id)); }
  [[nodiscard]] RankKernels kernels(std::size_t top = 0) const {
    return sum_kernels(ranks, {.top = top, .order = KernelOrder::time, .with_memory = true}).front();
  }

  causal::testing::SmallTrace small;
  std::vector<DeviceRank> ranks;
  std::vector<RankBreakdown> breakdown;
};

/// Two threads, two devices, work of every type.
inline constexpr const char* kMixed = R"trace(

    1       5    60   cpu_op           aten::mm
    1       10   10   cuda_runtime     cudaLaunchKernel       correlation=1
    1       30   10   cuda_runtime     cudaLaunchKernel       correlation=2
    2       40   10   cuda_driver      cuLaunchKernel         correlation=3
    1       70   20   cpu_op           aten::copy_
    1       75   10   cuda_runtime     cudaMemcpyAsync        correlation=4
    gpu0/7  20   50   kernel           gemm                   correlation=1
    gpu0/7  71   20   kernel           relu                   correlation=2
    gpu0/9  50   30   kernel           ncclDevKernel_AllReduce_Sum correlation=3
    gpu0/7  95   10   gpu_memcpy       "Memcpy HtoD (Pageable -> Device)" correlation=4 bytes=1000
    gpu1/7  60   10   kernel           gemm
)trace";

/// Of devices and their streams, parts are what the whole is.
inline void check_sums(const std::vector<RankBreakdown>& ranks) {
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& time : rank.times) {
      CHECK(time.busy_time() + time.idle_time() + time.idle.earlier() == time.window);
      CHECK(time.computing() + time.exposed_communication() + time.exposed_memory() == time.busy_time());
      CHECK(time.idle.total() == time.idle_time());
      for (std::size_t r = 0; r < kIdleReasons; ++r) {
        TimePs pieces = 0;
        for (const TimePs piece : time.idle.pieces[r]) pieces += piece;
        CHECK(pieces == time.idle.time[r]);
      }
    }
    for (const StreamTime& stream : rank.streams)
      CHECK(stream.busy + stream.idle.total() + stream.idle.earlier() == rank.devices->window.span());
  }
  const report::Sheet parts = parts_sheet(sum_of(ranks));
  double percent = 0;
  for (std::size_t row = 0; row < parts.rows(); ++row) percent += parts.number(parts.find("share"), row);
  CHECK(percent == doctest::Approx(100));
}

}  // namespace orrery::analyze::testing
