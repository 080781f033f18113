#include "replay/torch/build/collective_call.h"

#include <array>

#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/write/tensor_text.h"

// A table of c10d's operators says which arguments are sent and received. Arguments are found by the names of the
// recorded schema; without one by their places in today's.

namespace orrery::replay::torch {
namespace {

/// What an operator of c10d is, and which of its arguments are sent and received.
struct KnownCollective {
  std::string_view name, kind, input, output;
  std::array<std::string_view, 7> arguments = {};  // today's, as far as they are of interest
};

constexpr std::array kCollectives = {
    KnownCollective{"c10d::allreduce_", "all_reduce", "tensors", "tensors", {"tensors", "", "", "", "async_op"}},
    KnownCollective{"c10d::allreduce_coalesced_", "all_reduce", "tensors", "tensors", {"tensors", "", "", "async_op"}},
    KnownCollective{
        "c10d::broadcast_", "broadcast", "tensors", "tensors", {"tensors", "", "root_rank", "", "async_op"}},
    KnownCollective{"c10d::reduce_", "reduce", "tensors", "tensors", {"tensors", "", "", "root_rank", "", "async_op"}},
    KnownCollective{"c10d::allgather_",
                    "all_gather",
                    "input_tensors",
                    "output_tensors",
                    {"output_tensors", "input_tensors", "", "async_op"}},
    KnownCollective{"c10d::_allgather_base_",
                    "all_gather_into_tensor",
                    "input_tensor",
                    "output_tensor",
                    {"output_tensor", "input_tensor", "", "async_op"}},
    KnownCollective{"c10d::allgather_into_tensor_coalesced_",
                    "all_gather_into_tensor",
                    "inputs",
                    "outputs",
                    {"outputs", "inputs", "", "async_op"}},
    KnownCollective{"c10d::reduce_scatter_",
                    "reduce_scatter",
                    "input_tensors",
                    "output_tensors",
                    {"output_tensors", "input_tensors", "", "", "async_op"}},
    KnownCollective{"c10d::_reduce_scatter_base_",
                    "reduce_scatter_tensor",
                    "input_tensor",
                    "output_tensor",
                    {"output_tensor", "input_tensor", "", "", "async_op"}},
    KnownCollective{"c10d::reduce_scatter_tensor_coalesced_",
                    "reduce_scatter_tensor",
                    "inputs",
                    "outputs",
                    {"outputs", "inputs", "", "", "async_op"}},
    KnownCollective{"c10d::gather_",
                    "gather",
                    "input_tensors",
                    "output_tensors",
                    {"output_tensors", "input_tensors", "", "root_rank", "async_op"}},
    KnownCollective{"c10d::scatter_",
                    "scatter",
                    "input_tensors",
                    "output_tensors",
                    {"output_tensors", "input_tensors", "", "root_rank", "async_op"}},
    KnownCollective{"c10d::alltoall_",
                    "all_to_all",
                    "input_tensors",
                    "output_tensors",
                    {"output_tensors", "input_tensors", "", "async_op"}},
    KnownCollective{"c10d::alltoall_base_",
                    "all_to_all_single",
                    "input",
                    "output",
                    {"output", "input", "", "output_split_sizes", "input_split_sizes", "async_op"}},
    KnownCollective{"c10d::barrier", "barrier", "", "", {"", "", "", "async_op"}},
    KnownCollective{"c10d::monitored_barrier_", "barrier", "", "", {""}},
    KnownCollective{"c10d::send", "send", "tensors", "", {"tensors", "", "dst", "tag"}},
    KnownCollective{"c10d::recv_", "recv", "", "tensors", {"tensors", "", "src", "tag"}},
};

// Few entries, and asked once for each row: a search in order is enough.
const KnownCollective* find_known(std::string_view name) {
  for (const KnownCollective& known : kCollectives) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

class CollectiveRecorder {
 public:
  explicit CollectiveRecorder(const KnownCollective& known) : known_(known) { call_.kind = known.kind; }

  bool take(const RecordedValue& value, std::string_view name) {
    const bool is_input = !known_.input.empty() && name == known_.input,
               is_output = !known_.output.empty() && name == known_.output;
    if (!take_tensors(value, is_input, is_output)) return false;
    if (name == "root_rank") call_.root = parse_number<std::int64_t>(value.value);
    if (name == "dst" || name == "src") call_.peer = parse_number<std::int64_t>(value.value);
    if (name == "tag") call_.tag = parse_number<std::int64_t>(value.value);
    // Anything else leaves it unknown; then what was found out about the call decides.
    if (name == "async_op" && (value.value == "true" || value.value == "false")) call_.is_async = value.value == "true";
    if (name == "output_split_sizes")
      call_.out_splits = parse_integers(value.value).value_or(std::vector<std::int64_t>());
    if (name == "input_split_sizes")
      call_.in_splits = parse_integers(value.value).value_or(std::vector<std::int64_t>());
    return true;
  }

  CollectiveCall finish() {
    call_.uses = use_;
    return std::move(call_);
  }

 private:
  bool take_tensors(const RecordedValue& value, bool is_input, bool is_output) {
    if (is_list(value)) {
      for (const RecordedValue& element : elements_of(value)) {
        if (!take_tensors(element, is_input, is_output)) return false;
      }
      return true;
    }
    if (!is_tensor(value)) return true;
    // Counted also where the tensor is not wanted: uses of a row are numbered over all its tensors.
    const std::uint32_t use = use_++;
    // Undefined tensors stand where a rank gives nothing.
    if (is_undefined_tensor(value.type) || (!is_input && !is_output)) return true;
    auto tensor = parse_tensor(value, Shape::may_be_flat);
    if (!tensor) return false;
    tensor->tensor.use = use;
    tensor->tensor.argument = 0;
    if (is_input) call_.inputs.push_back(tensor->tensor);
    if (is_output) call_.outputs.push_back(std::move(tensor->tensor));
    return true;
  }

  const KnownCollective& known_;
  CollectiveCall call_;
  std::uint32_t use_ = 0;
};

}  // namespace

std::optional<CollectiveCall> record_collective(const trace::HostTrace& host, std::uint32_t row, std::string_view name,
                                                const pytorch_et::OperatorSchema* schema) {
  const KnownCollective* const known = find_known(name);
  if (known == nullptr) return std::nullopt;
  // The schema of another operator says nothing about these arguments.
  const bool has_names = schema != nullptr && schema->name == name;
  const auto lists = pytorch_et::input_lists(host, row);
  const auto values = values_of(lists.values, lists.types, lists.shapes, lists.strides);
  CollectiveRecorder recorder(*known);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string_view argument;
    if (has_names && i < schema->arguments.size()) argument = schema->arguments[i].name;
    if (!has_names && i < known->arguments.size()) argument = known->arguments[i];
    if (!recorder.take(values[i], argument)) return std::nullopt;
  }
  return recorder.finish();
}

}  // namespace orrery::replay::torch
