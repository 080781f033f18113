// chakra_converter Text 1.0.0, node by node. Its quirks: the stated number of layers decides which layer's input
// gradient is not communicated; what a layer's fields hold from the pass before may be waited for; None where it
// expects a node ends the run.
#include <fmt/format.h>

#include "formats/astra_text/node_writer.h"
#include "formats/astra_text/text_workload.h"

namespace orrery::astra_text {
namespace {

using workload::Collective;

/// The nodes of a layer made last. Some are forgotten between ranks, the others overwritten before they are looked at.
struct LayerNodes {
  NodeRef forward, forward_comm, input, input_comm, weight, weight_comm;
};

Collective collective_or_all_reduce(std::string_view type) {
  if (type == "ALLTOALL") return Collective::all_to_all;
  if (type == "ALLGATHER") return Collective::all_gather;
  if (type == "REDUCESCATTER") return Collective::reduce_scatter;
  // Whatever else stands there is an ALLREDUCE to the original, a typing error too.
  return Collective::all_reduce;
}

class ChakraRank {
 public:
  ChakraRank(const TextWorkload& text, Interner& strings, std::uint64_t first_id)
      : text_(text), nodes_(text.layers.size()), writer_(strings, first_id) {}

  /// What the original stops at, or empty.
  std::string add_pass();
  [[nodiscard]] std::uint64_t next_id() const { return writer_.next_id(); }
  Result<workload::Program> finish() && { return std::move(writer_).finish(); }

 private:
  std::uint64_t compute(const Layer& layer, const char* phase, const Work& work) {
    return writer_.compute(fmt::format("COMP_NODE_{}_{}", layer.name, phase), work.compute_us);
  }
  std::uint64_t collective(const std::string& layer, const Work& work) {
    return writer_.collective(fmt::format("COMM_COLL_NODE_{}_{}", layer, work.comm_type),
                              {.bytes = work.comm_bytes, .collective = collective_or_all_reduce(work.comm_type)});
  }
  void add_micro_pass();
  void add_data_pass();
  std::string add_model_pass();
  std::string add_dlrm_pass();
  std::string add_dlrm_forward();
  std::string add_dlrm_backward(std::size_t i);

  const TextWorkload& text_;
  std::vector<LayerNodes> nodes_;
  NodeWriter writer_;
};

std::string ChakraRank::add_pass() {
  switch (text_.mode) {
    case Mode::micro: return add_micro_pass(), "";
    case Mode::data: return add_data_pass(), "";
    case Mode::model:
    case Mode::hybrid_data_model:
    case Mode::hybrid_model_data: return add_model_pass();
    case Mode::hybrid_dlrm:
    case Mode::hybrid_dlrm_enhanced: return add_dlrm_pass();
    default: return fmt::format("Unsupported parallelism type, {}", to_string(text_.mode));
  }
}

void ChakraRank::add_micro_pass() {
  for (const Layer& layer : text_.layers) collective(layer.name, layer.weight_gradient);
}

void ChakraRank::add_data_pass() {
  const std::vector<Layer>& layers = text_.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    nodes_[i].forward = compute(layers[i], "FWD", layers[i].forward);
    // The second names what the pass before left: without one it is nothing, and there is nothing to wait for.
    writer_.after({i > 0 ? nodes_[i - 1].forward : std::nullopt, nodes_[i].weight_comm});
  }
  for (std::size_t i = layers.size(); i-- > 0;) {
    nodes_[i].weight = compute(layers[i], "BWD_WG", layers[i].weight_gradient);
    writer_.after({i + 1 == layers.size() ? nodes_[i].forward : nodes_[i + 1].input});
    nodes_[i].weight_comm = collective(layers[i].name, layers[i].weight_gradient);
    writer_.after({nodes_[i].weight});
    // The first layer has nobody before it who would need its input's gradient.
    if (i == 0) continue;
    nodes_[i].input = compute(layers[i], "BWD_IG", layers[i].input_gradient);
    writer_.after({nodes_[i].weight});
  }
}

std::string ChakraRank::add_model_pass() {
  const std::vector<Layer>& layers = text_.layers;
  const bool is_hybrid = text_.mode != Mode::model;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    nodes_[i].forward = compute(layers[i], "FWD", layers[i].forward);
    const NodeRef before = i > 0 ? nodes_[i - 1].forward_comm : std::nullopt;
    if (is_hybrid) writer_.after({nodes_[i].weight_comm, before});
    // Without data parallelism no weights are exchanged, and their gradient of the pass before is waited for itself.
    else writer_.after({before, nodes_[i].weight});
    nodes_[i].forward_comm = collective(layers[i].name, layers[i].forward);
    writer_.after({nodes_[i].forward});
  }
  for (std::size_t i = layers.size(); i-- > 0;) {
    const auto from_last = static_cast<std::int64_t>(layers.size() - 1 - i);
    nodes_[i].input = compute(layers[i], "BWD_IG", layers[i].input_gradient);
    if (from_last == 0) writer_.after({nodes_[i].forward_comm});
    else if (!nodes_[i + 1].input_comm)
      return "'NoneType' object has no attribute 'id': fewer layers are stated than there are";
    else writer_.after({nodes_[i + 1].weight, nodes_[i + 1].input_comm});
    // Counted against the stated number of layers, not against those that are there: one of the quirks.
    if (from_last != text_.stated_layers - 1) {
      const bool is_named_apart = text_.mode == Mode::hybrid_data_model;
      nodes_[i].input_comm = collective(layers[i].name + (is_named_apart ? "_IG_COMM_" : ""), layers[i].input_gradient);
      writer_.after({nodes_[i].input});
    }
    nodes_[i].weight = compute(layers[i], "BWD_WG", layers[i].weight_gradient);
    writer_.after({nodes_[i].input});
    if (!is_hybrid) continue;
    nodes_[i].weight_comm = collective(layers[i].name, layers[i].weight_gradient);
    writer_.after({nodes_[i].weight});
  }
  return {};
}

