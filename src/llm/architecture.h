// A transformer's shape, as its model card publishes it: data/models has one file each, docs/formats/model.md tells the
// fields. Counts are doubles that hold whole numbers: formulas multiply them into values beyond 64 bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// Mixture of experts.
struct Experts {
  double count = 0;
  double chosen = 0;         ///< experts per token
  double ffn = 0;            ///< width of one
  double shared_ffn = 0;     ///< of what every token passes; 0: none
  double dense_layers = 0;   ///< layers without experts
  double chosen_groups = 0;  ///< a token's experts are in at most so many groups, each on one domain (DeepSeek's
                             ///< node-limited routing); 0: in any
};
/// Of domains of experts, how many the chosen ones of a token are in, on average: of N, N (1 - (1 - 1/N)^k).
double domains_reached(const Experts& experts, double domains);

/// Multi-head latent attention (DeepSeek-V2, 2024).
struct LatentAttention {
  double query_rank = 0;
  double key_value_rank = 0;
  double plain_size = 0;   ///< of a head's query and key, without position
  double rotary_size = 0;  ///< and with
  double value_size = 0;
};

/// State-space layers between experts: too many kinds of kernels for a sum, so the published work per token is used.
struct HybridWork {
  double training_gflop_per_token = 0;
  double parameters = 0;
  double routed_width = 0;  ///< of tokens on their way to experts
};

struct Architecture {
  std::string name;
  std::vector<std::string> aliases = {};
  double layers = 0;
  double hidden = 0;
  double heads = 0;
  double kv_heads = 0;
  double head_size = 0;
  double ffn = 0;
  double vocabulary = 0;
  bool plain_mlp = false;             ///< two matrices (GELU, squared ReLU) where a gated one has three
  bool block_scaled_fp8 = false;      ///< its fp8 weights have a scale per block of 128 x 128
  double prediction_layers = 0;       ///< multi-token prediction: extra layers with a head
  double attention_window_share = 1;  ///< of the work of full attention that sliding windows leave
  std::optional<Experts> experts = {};
  std::optional<LatentAttention> latent_attention = {};
  std::optional<HybridWork> hybrid = {};

  [[nodiscard]] double kv_width() const { return kv_heads * head_size; }
};

/// Matrices of all layers, embedding and head: what a decode step reads.
double dense_parameters(const Architecture& architecture);

/// Lower case, letters and digits only, remarks in parentheses left out: "Llama 3.1 (8B)" -> "llama31".
std::string normalised_name(std::string_view name);

/// Which architecture a name in a table means: "Llama3-70B (FP8)", "DeepSeek V3", "QWEN3_30B_a3B". The one whose name
/// or alias is `name`; else the one with the longest of those that `name` begins with; else one of the size that the
/// name tells ("30B a3B": all and active parameters in 10^9), as a hybrid of about that work. None if there is no size
/// in it either.
std::optional<Architecture> architecture_called(const std::vector<Architecture>& known, std::string_view name);
/// Of these, only what is known; null: nothing of that name.
const Architecture* known_architecture(const std::vector<Architecture>& known, std::string_view name);

}  // namespace orrery::llm
