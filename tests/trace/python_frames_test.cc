#include "trace/names/python_frames.h"

#include <doctest/doctest.h>

namespace orrery::trace {

TEST_CASE("lines of the program are Python, and neither PyTorch's nor a decorator's") {
  CHECK(is_program_file("/home/x/train.py"));
  CHECK(is_program_file("/home/x/torch/train.py"));
  CHECK(is_program_file("/x/site-packages/deepspeed/comm/comm.py"));
  CHECK_FALSE(is_program_file("/x/site-packages/torch/nn/modules/linear.py"));
  CHECK_FALSE(is_program_file("torch/_ops.py"));
  CHECK_FALSE(is_program_file("/x/lib/python3.12/contextlib.py"));
  CHECK_FALSE(is_program_file("/x/site-packages/typing_extensions.py"));
  // As PyTorch writes frames of compiled code, with and without a name of a file, and code made at run time.
  CHECK_FALSE(is_program_file("memory_snapshot.cpp"));
  CHECK_FALSE(is_program_file("??"));
  CHECK_FALSE(is_program_file(""));
  CHECK_FALSE(is_program_file("<string>"));
}

TEST_CASE("a thread of autograd is told by the node that it works at") {
  CHECK(autograd_node("torch::autograd::generated::AddmmBackward0::apply(std::vector<at::Tensor>&&)") ==
        "AddmmBackward0");
  CHECK(autograd_node("torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)") ==
        "");
  CHECK(autograd_node("torch::autograd::generated::details::mm_mat1_backward(at::Tensor const&)") == "");
}

}  // namespace orrery::trace
