// What ASTRA-sim 1.0 does with a text workload. It goes through the layers in order, one computation after the other; a
// collective either holds everything up until it is done, or runs beside the computation until something asks for it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formats/astra_text/node_writer.h"
#include "formats/astra_text/text_workload.h"
#include "report/counted.h"

namespace orrery::astra_text {
namespace {

using workload::Collective;

constexpr std::uint32_t kAllButFirst = 0x3fe;  // of the ten dimensions a network has at most
constexpr std::uint32_t kFirst = 1;

std::optional<Collective> collective_called(std::string_view type) {
  if (type == "ALLREDUCE") return Collective::all_reduce;
  if (type == "ALLTOALL") return Collective::all_to_all;
  if (type == "ALLGATHER") return Collective::all_gather;
  if (type == "REDUCESCATTER") return Collective::reduce_scatter;
  return std::nullopt;
}

/// Between whom a collective is: those that share a layer (activations and their gradients), or those that share its
/// weights.
enum class Between : std::uint8_t { model, data };

/// Who takes part.
struct Parties {
  bool nobody = false;
  std::uint32_t excluded_dims = 0;
  StringId group = 0;
};

Parties parties_of(Mode mode, Between between) {
  const bool is_model = between == Between::model;
  switch (mode) {
    case Mode::data:
    case Mode::micro: return {.nobody = is_model};
    case Mode::model:
    case Mode::distributed_inference: return {.nobody = !is_model};
    case Mode::hybrid_data_model: return {.excluded_dims = is_model ? kAllButFirst : kFirst};
    case Mode::hybrid_model_data: return {.excluded_dims = is_model ? kFirst : kAllButFirst};
    default: return {};
  }
}

/// The nodes of one rank.
class RankIteration {
 public:
  RankIteration(const TextWorkload& text, Interner& strings, StringId model_group, StringId data_group)
      : text_(text),
        model_group_(model_group),
        data_group_(data_group),
        pending_(text.layers.size()),
        writer_(strings, 0) {}

  void add_pass();
  Result<workload::Program> finish() && { return std::move(writer_).finish(); }

 private:
  /// Collectives of a layer that somebody may still wait for.
  struct Pending {
    NodeRef forward, input, weight;
  };

  [[nodiscard]] bool is_dlrm() const {
    return text_.mode == Mode::hybrid_dlrm || text_.mode == Mode::hybrid_dlrm_enhanced;
  }
  [[nodiscard]] bool is_transformer() const {
    return text_.mode == Mode::transformer || text_.mode == Mode::transformer_checkpointed;
  }
  [[nodiscard]] bool is_recomputing(std::size_t layer) const {
    return std::find(text_.recomputing.begin(), text_.recomputing.end(), static_cast<std::int64_t>(layer)) !=
           text_.recomputing.end();
  }

  void compute(std::size_t layer, const char* phase, const Work& work) {
    const std::uint64_t node =
        writer_.compute(fmt::format("COMP_NODE_{}_{}", text_.layers[layer].name, phase), work.compute_us);
    writer_.after(waiting_for_);
    waiting_for_ = {node};
  }
  /// Starts a collective after what was computed last; nothing if there is none to start.
  NodeRef collective(std::size_t layer, const char* phase, const Work& work, Between between);
  /// Whatever comes next waits for `node`.
  void wait_for(NodeRef& node) {
    if (node) waiting_for_.push_back(*node);
    node.reset();
  }
  void add_forward(std::size_t layer, const char* phase);
  void add_data_backward(std::size_t layer);
  void add_model_backward(std::size_t layer);
  void recompute(std::size_t layer);

