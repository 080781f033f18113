// Feeds arbitrary bytes to the reader of rules. What is refused names the file; what is accepted can be asked: patterns
// that RE2 takes, whatever they are, find or do not find in names of kernels, operators and steps.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "job/read/rules_input.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

constexpr std::string_view kKernels[] = {"", "gemm", "void deep_ep::intranode::dispatch<8, 1024>(int*, float const*)",
                                         "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)",
                                         "triton_poi_fused_add_0"};
constexpr std::string_view kOperators[] = {"", "aten::mm", "symm_mem::multimem_all_reduce_"};
constexpr std::string_view kSteps[] = {"", "step[DECODE bs=32]", "my step of 99999999999999999999 tokens"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto rules = orrery::job::parse_rules({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!rules) {
    require(rules.error().file == "fuzz.yaml" && !rules.error().message.empty(), "an error without its file");
    return 0;
  }
  const orrery::trace::Rules& table = **rules;
  for (const std::string_view kernel : kKernels) {
    const std::uint32_t first = table.first_by_name(kernel);
    if (first != orrery::trace::Rules::kNoRule) {
      require(table.fits_name(first, kernel), "the rule that was found does not fit");
      require(table.read(first, kernel, "").group_size >= 0, "a group of less than nobody");
    }
    for (const std::string_view name : kOperators) {
      for (const std::uint32_t rule : table.asking_for(name)) {
        require(rule < table.communication().size(), "a rule that is none");
        if (table.fits_name(rule, kernel))
          require(table.read(rule, kernel, name).rule == rule, "another rule was read");
      }
    }
  }
  for (const std::string_view step : kSteps) {
    if (const auto reading = table.read_step(step)) require(reading->rule < table.steps().size(), "a step of no rule");
  }
  return 0;
}
