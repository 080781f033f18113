// The fields of an architecture's description, each said once.
#pragma once

#include <string_view>

#include "llm/architecture.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

inline constexpr std::string_view kModelFormat = "orrery.model/1";
inline constexpr machine::Range kExtent = {1, 1e9, true};
inline constexpr machine::Range kExtentOrNone = {0, 1e9, true};
inline constexpr machine::Range kAmount = {0, 1e18};
inline constexpr machine::Range kPartOfAll = {0, 1};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Experts> auto& experts) {
  visitor.whole("count", experts.count, kExtent);
  visitor.whole("chosen", experts.chosen, kExtent);
  visitor.whole("ffn", experts.ffn, kExtent);
  visitor.whole("shared_ffn", experts.shared_ffn, kExtentOrNone, machine::Default{0.0});
  visitor.whole("dense_layers", experts.dense_layers, kExtentOrNone, machine::Default{0.0});
  visitor.whole("chosen_groups", experts.chosen_groups, kExtentOrNone, machine::Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LatentAttention> auto& latent) {
  visitor.whole("query_rank", latent.query_rank, kExtent);
  visitor.whole("key_value_rank", latent.key_value_rank, kExtent);
  visitor.whole("plain_size", latent.plain_size, kExtent);
  visitor.whole("rotary_size", latent.rotary_size, kExtent);
  visitor.whole("value_size", latent.value_size, kExtent);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<HybridWork> auto& hybrid) {
  visitor.number("training_gflop_per_token", hybrid.training_gflop_per_token, kAmount);
  visitor.whole("parameters", hybrid.parameters, kAmount);
  visitor.whole("routed_width", hybrid.routed_width, kExtent);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Architecture> auto& model) {
  visitor.format("format", kModelFormat);
  visitor.text("name", model.name);
  visitor.texts("aliases", model.aliases);
  visitor.whole("layers", model.layers, kExtent);
  visitor.whole("hidden", model.hidden, kExtent);
  visitor.object("hybrid", model.hybrid);
  // What a hybrid's own layers look like is not modelled, so that it need not say.
  if (!model.hybrid) {
    visitor.whole("heads", model.heads, kExtent);
    visitor.whole("kv_heads", model.kv_heads, kExtent);
    visitor.whole("head_size", model.head_size, kExtent);
    visitor.whole("ffn", model.ffn, kExtent);
    visitor.whole("vocabulary", model.vocabulary, kExtent);
  }
  visitor.flag("plain_mlp", model.plain_mlp);
  visitor.flag("block_scaled_fp8", model.block_scaled_fp8);
  visitor.whole("prediction_layers", model.prediction_layers, kExtentOrNone, machine::Default{0.0});
  visitor.number("attention_window_share", model.attention_window_share, kPartOfAll, machine::Default{1.0});
  visitor.object("experts", model.experts);
  visitor.object("latent_attention", model.latent_attention);
}

}  // namespace orrery::llm
