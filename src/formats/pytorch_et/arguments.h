// The arguments of the operators of a host trace, from the JSON of their inputs and outputs.
#pragma once

#include <string_view>

#include "formats/pytorch_et/schema.h"
#include "trace/host_arguments.h"

namespace orrery::pytorch_et {

/// Rows are parsed in parallel; the result does not depend on the number of threads. What is malformed is passed over.
trace::HostArguments read_arguments(const trace::HostTrace& trace, const Interner& strings);

/// The inputs or outputs of a row as JSON lists, in the text of the trace; empty what is absent.
struct ArgumentLists {
  std::string_view values, shapes, types, strides;
};
ArgumentLists input_lists(const trace::HostTrace& trace, std::size_t row);
ArgumentLists output_lists(const trace::HostTrace& trace, std::size_t row);

}  // namespace orrery::pytorch_et