std::string ChakraRank::add_dlrm_forward() {
  const std::vector<Layer>& layers = text_.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    nodes_[i].forward = compute(layers[i], "FWD", layers[i].forward);
    writer_.after({nodes_[i].weight_comm ? nodes_[i].weight_comm : nodes_[i].weight,
                   i > 0 ? nodes_[i - 1].forward : std::nullopt});
    // Where the embeddings come together: the last bottom layer waits for the exchange of the first.
    if (static_cast<std::int64_t>(i) == text_.last_bottom_layer) {
      if (!nodes_[0].forward_comm)
        return "'NoneType' object has no attribute 'id': the first layer has no ALLTOALL before the last bottom layer";
      writer_.after({nodes_[0].forward_comm});
    }
    if (layers[i].forward.comm_type != "ALLTOALL") continue;
    nodes_[i].forward_comm = collective(layers[i].name, layers[i].forward);
    writer_.after({nodes_[i].forward});
  }
  return {};
}

std::string ChakraRank::add_dlrm_backward(std::size_t i) {
  const Layer& layer = text_.layers[i];
  nodes_[i].weight = compute(layer, "BWD_WG", layer.weight_gradient);
  if (i + 1 == nodes_.size()) writer_.after({nodes_[i].forward});
  else writer_.after({nodes_[i + 1].input, nodes_[i].input_comm});
  if (layer.weight_gradient.comm_type != "NONE") {
    nodes_[i].weight_comm = collective(layer.name, layer.weight_gradient);
    writer_.after({nodes_[i].weight});
  }
  if (i > 0) {
    nodes_[i].input = compute(layer, "BWD_IG", layer.input_gradient);
    writer_.after({nodes_[i].weight});
  }
  // The gradient of the exchange goes back as soon as the first top layer has made its own.
  if (static_cast<std::int64_t>(i) != text_.last_bottom_layer + 1) return {};
  if (i == 0) return "bwd_ig_comp_node is None";
  nodes_[0].input_comm = collective(text_.layers[0].name, text_.layers[0].input_gradient);
  writer_.after({nodes_[i].input});
  return {};
}

std::string ChakraRank::add_dlrm_pass() {
  if (std::string problem = add_dlrm_forward(); !problem.empty()) return problem;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (std::string problem = add_dlrm_backward(i); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace

Result<workload::Workload> to_chakra_workload(const TextWorkload& text, const Options& options) {
  workload::Workload workload;
  // Ids go on from rank to rank, as the original counts them for all files.
  std::uint64_t next_id = 0;
  for (std::size_t number = 0; number < options.ranks; ++number) {
    ChakraRank rank(text, workload.strings, next_id);
    for (std::size_t pass = 0; pass < options.passes; ++pass) {
      const std::string problem = rank.add_pass();
      if (!problem.empty()) return Error{fmt::format("Chakra's converter stops at this: {}", problem), text.path};
    }
    next_id = rank.next_id();
    Result<workload::Program> program = std::move(rank).finish();
    if (!program) return program.error();
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(std::move(*program));
  }
  return workload;
}

}  // namespace orrery::astra_text