  const TextWorkload& text_;
  StringId model_group_, data_group_;
  std::vector<Pending> pending_;
  std::vector<std::uint64_t> waiting_for_;
  NodeWriter writer_;
};

NodeRef RankIteration::collective(std::size_t layer, const char* phase, const Work& work, Between between) {
  const std::optional<Collective> kind = collective_called(work.comm_type);
  if (!kind || work.comm_bytes == 0) return std::nullopt;
  const Layer& of = text_.layers[layer];
  Parties parties = parties_of(of.own_mode.value_or(text_.mode), between);
  if (is_transformer()) {
    parties.group = between == Between::model ? model_group_ : data_group_;
    parties.nobody = parties.group == 0;
  }
  if (parties.nobody) return std::nullopt;
  const std::uint64_t node = writer_.collective(fmt::format("COMM_COLL_NODE_{}_{}_{}", of.name, phase, work.comm_type),
                                                {.bytes = work.comm_bytes,
                                                 .collective = *kind,
                                                 .group_name = parties.group,
                                                 .excluded_dims = parties.excluded_dims});
  writer_.after(waiting_for_);
  return node;
}

void RankIteration::add_forward(std::size_t layer, const char* phase) {
  const Work& work = text_.layers[layer].forward;
  wait_for(pending_[layer].weight);
  compute(layer, phase, work);
  if (text_.mode == Mode::data) return;
  if (!is_dlrm()) {
    NodeRef node = collective(layer, phase, work, Between::model);
    return wait_for(node);
  }
  // The embeddings travel while the bottom layers compute.
  if (work.comm_type == "ALLTOALL") pending_[layer].forward = collective(layer, phase, work, Between::model);
  else if (static_cast<std::int64_t>(layer) == text_.last_bottom_layer) wait_for(pending_[0].forward);
}

void RankIteration::add_data_backward(std::size_t layer) {
  const Layer& of = text_.layers[layer];
  compute(layer, "BWD_WG", of.weight_gradient);
  pending_[layer].weight = collective(layer, "BWD_WG", of.weight_gradient, Between::data);
  if (text_.mode == Mode::hybrid_dlrm) wait_for(pending_[layer].input);
  if (layer == 0) return;
  compute(layer, "BWD_IG", of.input_gradient);
  if (is_dlrm() && static_cast<std::int64_t>(layer) == text_.last_bottom_layer + 1)
    pending_[0].input = collective(0, "BWD_IG", text_.layers[0].input_gradient, Between::model);
}

/// The forward pass again from the last layer whose result was kept.
void RankIteration::recompute(std::size_t layer) {
  std::int64_t kept = -1;
  for (const std::int64_t checkpoint : text_.checkpoints) {
    if (checkpoint <= static_cast<std::int64_t>(layer)) kept = std::max(kept, checkpoint);
  }
  for (std::size_t i = kept < 0 ? layer : static_cast<std::size_t>(kept); i < layer; ++i) add_forward(i, "FWD_AGAIN");
}

void RankIteration::add_model_backward(std::size_t layer) {
  const Layer& of = text_.layers[layer];
  if (is_recomputing(layer)) recompute(layer);
  compute(layer, "BWD_IG", of.input_gradient);
  if (layer > 0 || is_transformer())
    pending_[layer].input = collective(layer, "BWD_IG", of.input_gradient, Between::model);
  compute(layer, "BWD_WG", of.weight_gradient);
  if (text_.mode != Mode::model)
    pending_[layer].weight = collective(layer, "BWD_WG", of.weight_gradient, Between::data);
  wait_for(pending_[layer].input);
}

void RankIteration::add_pass() {
  const std::size_t layers = text_.layers.size();
  if (text_.mode == Mode::micro) {
    for (std::size_t i = 0; i < layers; ++i) collective(i, "BWD_WG", text_.layers[i].weight_gradient, Between::data);
    return;
  }
  for (std::size_t i = 0; i < layers; ++i) add_forward(i, "FWD");
  if (text_.mode == Mode::distributed_inference) return;
  for (std::size_t i = layers; i-- > 0;) {
    if (text_.mode == Mode::data || is_dlrm()) add_data_backward(i);
    else add_model_backward(i);
  }
}

Status check(const TextWorkload& text, const Options& options) {
  const auto count = static_cast<std::int64_t>(text.layers.size());
  if (text.stated_layers != count)
    return Error{fmt::format("line 2 states {}, but there are {}", report::counted(text.stated_layers, "layer"), count),
                 text.path};
  for (const Layer& layer : text.layers) {
    for (const Work* work : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (work->comm_bytes < 0)
        return Error{fmt::format("layer {} communicates {} bytes", layer.name, work->comm_bytes), text.path};
      if (work->comm_type != "NONE" && !collective_called(work->comm_type))
        return Error{fmt::format("layer {} has a collective of the unknown type {}", layer.name, work->comm_type),
                     text.path, Error::kNoOffset, "ALLREDUCE, ALLTOALL, ALLGATHER, REDUCESCATTER or NONE"};
    }
  }
  for (const std::int64_t layer : text.recomputing) {
    if (layer >= count)
      return Error{fmt::format("layer {} is to recompute, but there are {}", layer, count), text.path};
  }
  if (text.model_ranks > 0 && options.ranks % static_cast<std::uint64_t>(text.model_ranks) != 0)
    return Error{
        fmt::format("{} cannot be divided into groups of {}", report::counted(options.ranks, "rank"), text.model_ranks),
        text.path};
  return {};
}

Status add_rank(workload::Workload& workload, const TextWorkload& text, const Options& options, StringId model_group,
                StringId data_group) {
  RankIteration rank(text, workload.strings, model_group, data_group);
  for (std::size_t pass = 0; pass < options.passes; ++pass) rank.add_pass();
  Result<workload::Program> program = std::move(rank).finish();
  if (!program) return program.error();
  workload.programs.push_back(std::move(*program));
  return {};
}

/// Groups of `model_ranks` neighbours, and across these the groups of ranks in the same place. A group of one is none:
/// name 0.
std::vector<StringId> add_groups(workload::Workload& workload, std::size_t ranks, std::size_t members,
                                 std::size_t stride) {
  std::vector<StringId> group_of(ranks, 0);
  if (members == 1) return group_of;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (group_of[rank] != 0) continue;
    workload::CommGroup group{workload.strings.intern(std::to_string(workload.groups.size() + 1)), {}};
    for (std::size_t i = 0; i < members; ++i) {
      group.ranks.push_back(static_cast<std::uint32_t>(rank + i * stride));
      group_of[rank + i * stride] = group.name;
    }
    workload.groups.push_back(std::move(group));
  }
  return group_of;
}

}  // namespace

Result<workload::Workload> to_workload(const TextWorkload& text, const Options& options) {
  if (const Status checked = check(text, options); !checked) return checked.error();
  workload::Workload workload;
  if (text.model_ranks == 0) {
    if (const Status added = add_rank(workload, text, options, 0, 0); !added) return added.error();
    workload.program_of_rank.assign(options.ranks, 0);
    return workload;
  }
  const auto shared = static_cast<std::size_t>(text.model_ranks);
  const std::vector<StringId> model_groups = add_groups(workload, options.ranks, shared, 1);
  const std::vector<StringId> data_groups = add_groups(workload, options.ranks, options.ranks / shared, shared);
  for (std::size_t rank = 0; rank < options.ranks; ++rank) {
    if (const Status added = add_rank(workload, text, options, model_groups[rank], data_groups[rank]); !added)
      return added.error();
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(rank));
  }
  return workload;
}

}  // namespace orrery::astra_text
