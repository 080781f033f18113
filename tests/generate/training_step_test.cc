#include "generate/training_step.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace orrery;

namespace {

/// "forward_0 < -; backward_0 < forward_0; ...": every activity with what it waits for.
std::string text(const workload::Workload& workload, std::size_t rank) {
  const workload::Program& program = workload.program(rank);
  std::string all;
  for (std::size_t i = 0; i < program.size(); ++i) {
    all += std::string(workload.strings.text(program.names[i]));
    if (program.group_names[i] != 0) all += "@" + std::string(workload.strings.text(program.group_names[i]));
    all += ":";
    for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i)))
      all += " " + std::string(workload.strings.text(program.names[program.dependencies.source(slot)]));
    all += "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("buckets are reduced beside the backward pass, and the optimizer waits for them") {
  const auto workload =
      generate::training_step({.data_parallel = 4, .layers = 3, .gradient_bytes = 10, .bucket_bytes = 15});
  REQUIRE(workload.ok());
  CHECK(workload->rank_count() == 4);
  CHECK(workload->programs.size() == 1);
  CHECK(workload->groups.empty());
  CHECK(text(*workload, 3) ==
        "forward_0:\nforward_1: forward_0\nforward_2: forward_1\n"
        "backward_2: forward_2\nbackward_1: backward_2\ngradients_0: backward_1\n"
        "backward_0: backward_1\ngradients_1: backward_0 gradients_0\n"
        "optimizer: backward_0 gradients_1\n");
  CHECK(workload->program(0).bytes[5] == 20);
  CHECK(workload->program(0).bytes[7] == 10);
}

TEST_CASE("tensor-parallel layers wait for their activations; groups are neighbours and strides") {
  const auto workload = generate::training_step(
      {.data_parallel = 2, .tensor_parallel = 3, .layers = 1, .optimizer_ps = 0, .activation_bytes = 7});
  REQUIRE(workload.ok());
  CHECK(workload->rank_count() == 6);
  REQUIRE(workload->groups.size() == 5);
  CHECK(workload->groups[1].ranks == std::vector<std::uint32_t>{3, 4, 5});
  CHECK(workload->groups[4].ranks == std::vector<std::uint32_t>{2, 5});
  CHECK(text(*workload, 5) ==
        "forward_0:\nforward_0_activations@2: forward_0\nbackward_0: forward_0_activations\n"
        "backward_0_activations@2: backward_0\ngradients_0@5: backward_0\n");
  CHECK(workload->program(5).bytes[1] == 7);
}

TEST_CASE("one rank reduces nothing; one group of all ranks has no name") {
  CHECK(text(*generate::training_step({.data_parallel = 1, .layers = 1}), 0) ==
        "forward_0:\nbackward_0: forward_0\noptimizer: backward_0\n");
  CHECK(generate::training_step({.data_parallel = 1, .tensor_parallel = 4})->groups.empty());
}

TEST_CASE("impossible steps are refused") {
  CHECK_FALSE(generate::training_step({.data_parallel = 0}).ok());
  CHECK_FALSE(generate::training_step({.data_parallel = 1u << 20, .tensor_parallel = 1u << 20}).ok());
  CHECK_FALSE(generate::training_step({.layers = 0}).ok());
  CHECK_FALSE(generate::training_step({.forward_ps = -1}).ok());
  CHECK_FALSE(generate::training_step({.gradient_bytes = -1}).ok());
}
