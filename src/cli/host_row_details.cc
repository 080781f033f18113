#include "cli/host_row_details.h"

#include "formats/chakra/python_text.h"
#include "formats/pytorch_et/arguments.h"

namespace orrery::cli {
namespace {

/// The member `key` of an object as Python writes it.
std::string python_member(std::string_view object, std::string_view key) {
  std::string text;
  if (const std::string_view value = pytorch_et::find_member(object, key); !value.empty()) chakra::append_python_str(text, value);
  return text;
}

}  // namespace

void add_row_details(const trace::HostTrace& host, std::uint32_t row, const Interner& strings, chakra::NodeDetails& details) {
  details.has_tensors = true;
  if (host.is_flat()) {
    const std::string_view object = host.text(host.object[row]);
    details.inputs = {python_member(object, "inputs"), python_member(object, "input_shapes"), python_member(object, "input_types")};
    details.outputs = {python_member(object, "outputs"), python_member(object, "output_shapes"), python_member(object, "output_types")};
  } else {
    const std::string_view inputs = host.text(host.inputs[row]), outputs = host.text(host.outputs[row]);
    details.inputs = {python_member(inputs, "values"), python_member(inputs, "shapes"), python_member(inputs, "types")};
    details.outputs = {python_member(outputs, "values"), python_member(outputs, "shapes"), python_member(outputs, "types")};
  }
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

}  // namespace orrery::cli
