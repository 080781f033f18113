#include "replay/torch/source/profiled_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/json/json_members.h"
#include "base/numbers.h"
#include "causal/host/coverage.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/source/recorded_call.h"
#include "replay/torch/write/tensor_text.h"
#include "trace/content_order.h"
#include "trace/nesting.h"

// Each operator becomes a row with the text that a host trace would have of it, so that whoever reads rows reads these:
// {"Input Dims": [[4,8],[]], "Input type": ["float","Scalar"], "Concrete Inputs": ["","2"]} is written as
// {"values":[[1,1,0,32,4,"cuda:0"],2],"shapes":[[4,8],[]],"types":["Tensor(float)","Int"],"strides":[[8,1],[]]}.

namespace orrery::replay::torch {
namespace {

using trace::EventIndex;
using trace::Field;

/// What arguments are called of operators that take indices: integer_bounds.cc finds there below what they must lie.
struct NamedArguments {
  std::string_view name;
  std::array<std::string_view, 4> arguments;
};
constexpr std::array kNamed = {
    NamedArguments{"aten::embedding", {"weight", "indices"}},
    NamedArguments{"aten::embedding_dense_backward", {"grad_output", "indices", "num_weights"}},
    NamedArguments{"aten::nll_loss_forward", {"self", "target"}},
    NamedArguments{"aten::nll_loss_backward", {"grad_output", "self", "target"}},
    NamedArguments{"aten::gather", {"self", "dim", "index"}},
    NamedArguments{"aten::scatter", {"self", "dim", "index"}},
    NamedArguments{"aten::scatter_", {"self", "dim", "index"}},
    NamedArguments{"aten::scatter_add", {"self", "dim", "index"}},
    NamedArguments{"aten::scatter_add_", {"self", "dim", "index"}},
    NamedArguments{"aten::index_select", {"self", "dim", "index"}},
    NamedArguments{"aten::index_add", {"self", "dim", "index"}},
    NamedArguments{"aten::index_add_", {"self", "dim", "index"}},
    NamedArguments{"aten::index_copy", {"self", "dim", "index"}},
    NamedArguments{"aten::index_copy_", {"self", "dim", "index"}},
};

/// Those whose list of indices the profiler writes as it writes nothing.
bool hides_indices(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {
      "aten::index",         "aten::index_put",         "aten::index_put_",     "aten::_index_put_impl_",
      "aten::_unsafe_index", "aten::_unsafe_index_put", "aten::_index_put_impl"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// One argument in the five lists of a row.
struct Argument {
  std::string value, shape = "[]", type, stride = "[]", declared;
};

Argument plain(std::string value, std::string type, std::string declared) {
  return {std::move(value), "[]", std::move(type), "[]", std::move(declared)};
}

/// "True", "1", "0.5", "1." (which is no JSON), "inf".
Argument number(std::string_view text) {
  if (text == "True" || text == "False") return plain(text == "True" ? "true" : "false", "Bool", "Scalar");
  if (const auto whole = parse_number<std::int64_t>(text)) return plain(std::to_string(*whole), "Int", "Scalar");
  const auto real = leading_number<double>(text);
  if (!real) return plain("\"<unknown>\"", "Unknown", "Scalar");
  std::string spelled = fmt::format("{}", *real);
  if (spelled.find_first_not_of("0123456789.eE+-") != std::string::npos) spelled = "\"" + spelled + "\"";
  else if (spelled.find_first_of(".eE") == std::string::npos) spelled += ".0";
  return plain(std::move(spelled), "Double", "Scalar");
}

/// "[1, 2]"
Argument numbers(std::string_view text) {
  Argument list = plain("[", "GenericList[", "Scalar[]");
  text = text.substr(std::min<std::size_t>(text.size(), 1));
  while (!text.empty() && text.front() != ']') {
    const std::size_t end = std::min(text.find_first_of(",]"), text.size());
    const Argument element = number(text.substr(0, end));
    list.value += (list.value.size() > 1 ? "," : "") + element.value;
    list.type += (list.type.ends_with('[') ? "" : ",") + element.type;
    text = text.substr(std::min(end + (end < text.size() && text[end] == ',' ? 1 : 0), text.size()));
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }
  list.value += "]", list.type += "]";
  return list;
}

class RowWriting {
 public:
  RowWriting(const trace::Trace& trace, const trace::RankTrace& rank, Interner& strings)
      : trace_(trace), rank_(rank), strings_(strings) {}

  ProfiledRows run() {
    const trace::Nesting nesting = trace::nest_events(rank_);
    const trace::ContentOrder content(trace_, rank_);
    std::vector<EventIndex> operators;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (rank_.activity(e) == trace::Activity::cpu_operator) operators.push_back(e);
    }
    std::stable_sort(operators.begin(), operators.end(), [&](EventIndex a, EventIndex b) {
      if (rank_.start[a] != rank_.start[b]) return rank_.start[a] < rank_.start[b];
      return rank_.end(a) != rank_.end(b) ? rank_.end(a) > rank_.end(b) : content.before(a, b);
    });
    ProfiledRows rows;
    rows.row_of_event.assign(rank_.event_count(), causal::kNoRow);
    std::vector<double> ends;
    for (const EventIndex e : operators) {
      rows.row_of_event[e] = static_cast<std::uint32_t>(host_->size());
      EventIndex around = nesting.parent[e];
      while (around != trace::kNoParent && rows.row_of_event[around] == causal::kNoRow) around = nesting.parent[around];
      add_row(e, around == trace::kNoParent ? causal::kNoRow : rows.row_of_event[around]);
      ends.push_back(static_cast<double>(rank_.end(e) - rank_.start[operators.front()]));
    }
    text_->append(kTextPadding, '\0');
    host_->path = rank_.source.path;
    host_->text_owner = text_;
    host_->content = std::string_view(*text_).substr(0, text_->size() - kTextPadding);
    rows.order = order_rows(*host_, strings_, ends);
    rows.host = std::move(host_);
    return rows;
  }

 private:
  // Ids count from 1 on in the order of begins.
  void add_row(EventIndex e, std::uint32_t around) {
    const std::string_view name = trace_.name(rank_, e);
    const std::vector<Argument> arguments = arguments_of(e, name);
    const std::uint64_t id = host_->size() + 1;
    host_->id.push_back(id);
    host_->parent.push_back(around == causal::kNoRow ? id : std::uint64_t{around} + 1);
    host_->name.push_back(strings_.intern(name));
    host_->record_function.push_back(trace::kNoNumber);
    host_->forward_parent.push_back(trace::kNoNumber);
    host_->sequence_number.push_back(trace::kNoNumber);
    host_->scope.push_back(0);
    host_->thread.push_back(static_cast<std::int64_t>(rank_.lane[e]) + 1);
    host_->forward_thread.push_back(trace::kNoNumber);
    host_->op_schema.push_back(name.find("::") == std::string_view::npos || name.find(' ') != std::string_view::npos
                                   ? 0
                                   : strings_.intern(schema_of(name, arguments)));
    host_->object.push_back({});
    host_->inputs.push_back(written(arguments));
    host_->outputs.push_back({});
    host_->attributes.push_back({});
  }

  // Lists with the padding that their readers need.
  std::vector<std::string_view> entries_of(EventIndex e, Field field, std::string& kept) const {
    const auto id = rank_.field(field).find(e);
    if (!id) return {};
    kept = trace_.strings.text(static_cast<StringId>(*id));
    const std::size_t size = kept.size();
    kept.append(kTextPadding, '\0');
    return list_entries(std::string_view(kept).substr(0, size));
  }

  std::vector<Argument> arguments_of(EventIndex e, std::string_view name) {
    std::array<std::string, 4> kept;
    const auto types = entries_of(e, Field::types_text, kept[0]), shapes = entries_of(e, Field::shapes_text, kept[1]),
               values = entries_of(e, Field::concrete_text, kept[2]),
               strides = entries_of(e, Field::strides_text, kept[3]);
    const auto tensors = std::count_if(types.begin(), types.end(), [](std::string_view type) {
      return is_json_string(type) && !element_type_of(fmt::format("Tensor({})", string_content(type))).name.empty();
    });
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string_view type = is_json_string(types[i]) ? string_content(types[i]) : std::string_view();
      const std::string_view value =
          i < values.size() && is_json_string(values[i]) ? string_content(values[i]) : std::string_view();
      if (type == "Scalar") arguments.push_back(number(value));
      else if (type == "ScalarList") arguments.push_back(numbers(value));
      else if (type.empty() && !(hides_indices(name) && i == 1))
        arguments.push_back(plain("\"<None>\"", "None", "Tensor?"));
      else if (i < shapes.size() && !element_type_of(fmt::format("Tensor({})", type)).name.empty())
        arguments.push_back(tensor(type, shapes[i], i < strides.size() ? strides[i] : std::string_view(), tensors > 1));
      else arguments.push_back(plain("\"<unknown>\"", "Unknown", "Tensor[]"));
    }
    return arguments;
  }

  Argument tensor(std::string_view type, std::string_view shape, std::string_view stride, bool has_others) {
    Argument argument;
    argument.type = fmt::format("Tensor({})", type);
    argument.declared = "Tensor";
    argument.shape = shape;
    if (!stride.empty()) argument.stride = stride;
    std::int64_t elements = 1;
    const std::string padded = std::string(shape) + std::string(kTextPadding, '\0');
    const auto sizes = parse_integers(std::string_view(padded).substr(0, shape.size()));
    // A shape that is none, or that no memory holds, makes a tensor that is refused where it is read.
    for (const std::int64_t size : sizes.value_or(std::vector<std::int64_t>())) {
      if (size < 0 || __builtin_mul_overflow(elements, size, &elements)) elements = 0;
    }
    const ElementType element = element_type_of(argument.type);
    // x * 0.5: the number is a tensor without dimensions on the host.
    const bool is_number = has_others && sizes && sizes->empty() && (type == "double" || type == "long int");
    ++tensors_;
    argument.value = fmt::format("[{},{},0,{},{},\"{}\"]", tensors_, tensors_, elements, element.bytes,
                                 is_number ? "cpu" : "cuda:0");
    return argument;
  }

  static std::string schema_of(std::string_view name, const std::vector<Argument>& arguments) {
    const auto* const named =
        std::find_if(kNamed.begin(), kNamed.end(), [&](const NamedArguments& known) { return known.name == name; });
    std::string schema = fmt::format("{}.{}(", name, kUnknownOverload);
    const bool writes_first = name.ends_with('_') && !name.ends_with("__");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_named = named != kNamed.end() && i < named->arguments.size() && !named->arguments[i].empty();
      const std::string_view mark = writes_first && i == 0 && arguments[i].declared == "Tensor" ? "(a!)" : "";
      schema += fmt::format("{}{}{} {}", i == 0 ? "" : ", ", arguments[i].declared, mark,
                            is_named ? std::string(named->arguments[i]) : fmt::format("argument{}", i));
    }
    return schema + ")";
  }

  trace::TextRange written(const std::vector<Argument>& arguments) {
    const std::size_t begin = text_->size();
    const auto add = [&](const char* key, std::string Argument::*member, const char* quote) {
      *text_ += key;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i > 0) *text_ += ',';
        *text_ += quote + arguments[i].*member + quote;
      }
    };
    add("{\"values\":[", &Argument::value, "");
    add("],\"shapes\":[", &Argument::shape, "");
    add("],\"types\":[", &Argument::type, "\"");
    add("],\"strides\":[", &Argument::stride, "");
    *text_ += "]}";
    return {begin, static_cast<std::uint32_t>(text_->size() - begin)};
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  Interner& strings_;
  std::shared_ptr<trace::HostTrace> host_ = std::make_shared<trace::HostTrace>();
  std::shared_ptr<std::string> text_ = std::make_shared<std::string>();
  std::int64_t tensors_ = 0;
};

}  // namespace

ProfiledRows rows_of_profiler(const trace::Trace& trace, const trace::RankTrace& rank, Interner& strings) {
  return RowWriting(trace, rank, strings).run();
}

}  // namespace orrery::replay::torch
