#include "scrub/words/renamer.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>

#include "causal/host/host_waits.h"
#include "causal/host/silent_waits.h"
#include "scrub/small_scrub.h"
#include "scrub/words/public_words.h"
#include "scrub/work_class.h"

namespace orrery::scrub {
namespace {

constexpr std::uint64_t kHash = 0x3fa9c2d1e5b60718;

TEST_CASE("a new name tells the sort of work, and what analyses look for") {
  CHECK(new_name("aten::mm", kHash) == "op.gemm.3fa9c2d1e5b60718");
  CHECK(new_name("AddmmBackward0", kHash) == "op.gemm.3fa9c2d1e5b60718");
  CHECK(new_name("aten::scaled_dot_product_attention", kHash) == "op.attention.3fa9c2d1e5b60718");
  CHECK(new_name("void at::native::vectorized_elementwise_kernel<4>(int)", kHash) ==
        "kernel.elementwise.3fa9c2d1e5b60718");
  CHECK(new_name("sm80_xmma_gemm_f32f32_tilesize64x64x8", kHash) == "kernel.gemm.3fa9c2d1e5b60718");
  CHECK(new_name("secret/model.py(17): forward", kHash) == "python.other.forward.3fa9c2d1e5b60718");
  CHECK(new_name("Our Secret Layer", kHash) == "name.other.3fa9c2d1e5b60718");
  CHECK(new_name("enumerate(DataLoader)#_SecretIter.__next__", kHash) == "name.data.DataLoader.3fa9c2d1e5b60718");
  CHECK(new_name("Optimizer.step#SecretOptimizer.step", kHash) == "name.optimizer.Optimizer.step.3fa9c2d1e5b60718");
  CHECK(new_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", kHash) ==
        "ncclDevKernel_AllReduce_3fa9c2d1e5b60718");
  CHECK(new_name("ncclKernel_ReduceScatter_RING_LL_Sum_half(ncclWorkElem)", kHash) ==
        "ncclKernel_ReduceScatter_3fa9c2d1e5b60718");
  CHECK(new_name("nccl:send 0->1", kHash) == "nccl:send.3fa9c2d1e5b60718");
  CHECK(new_name("c10d::secret_allgather", kHash) == "c10d::all_gather.3fa9c2d1e5b60718");
  CHECK(new_name("cudaSecretSynchronize", kHash) == "cuda.name.other.Synchronize.3fa9c2d1e5b60718");
  CHECK(new_name("ProfilerStep#7 warm-up", kHash) == "ProfilerStep#7.name.other.3fa9c2d1e5b60718");
}

TEST_CASE("names that every trace has stay") {
  for (const char* name :
       {"cudaLaunchKernel", "hipMemcpyWithStream", "ProfilerStep#12", "nccl:all_reduce", "gloo:barrier",
        "Stream Wait Event", "Memcpy DtoH (Device -> Pinned)", "Memset (Device)", "record_param_comms", "[memory]",
        "c10d::allreduce_", "[pytorch|profiler|execution_trace|thread]", "## process_group:init ##",
        "PyTorch Profiler (0)"}) {
    CAPTURE(name);
    CHECK(is_public_name(name));
  }
  for (const char* name : {"aten::mm", "ProfilerStep#", "ProfilerStep#1x", "nccl:secret", "secret:all_reduce",
                           "Memcpy Secret", "cudaSecret", "PyTorch Profiler (secret)", "Copy of our model", ""}) {
    CAPTURE(name);
    CHECK_FALSE(is_public_name(name));
  }
}

using Test = std::function<bool(std::string_view)>;

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return made;
}

Test contains(std::string part) {
  return [part](std::string_view name) { return name.find(part) != std::string_view::npos; };
}
Test begins(std::string part) {
  return [part](std::string_view name) { return name.starts_with(part); };
}

// Every question that src/link, src/analyze, HTA and Chakra ask of a name.
std::vector<Test> questions() {
  std::vector<Test> tests = {causal::is_blocking_call, causal::is_waiting_call,
                             [](std::string_view name) { return lower(name).find("nccl") != std::string::npos; }};
  for (const char* part :
       {"nccl",         "rccl",          "Nccl",         "ncclKernel",   "ncclDevKernel",  "DataLoader",
        "ProfilerStep", "ProfilerStep#", "forward",      "autograd",     "Optimizer.step", "process_group:init",
        "Memcpy",       "HtoD",          "HostToDevice", "LaunchKernel", "GraphLaunch",    "Event",
        "PjRt",         "PJRT",          "TfrtTpu"})
    tests.push_back(contains(part));
  for (const char* part : {"nccl", "hip", "hccl", "mscclKernel", "gloo:", "mpi:", "ucc:", "c10d",
                           "nccl:", "rccl:", "xccl:", "hccl:", "ProfilerStep#", "ProfilerStep", "nccl:all_to_all"})
    tests.push_back(begins(part));
  return tests;
}

TEST_CASE("every question that analyses ask of a name has the same answer afterwards") {
  static const std::vector<std::string> parts = {"nccl",
                                                 "ncclDevKernel_",
                                                 "ncclKernel_",
                                                 "AllReduce",
                                                 "SendRecv",
                                                 "rccl",
                                                 "Nccl",
                                                 "NCCL",
                                                 "DataLoader",
                                                 "forward",
                                                 "autograd",
                                                 "Memcpy",
                                                 "HtoD",
                                                 "Synchronize",
                                                 "block_until_ready",
                                                 "PjRt",
                                                 "Event",
                                                 "LaunchKernel",
                                                 "cuda",
                                                 "cu",
                                                 "hip",
                                                 "mtia",
                                                 "hccl",
                                                 "gloo:",
                                                 "mpi:",
                                                 "ucc:",
                                                 "nccl:",
                                                 "c10d::",
                                                 "xccl:",
                                                 "ProfilerStep",
                                                 "#12",
                                                 "#",
                                                 " ",
                                                 "Optimizer.step",
                                                 "aten::",
                                                 "mm",
                                                 "secret",
                                                 "all_to_all",
                                                 "reduce_scatter",
                                                 "broadcast",
                                                 "_",
                                                 "<",
                                                 "(",
                                                 "process_group:init",
                                                 "mscclKernel",
                                                 "Backward0"};
  const std::vector<Test> tests = questions();
  rc::check([&] {
    const auto chosen = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, parts.size()));
    std::string name;
    for (const std::size_t part : chosen) name += parts[part];
    RC_PRE(!name.empty());
    Renamer renamer(testing::fixed_key());
    const std::string made(renamer.rename(Domain::name, name));
    for (std::size_t i = 0; i < tests.size(); ++i) {
      RC_LOG() << name << " -> " << made << ", question " << i << std::endl;
      RC_ASSERT(tests[i](name) == tests[i](made));
    }
  });
}

TEST_CASE("the collective of a communication kernel is the same afterwards") {
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_f32_TREE_LL", "ncclDevKernel_AllGather_RING_LL",
                           "ncclDevKernel_ReduceScatter_Sum_f16_RING", "ncclKernel_Broadcast_RING",
                           "ncclDevKernel_SendRecv(x)", "ncclDevKernel_Reduce_Sum_f32", "nccl:all_to_allv x",
                           "gloo:gather x", "c10d::reduce_scatter_x", "void my_nccl_all_gather<4>(int)"}) {
    CAPTURE(name);
    CHECK(collective_of(new_name(name, kHash)) == collective_of(name));
  }
}

}  // namespace
}  // namespace orrery::scrub
