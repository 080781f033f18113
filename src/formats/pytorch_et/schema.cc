#include "formats/pytorch_et/schema.h"

#include <algorithm>

namespace orrery::pytorch_et {
namespace {

std::string_view without_spaces_around(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "Tensor(a!) self=None". A default may hold anything, so that it is cut off first.
SchemaArgument parse_argument(std::string_view text) {
  SchemaArgument argument;
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) argument.default_value = without_spaces_around(text.substr(equals + 1));
  const std::string_view declaration = without_spaces_around(text.substr(0, equals));
  const std::size_t space = declaration.rfind(' ');
  argument.name = declaration.substr(space + 1);  // of a declaration in one word, npos + 1: all of it
  argument.type =
      space == std::string_view::npos ? std::string_view() : without_spaces_around(declaration.substr(0, space));
  argument.is_written = argument.type.find("!)") != std::string_view::npos;
  return argument;
}

}  // namespace

std::optional<OperatorSchema> parse_operator_schema(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  OperatorSchema schema;
  const std::string_view full_name = text.substr(0, open);
  const std::size_t colons = full_name.find("::");
  const std::size_t dot = full_name.find('.', colons == std::string_view::npos ? 0 : colons);
  schema.name = full_name.substr(0, dot);
  if (dot != std::string_view::npos) schema.overload = full_name.substr(dot + 1);
  int depth = 0;
  bool is_keyword = false;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    // Types have brackets and commas of their own: "Tensor(a!)[] tensors, Dict(str, int) x".
    if ((c != ',' || depth != 1) && depth != 0) continue;
    const std::string_view argument = without_spaces_around(text.substr(begin, i - begin));
    begin = i + 1;
    if (argument == "*") is_keyword = true;  // it only separates: what follows is given by name
    else if (!argument.empty())
      schema.arguments.push_back(parse_argument(argument)), schema.arguments.back().is_keyword = is_keyword;
    if (depth != 0) continue;
    // "-> Tensor(a)", "-> (Tensor(a), Tensor)": within the returns a bracket right after a type is an annotation.
    const std::string_view returns = text.substr(i + 1);
    schema.returns_alias = returns.find("Tensor(") != std::string_view::npos;
    return schema;
  }
  return std::nullopt;
}

SchemaArguments parse_schema(std::string_view op_schema) {
  SchemaArguments result;
  const auto schema = parse_operator_schema(op_schema);
  if (!schema) return result;
  for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
    const SchemaArgument& argument = schema->arguments[i];
    // No operator has 64 arguments.
    if (i < 64 && argument.is_written) result.written |= std::uint64_t{1} << i;
    const std::string_view name = argument.name;
    if (name == "dst" || name == "src" || name == "root" || name == "root_rank") result.peer = static_cast<int>(i);
    if (name == "tag") result.tag = static_cast<int>(i);
  }
  // Only what communicates has a peer: aten::scatter has a `src` too.
  if (!op_schema.starts_with("c10d")) result.peer = result.tag = -1;
  return result;
}

}  // namespace orrery::pytorch_et
