#include "job/read/rules_input.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

namespace orrery::job {
namespace {

constexpr std::string_view kHead = "format: orrery.rules/1\n";

/// "bad.yaml: line 3: ..." or the number of rules.
std::string outcome_of(const std::string& text) {
  const testing::TempDir dir;
  const std::string path = dir.write("bad.yaml", text);
  const auto rules = read_rules(std::vector{path});
  return rules ? std::to_string((*rules)->communication().size()) : rules.error().message;
}
std::string outcome(std::string_view lines) { return outcome_of(std::string(kHead) + std::string(lines)); }

struct ToldByRule {
  std::string library, kind, role;
  std::int64_t group_size = 0;
  friend bool operator==(const ToldByRule&, const ToldByRule&) = default;
};

ToldByRule shipped(std::string_view kernel) {
  const auto rules = read_rules({});
  REQUIRE(rules);
  const std::uint32_t rule = (*rules)->first_by_name(kernel);
  if (rule == trace::Rules::kNoRule) return {};
  const trace::RuleReading reading = (*rules)->read(rule, kernel, {});
  const trace::CommunicationRule& said = (*rules)->communication()[rule];
  return {reading.library, said.kind, std::string(trace::to_string(said.role)), reading.group_size};
}

TEST_CASE("the shipped table knows kernels by namespace and signature") {
  CHECK(shipped("void deep_ep::legacy::internode::dispatch<false, 8, true, 3>(int)") ==
        ToldByRule{"deepep", "dispatch", "data", 64});
  CHECK(shipped("void dpsk::ep::intranode::cached_notify_combine<8>(void**)") ==
        ToldByRule{"deepep", "combine", "sync", 8});
  CHECK(shipped("void deep_ep::elastic::hybrid_dispatch_impl<4>(int)") == ToldByRule{"deepep", "dispatch", "data", 0});
  CHECK(shipped("void deep_ep::internode_ll::clean_low_latency_buffer<128>(int*)") ==
        ToldByRule{"deepep", "dispatch", "setup", 0});
  CHECK(shipped("void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<(unsigned char)8, float>(float*)") ==
        ToldByRule{"flashinfer", "all_reduce", "data", 8});
  CHECK(shipped("void mori::cross_device_reduce_2stage<float>(mori::RankData*)") ==
        ToldByRule{"mori", "all_reduce", "data", 0});
  CHECK(shipped("void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>(int)") ==
        ToldByRule{"userbuffers", "reduce_scatter", "data", 8});
  CHECK(shipped("void userbuffers_fp16_sum_inplace_gpu_rr<4>(int)") ==
        ToldByRule{"userbuffers", "all_reduce", "data", 4});
  CHECK(shipped("void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float, 16>(float*)") ==
        ToldByRule{"symm_mem", "all_reduce", "data", 0});
  CHECK(shipped("c10d::nvshmem_extension::exchangeSplitAndOffset<true>(long*)") ==
        ToldByRule{"nvshmem", "all_to_all", "sync", 0});
}

TEST_CASE("words alone are no evidence") {
  for (const char* kernel :
       {"void flash::flash_fwd_splitkv_combine_kernel<4>(int)", "FlashAttnFwdCombine", "_combined_routing_compute",
        "void cublasLt::splitKreduce_kernel<32, 16>(int)", "reduce_segments", "triton_red_fused_all_reduce_mm_3",
        "void at::native::reduce_kernel<512, 1>(int)", "void tensorrt_llm::kernels::moe_comm::moeA2APrepareKernel<8>()",
        "gemm(deep_ep::intranode::dispatch<8>)"})
    CHECK_MESSAGE(shipped(kernel) == ToldByRule{}, kernel);
}

TEST_CASE("users' rules come first, file by file, and other lists are kept") {
  const testing::TempDir dir;
  const std::string a = dir.write("a.yaml", std::string(kHead) + R"(communication:
  - {name: 'deep_ep', communicates: false}
  - name: mine
    library: house
    kind: all_to_all
    bytes: 'input 2'
steps:
  - {name: 'go_(?P<requests>\d+)', engine: house, phase: decode}
)");
  const std::string b = dir.write("b.yaml", std::string(kHead) + "communication: [{name: mine, library: other}]\n");
  const auto rules = read_rules(std::vector{a, b});
  REQUIRE(rules);
  CHECK((*rules)->files() == std::vector{a, b});
  CHECK((*rules)->first_by_name("deep_ep::intranode::dispatch<8>()") == 0);
  CHECK((*rules)->first_by_name("mine") == 1);
  CHECK((*rules)->communication()[1].bytes_input == 2);
  CHECK((*rules)->communication()[1].line == 4);
  CHECK((*rules)->communication()[2].library == "other");
  REQUIRE((*rules)->steps().size() == 1);
  CHECK((*rules)->steps()[0].engine == "house");
  CHECK((*rules)->steps()[0].phase == "decode");
  CHECK((*rules)->steps()[0].line == 9);
  CHECK(*read_rules({}) == *read_rules({}));  // one table for all
}

TEST_CASE("what is wrong in a file is told with its line") {
  CHECK(outcome("").find("line") == std::string::npos);
  CHECK(outcome("communication:\n  - {name: ok}\n  - {name: '(open', library: x}\n").starts_with("line 4: "));
  CHECK(outcome("communication:\n  - {name: ok, kind: all_rdeuce}\n").starts_with("line 3: "));
  CHECK(outcome("communication:\n  - {name: ok, role: sink}\n").starts_with("line 3: "));
  CHECK(outcome("communication:\n  - {nmae: ok}\n").starts_with("line 3: "));
  CHECK(outcome("communication:\n  - {library: x}\n").starts_with("line 3: "));
  CHECK(outcome("communication:\n  - name: ok\n    group_size: '$1'\n").starts_with("line 4: "));
  CHECK(outcome("communication:\n  - name: ok\n    library: '$2'\n").starts_with("line 4: "));
  CHECK(outcome("communication:\n  - {name: ok, bytes: 'output 1'}\n").starts_with("line 3: "));
  CHECK(outcome("communication: {name: ok}\n").starts_with("line 2: "));
  CHECK(outcome("steps:\n  - {name: 'a(?P<what>b)'}\n").starts_with("line 3: "));
  CHECK(outcome("steps:\n  - {name: a, phase: sleep}\n").starts_with("line 3: "));
  CHECK(outcome("rules: []\n").starts_with("line 2: "));
  CHECK(outcome_of("format: orrery.rules/2\n").starts_with("line 1: "));
  CHECK(outcome_of("communication: []\n").starts_with("line 1: "));
  CHECK_FALSE(read_rules(std::vector<std::string>{"/nowhere/rules.yaml"}));
}

}  // namespace
}  // namespace orrery::job
