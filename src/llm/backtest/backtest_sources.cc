#include "llm/backtest/backtest_sources.h"

#include <array>

namespace orrery::llm {
namespace {

using machine::DataType;

constexpr std::array kSources = {
    // Our own measurements on one device, by eager PyTorch.
    Source{.dataset = "h200_train", .framework = Framework::eager},
    Source{.dataset = "h200_prefill", .framework = Framework::eager},
    Source{.dataset = "h200_decode", .framework = Framework::eager},
    // Bang et al., vTrain, MICRO 2024.
    Source{.dataset = "vtrain_single",
           .framework = Framework::megatron,
           .flavour = "megatron_deepspeed",
           .cluster = "vtrain"},
    Source{.dataset = "vtrain_multi",
           .framework = Framework::megatron,
           .flavour = "megatron_deepspeed",
           .cluster = "vtrain"},
    // Korthikanti et al., 2022, Table 5; Narayanan et al., SC 2021, Tables 1 (interleaved schedule) and 2; Smith et
    // al., 2022.
    Source{
        .dataset = "korthikanti22_t5", .framework = Framework::megatron, .flavour = "megatron_lm", .cluster = "selene"},
    Source{.dataset = "narayanan21_t1",
           .framework = Framework::megatron,
           .flavour = "megatron_lm",
           .cluster = "selene",
           .interleave = 2},
    Source{
        .dataset = "narayanan21_t2", .framework = Framework::megatron, .flavour = "megatron_lm", .cluster = "selene"},
    Source{.dataset = "mtnlg530b", .framework = Framework::megatron, .flavour = "megatron_lm", .cluster = "selene"},
    // Megatron-LM's own table of weak scaling on H100: GPT models, whose MLP has two matrices.
    Source{.dataset = "megatron_h100_weak", .framework = Framework::megatron_core, .interleave = 2, .plain_mlp = true},
    Source{.dataset = "nvidia_megatron_bridge", .framework = Framework::megatron_core},
    Source{.dataset = "llama3_t4", .framework = Framework::megatron_core, .interleave = 8},
    Source{.dataset = "mosaic_mpt", .framework = Framework::fsdp},
    // Llama-2 7B; the source gives tokens per step, its scripts the rest.
    Source{.dataset = "uci_4xA100",
           .framework = Framework::paired_devices,
           .sequence = 4096,
           .step_tokens = 524288,
           .vocabulary = 32000},
    Source{.dataset = "hf_nanotron_h100", .framework = Framework::nanotron, .precision = DataType::bf16},
    Source{.dataset = "rapid_ncu_gemm", .method = "ncu"},
    Source{.dataset = "llmcompass_ops", .method = "llmcompass"},
};
constexpr Source kUnknown = {};

}  // namespace

std::string_view to_string(Framework framework) {
  constexpr std::array<std::string_view, 6> kNames = {"eager", "megatron",       "megatron_core",
                                                      "fsdp",  "paired_devices", "nanotron"};
  return kNames[static_cast<std::size_t>(framework)];
}

const Source& source_of(std::string_view dataset) {
  for (const Source& source : kSources) {
    if (source.dataset == dataset) return source;
  }
  return kUnknown;
}

}  // namespace orrery::llm
