// What bounds a path in one sentence, and what takes its place.
#include "analyze/path/verdict.h"

#include <doctest/doctest.h>

#include "analyze/path/causal_path.h"
#include "causal/step_path_text.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::testing::SmallStep;

namespace {

std::string sentence_of(const char* lines, bool with_gains = true) {
  const SmallStep small(lines);
  return verdict(take_path(small.job, graph::solve(small.job.graph, small.job.end), 0, with_gains).sums);
}

// A long kernel that the host waits for. The operator beside it lasts 50 us less.
constexpr const char* kDeviceFirst = R"(
    1       0    10   cuda_runtime  cudaLaunchKernel       correlation=1
    gpu0/7  12   988  kernel        gemm                   correlation=1
    1       10   OWN  cpu_op        aten::busy
    1       WAIT REST cuda_runtime  cudaDeviceSynchronize  correlation=2
)";

std::string with_host_time(int own) {
  std::string lines = kDeviceFirst;
  const auto put = [&](const char* word, int value) {
    lines.replace(lines.find(word), std::string(word).size(), std::to_string(value));
  };
  put("OWN", own);
  put("WAIT", 10 + own);
  put("REST", 1001 - 10 - own);
  return lines;
}

}  // namespace

TEST_CASE("what computes is called what it is") {
  SmallStep small(with_host_time(100).c_str());
  small.job.reach.is_of_tpus = true;
  CHECK(verdict(take_path(small.job, graph::solve(small.job.graph, small.job.end), 0, true).sums) ==
        "99 % TPU compute-bound");
}

TEST_CASE("a verdict that its what-if holds stands alone") {
  CHECK(sentence_of(with_host_time(100).c_str()) == "99 % GPU compute-bound");
}

TEST_CASE("where little is saved the sentence says what takes the place") {
  CHECK(sentence_of(with_host_time(900).c_str()) ==
        "99 % GPU compute-bound, but the host is close behind: free kernels save 9 %");
  // Who asks for no gains gets no second half.
  CHECK(sentence_of(with_host_time(900).c_str(), false) == "99 % GPU compute-bound");
}

TEST_CASE("half of what is claimed is enough") {
  const Relief relief{Bound::compute, 30, {}, 70};
  CHECK(but_clause(relief, 60, 100).empty());
  CHECK_FALSE(but_clause(relief, 62, 100).empty());
}

TEST_CASE("what no edit takes away has no relief") {
  KindTimes times{};
  times[static_cast<std::size_t>(causal::EdgeKind::idle_device)] = 70;
  times[static_cast<std::size_t>(causal::EdgeKind::kernel)] = 30;
  CHECK(bound_shares(times).front().bound == Bound::unknown);
  CHECK(word_of(Bound::unknown).empty());
  CHECK(verdict(times, 100) == "70 % idle without a recorded cause, 30 % GPU compute-bound");
}

TEST_CASE("every kind of time but order and arrival counts as one bound") {
  for (std::size_t kind = 0; kind < causal::kJobEdgeKinds; ++kind) {
    KindTimes times{};
    times[kind] = 10;
    TimePs counted = 0;
    for (const BoundShare& share : bound_shares(times)) counted += share.on_path;
    const auto is = [&](causal::EdgeKind other) { return kind == static_cast<std::size_t>(other); };
    CHECK(counted ==
          (is(causal::EdgeKind::order) || is(causal::EdgeKind::arrival) || is(causal::EdgeKind::several) ? 0 : 10));
  }
}
