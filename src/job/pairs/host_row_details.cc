#include "job/pairs/host_row_details.h"

#include <algorithm>

#include "base/radix_sort.h"
#include "formats/chakra/python_text.h"
#include "formats/pytorch_et/arguments.h"

namespace orrery::job {
namespace {

// Buffers are used again from row to row.
void spell(const pytorch_et::ArgumentLists& lists, chakra::NodeDetails::Tensors& tensors) {
  const auto append = [](std::string_view json, std::string& text) {
    text.clear();
    if (!json.empty()) chakra::append_python_str(text, json);
  };
  append(lists.values, tensors.values);
  append(lists.shapes, tensors.shapes);
  append(lists.types, tensors.types);
}

}  // namespace

std::vector<std::int64_t> calling_functions(const trace::HostTrace& host) {
  Column<KeyedIndex> by_id;
  for (std::uint32_t row = 0; row < host.size(); ++row) by_id.push_back({host.id[row], row});
  radix_sort(by_id);
  std::vector<std::int64_t> callers(host.size(), trace::kNoNumber);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const auto* const at = std::lower_bound(by_id.begin(), by_id.end(), host.parent[row],
                                            [](const KeyedIndex& item, std::uint64_t id) { return item.key < id; });
    if (at != by_id.end() && at->key == host.parent[row] && at->index != row)
      callers[row] = host.record_function[at->index];
  }
  return callers;
}

void add_row_details(const trace::HostTrace& host, std::uint32_t row, const std::vector<std::int64_t>& callers,
                     const Interner& strings, chakra::NodeDetails& details) {
  details.has_tensors = true;
  const pytorch_et::ArgumentLists inputs = pytorch_et::input_lists(host, row),
                                  outputs = pytorch_et::output_lists(host, row);
  spell(inputs, details.inputs);
  spell(outputs, details.outputs);
  const std::pair<std::string_view, std::int64_t> integers[] = {
      {"rf_id", host.record_function[row]},  {"fw_parent", host.forward_parent[row]},
      {"seq_id", host.sequence_number[row]}, {"scope", host.scope[row]},
      {"fw_tid", host.forward_thread[row]},  {"caller_rf_id", callers[row]}};
  for (const auto& [name, value] : integers) {
    if (value != trace::kNoNumber) details.integers.emplace_back(name, value);
  }
  if (!inputs.strides.empty()) details.texts.emplace_back("input_strides", inputs.strides);
  if (!outputs.strides.empty()) details.texts.emplace_back("output_strides", outputs.strides);
  if (host.op_schema[row] != 0) details.texts.emplace_back("op_schema", strings.text(host.op_schema[row]));
}

}  // namespace orrery::job
