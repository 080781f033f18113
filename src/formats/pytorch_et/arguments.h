// The arguments of the operators of a host trace, from the JSON of their inputs and outputs.
#pragma once

#include <string_view>

#include "trace/host_arguments.h"

namespace orrery::pytorch_et {

/// Rows are parsed in parallel; the result does not depend on the number of threads. What is malformed is passed over.
trace::HostArguments read_arguments(const trace::HostTrace& trace, const Interner& strings);

/// The JSON text of member `key` of an object that lies in the text of a trace; empty if it has none.
std::string_view find_member(std::string_view object, std::string_view key);

/// The arguments of an operator's schema, "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)".
struct SchemaArguments {
  std::uint64_t written = 0;  ///< bit i: argument i is written (of the first 64)
  int peer = -1;              ///< number of the argument called dst, src, root or root_rank
  int tag = -1;
};
SchemaArguments parse_schema(std::string_view op_schema);

}  // namespace orrery::pytorch_et
