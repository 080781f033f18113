#include "job/host_row_details.h"

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

void add_row_details(const trace::HostTrace& host, std::uint32_t row, const Interner& strings, chakra::NodeDetails& details) {
  details.has_tensors = true;
  spell(pytorch_et::input_lists(host, row), details.inputs);
  spell(pytorch_et::output_lists(host, row), details.outputs);
  const std::pair<std::string_view, std::int64_t> integers[] = {{"rf_id", host.record_function[row]},
                                                                {"fw_parent", host.forward_parent[row]},
                                                                {"seq_id", host.sequence_number[row]},
                                                                {"scope", host.scope[row]},
                                                                {"fw_tid", host.forward_thread[row]}};
  for (const auto& [name, value] : integers) {
    if (value != trace::kNoNumber) details.integers.emplace_back(name, value);
  }
  if (host.op_schema[row] != 0) details.texts.emplace_back("op_schema", strings.text(host.op_schema[row]));
}

}  // namespace orrery::job
