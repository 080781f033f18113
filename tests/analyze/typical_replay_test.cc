#include "analyze/typical_replay.h"

#include <doctest/doctest.h>

#include "link/step_path_text.h"

using namespace orrery;
using link::testing::SmallStep;

TEST_CASE("with typical delays a step takes as long as its work and its typical gaps") {
  const SmallStep small(R"(
      1       0    10  cuda_runtime  cudaLaunchKernel  correlation=1
      1       10   10  cuda_runtime  cudaLaunchKernel  correlation=2
      1       20   10  cuda_runtime  cudaLaunchKernel  correlation=3
      gpu0/7  6    50  kernel        first             correlation=1
      gpu0/7  58   50  kernel        second            correlation=2
      gpu0/7  120  50  kernel        late              correlation=3
  )");
  CHECK(small.step.typical_kernel_gap == 2 * kPsPerUs);
  CHECK(analyze::typical_replay(small.step) == (6 + 50 + 2 + 50 + 2 + 50) * kPsPerUs);  // measured: 170
}

TEST_CASE("idleness without a cause takes no time in it") {
  const SmallStep small("gpu0/7 0 10 kernel a\ngpu0/7 500 10 kernel b");
  CHECK(small.span_us() == 510);
  CHECK(analyze::typical_replay(small.step) == 20 * kPsPerUs);
}
