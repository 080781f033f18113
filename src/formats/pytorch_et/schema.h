// Operator schemas as PyTorch writes them: "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) ->
// Tensor(a!)".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::pytorch_et {

/// Views are into the text that was parsed.
struct SchemaArgument {
  std::string_view type;           ///< as written: "Tensor(a!)[]", "ScalarType?", "int[2]"
  std::string_view name;           ///< "self"
  std::string_view default_value;  ///< as written; empty: none
  bool is_keyword = false;         ///< after the "*": given by name
  bool is_written = false;         ///< its type is marked with "!"
};

struct OperatorSchema {
  std::string_view name;      ///< "aten::add_"
  std::string_view overload;  ///< "Tensor"; empty: the one without a name
  std::vector<SchemaArgument> arguments;
  bool returns_alias = false;  ///< what it returns may be, or be a view of, what it was given: "-> Tensor(a)"
};

/// Nothing where the text is no schema.
std::optional<OperatorSchema> parse_operator_schema(std::string_view text);

/// What linking needs to know of a schema.
struct SchemaArguments {
  std::uint64_t written = 0;  ///< bit i: argument i is written (of the first 64)
  int peer = -1;              ///< number of the argument called dst, src, root or root_rank
  int tag = -1;
};
SchemaArguments parse_schema(std::string_view op_schema);

}  // namespace orrery::pytorch_et
