#include "trace/names/range_name.h"

#include <doctest/doctest.h>

#include "trace/names/numbered_steps.h"

using namespace orrery::trace;

TEST_CASE("a range of PyTorch has its operator's name, numbers and sizes, in any order") {
  const RangeName range =
      read_range_name("aten::mm, sizes = [[64, 64], [64, 2]], seq = 12, op_id = 35, input_op_ids = [(34,0)]");
  CHECK(range.name == "aten::mm");
  CHECK(range.is_operator);
  CHECK(range.operation == 35);
  CHECK(range.sequence == 12);
  CHECK(range.sizes == "[[64, 64], [64, 2]]");
  CHECK(read_range_name("AddBackward0, op_id = 7").name == "AddBackward0");
  CHECK(read_range_name("AddBackward0, op_id = 7").is_operator);
  CHECK(read_range_name("vllm::all_reduce").is_operator);
  CHECK_FALSE(read_range_name("forward, second half").is_operator);
  CHECK(read_range_name("forward, second half").name == "forward, second half");
  CHECK_FALSE(read_range_name("nn.Module: Block_3").is_operator);
  CHECK(read_range_name("x, sizes = [[1, 2").sizes == "[[1, 2");
}

TEST_CASE("a numbered name of a step has a family and a number") {
  for (const char* name : {"ProfilerStep#3", "step 3", "iteration 3", "train_step_3", "Iteration 3", "batch 3",
                           "step 3 (epoch 1)", "STEP-3", "global_step=3", "iter3", "step 3 [warmup]"}) {
    CAPTURE(name);
    const auto numbered = read_numbered_name(name);
    REQUIRE(numbered.has_value());
    CHECK(numbered->number == 3);
  }
  for (const char* name :
       {"layer 3", "Block_3", "step", "3", "nn.Module: Linear_3", "epochs 3", "step 3.5", "footstep 3x"}) {
    CAPTURE(name);
    CHECK_FALSE(read_numbered_name(name).has_value());
  }
  CHECK(read_numbered_name("step 3 (epoch 1)")->family == read_numbered_name("step 4 (epoch 2)")->family);
}
