#include "analyze/capture/operator_calls.h"

#include <algorithm>
#include <iterator>

#include "base/json/json_scan.h"
#include "base/json/json_writer.h"
#include "base/numbers.h"

namespace orrery::analyze {

using trace::Field;

std::vector<OperatorCall> operator_calls(const trace::Trace& trace, const trace::RankTrace& rank,
                                         std::span<const trace::EventIndex> operators) {
  std::vector<OperatorCall> calls;
  calls.reserve(operators.size());
  for (const trace::EventIndex e : operators) {
    const auto text = [&](Field field) {
      const auto id = rank.field(field).find(e);
      return id ? trace.strings.text(static_cast<StringId>(*id)) : std::string_view();
    };
    calls.push_back(
        {trace.name(rank, e), e, text(Field::shapes_text), text(Field::types_text), text(Field::concrete_text)});
  }
  return calls;
}

std::string to_json(std::span<const OperatorCall> calls) {
  std::string text;
  JsonWriter json(text);
  const auto raw = [&](std::string_view list) { list.empty() ? json.null() : json.raw(list); };
  json.begin_array();
  for (const OperatorCall& call : calls) {
    json.begin_array().value(call.name).value(call.number);
    raw(call.shapes), raw(call.types), raw(call.values);
    json.end_array();
  }
  json.end_array();
  return text;
}

namespace {

/// The value at the front of `rest`, which goes on behind it and the comma that follows. Names of operators have no
/// escapes that would have to be undone.
std::string_view take_value(std::string_view& rest) {
  std::size_t depth = 0, end = 0;
  bool in_text = false;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (in_text) {
      if (c == '\\') ++end;
      else if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth == 0) break;
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  const std::string_view value = rest.substr(0, std::min(end, rest.size()));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return value;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

std::string_view inside(std::string_view list) {
  return list.size() >= 2 ? list.substr(1, list.size() - 2) : std::string_view();
}

}  // namespace

std::vector<OperatorCall> operator_calls_from_json(std::string_view json) {
  std::vector<OperatorCall> calls;
  for (std::string_view rest = inside(json); !rest.empty();) {
    std::string_view fields = inside(take_value(rest));
    OperatorCall call;
    call.name = unquoted(take_value(fields));
    call.number = leading_number<std::int64_t>(take_value(fields)).value_or(0);
    for (std::string_view* const list : {&call.shapes, &call.types, &call.values}) {
      const std::string_view value = take_value(fields);
      if (value != "null") *list = value;
    }
    calls.push_back(call);
  }
  return calls;
}

std::string_view outermost_of(std::string_view json) {
  std::string_view fields = inside(json);
  fields = fields.substr(std::min<std::size_t>(1, fields.size()));  // into the first
  return unquoted(take_value(fields));
}

bool is_product_operator(std::string_view name) {
  constexpr std::string_view kWords[] = {"linear", "matmul", "conv", "attention", "gemm"};
  return name.ends_with("mm") || std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
           return name.find(word) != std::string_view::npos;
         });
}

bool is_callers_frame(std::string_view name) {
  constexpr std::string_view kFronts[] = {
      "Torch-Compiled Region", "TorchDynamo ", "CompiledFunction", "CompiledFxGraph",    "AOTDispatcher ",
      "Pregraph bytecode",     "## Call ",     "CUDAGraphNode.",   "autograd::engine::", "torch::autograd::"};
  if (std::any_of(std::begin(kFronts), std::end(kFronts),
                  [&](std::string_view front) { return name.starts_with(front); }))
    return true;
  // AddmmBackward0, CompiledFunctionBackward: nodes of the backward graph; operators have a library before their name.
  const std::string_view node = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return node.ends_with("Backward") && name.find("::") == std::string_view::npos;
}

}  // namespace orrery::analyze
