// What Holistic Trace Analysis gets wrong about the path, and the default mode gets right: one test per defect.
#include "step_path_text.h"

using namespace orrery;
using namespace orrery::link;
using namespace orrery::link::testing;

TEST_CASE("all kernels of a CUDA graph are part of the step, and the path goes through them") {
  const SmallStep small(R"(
      1      0    100  cpu_op        graph_replay
      1      10   20   cuda_runtime  cudaGraphLaunch  correlation=1
      gpu0/7 40   100  kernel        first            correlation=1
      gpu0/7 142  100  kernel        second           correlation=1
      gpu0/7 244  100  kernel        third            correlation=1
  )");
  CHECK(small.path() == Lines{"cpu_operator graph_replay 10", "launch_delay first 30", "kernel first 100", "kernel_gap second 2", "kernel second 100", "kernel_gap third 2", "kernel third 100"});
}
