#include "replay/torch/source/recorded_call.h"

#include <algorithm>

#include "base/json/json_members.h"
#include "base/json/json_writer.h"
#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/write/tensor_text.h"

// Arguments are read in the order of the schema, which says what a recorded number or text stands for. Tensors are
// replaced by placeholders and listed beside the form, so that calls that differ only in tensors share one. Outputs are
// read first, since an empty tensor that the call fills gets its shape from there.

namespace orrery::replay::torch {
namespace {

constexpr int kMostLists = 4;  // lists in lists; no schema has more than two

// "Tensor(a!)[]" -> "Tensor", "ScalarType?" -> "ScalarType".
std::string_view base_type(std::string_view type) { return type.substr(0, type.find_first_of("([?")); }

std::string_view without_quotes(std::string_view value) {
  return is_json_string(value) ? string_content(value) : value;
}

class CallRecorder {
 public:
  CallRecorder(const trace::HostTrace& host, std::uint32_t row, const pytorch_et::OperatorSchema& schema,
               const std::map<std::int32_t, std::string>& changed)
      : schema_(schema), changed_(changed) {
    const auto in = pytorch_et::input_lists(host, row), out = pytorch_et::output_lists(host, row);
    inputs_ = values_of(in.values, in.types, in.shapes, in.strides);
    outputs_ = values_of(out.values, out.types, out.shapes, out.strides);
  }

  std::optional<RecordedCall> run() {
    // More values than arguments: the schema is not the one that was called.
    if (inputs_.size() > schema_.arguments.size()) return std::nullopt;
    std::vector<ParsedTensor> returned;
    std::string outs;
    use_ = call_.input_uses = count_tensors(inputs_);
    for (const RecordedValue& value : outputs_) {
      if (!add_output(value, outs, returned, 0)) return std::nullopt;
    }
    returned_ = &returned;
    call_.uses = use_;
    use_ = 0;
    JsonWriter json(call_.form);
    json.begin_object().field("op", schema_.name).key("overload");
    // Whoever calls it tells by the arguments which form of the operator it was.
    if (schema_.overload == kUnknownOverload) json.null();
    else json.value(schema_.overload);
    json.key("args").begin_array();
    if (!add_arguments(json)) return std::nullopt;
    call_.inputs = call_.tensors.size();
    for (ParsedTensor& tensor : returned) call_.tensors.push_back(std::move(tensor.tensor));
    json.key("outs").raw("[" + outs + "]").end_object();
    return std::move(call_);
  }

 private:
  // As trace::HostArguments counts them: undefined ones too.
  static std::uint32_t count_tensors(const std::vector<RecordedValue>& values) {
    std::uint32_t count = 0;
    for (const RecordedValue& value : values) {
      if (is_tensor(value)) ++count;
      else if (is_list(value)) count += count_tensors(elements_of(value));
    }
    return count;
  }

  // One entry per returned value, so that the place of a tensor among them is known: what is none is null.
  bool add_output(const RecordedValue& value, std::string& outs, std::vector<ParsedTensor>& returned, int depth) {
    if (is_list(value)) {
      if (depth > kMostLists) return false;
      const auto elements = elements_of(value);
      return std::all_of(elements.begin(), elements.end(),
                         [&](const RecordedValue& element) { return add_output(element, outs, returned, depth + 1); });
    }
    if (!outs.empty()) outs += ',';
    if (!is_tensor(value) || is_undefined_tensor(value.type)) {
      use_ += is_tensor(value) ? 1 : 0;
      outs += "null";
      return true;
    }
    auto tensor = parse_tensor(value);
    if (!tensor) return false;
    tensor->tensor.use = use_++;
    tensor->tensor.argument = -1;
    outs += kTensorPlace;
    returned.push_back(std::move(*tensor));
    return true;
  }

  bool add_arguments(JsonWriter& json) {
    bool is_keyword = false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const pytorch_et::SchemaArgument& argument = schema_.arguments[i];
      // Arguments by keyword come last in every schema, so the list of the others is closed once.
      if (argument.is_keyword && !is_keyword) json.end_array().key("kw").begin_object(), is_keyword = true;
      argument_ = static_cast<std::int32_t>(i);
      if (is_keyword) {
        // By name nothing has to be said that is said already.
        if (is_nothing(inputs_[i]) && argument.default_value == "None") continue;
        json.key(argument.name);
      }
      if (const auto other = changed_.find(argument_); other != changed_.end()) json.raw(other->second);
      else if (!add_value(json, inputs_[i], argument, 0)) return false;
    }
    is_keyword ? json.end_object() : json.end_array();
    return true;
  }

  static bool is_nothing(const RecordedValue& value) {
    return value.type == "None" || value.value == "\"<None>\"" || value.value == "null";
  }

  bool add_value(JsonWriter& json, const RecordedValue& value, const pytorch_et::SchemaArgument& argument, int depth) {
    if (is_nothing(value)) return json.null(), true;
    if (is_tensor(value)) return add_tensor(json, value, argument);
    if (is_list(value)) {
      if (depth > kMostLists) return false;
      json.begin_array();
      for (const RecordedValue& element : elements_of(value)) {
        if (!add_value(json, element, argument, depth + 1)) return false;
      }
      json.end_array();
      return true;
    }
    return add_plain(json, value, base_type(argument.type));
  }

  bool add_tensor(JsonWriter& json, const RecordedValue& value, const pytorch_et::SchemaArgument& argument) {
    const std::uint32_t use = use_++;
    if (is_undefined_tensor(value.type)) return json.null(), true;
    auto tensor = parse_tensor(value);
    if (!tensor) return false;
    tensor->tensor.use = use;
    if (tensor->elements == 0 && argument.is_written) {
      // Memory comes with the call: it is given what it made of it.
      for (const ParsedTensor& returned : *returned_) {
        if (returned.id == tensor->id && returned.elements > 0) tensor->tensor = returned.tensor;
      }
    }
    tensor->tensor.argument = argument_;
    call_.tensors.push_back(std::move(tensor->tensor));
    json.begin_object().key("t").raw(std::string_view(&kTensorPlace, 1)).end_object();
    return true;
  }

  static bool add_word(JsonWriter& json, std::string_view key, std::string_view word) {
    if (word.empty()) return false;
    json.begin_object().field(key, word).end_object();
    return true;
  }

  static bool add_number(JsonWriter& json, std::string_view text) {
    if (text == "inf" || text == "Infinity" || text == "-inf" || text == "-Infinity")
      return json.begin_object().field("inf", text.front() == '-' ? -1 : 1).end_object(), true;
    if (text == "nan" || text == "NaN" || text == "-nan") return json.begin_object().field("nan", 1).end_object(), true;
    if (!is_json_scalar(text)) return false;
    const bool is_whole = text.find_first_of(".eE") == std::string_view::npos;
    const std::optional<double> number = is_whole ? std::nullopt : leading_number<double>(text);
    if (!number) return json.raw(text), true;
    // One spelling for one number, whoever wrote it; and one that reads back as no integer.
    std::string spelled;
    JsonWriter(spelled).value(*number);
    if (spelled.find_first_of(".eE") == std::string::npos) spelled += ".0";
    json.raw(spelled);
    return true;
  }

  // What is recorded as a number or text may stand for something else: the schema says what.
  static bool add_plain(JsonWriter& json, const RecordedValue& value, std::string_view type) {
    // Neither can be made again from a recording: null lets the operator take its default.
    if (type == "Generator" || type == "Stream") return json.null(), true;
    const std::string_view text = without_quotes(value.value);
    if (type == "Device") {
      const bool is_host = text.starts_with("cpu");
      return (is_host || text.starts_with("cuda")) && add_word(json, "device", is_host ? "cpu" : "cuda");
    }
    if (type == "ScalarType" || type == "Layout" || type == "MemoryFormat") {
      const auto number = leading_number<std::int64_t>(text);
      if (!number) return false;
      if (type == "ScalarType") return add_word(json, "dtype", element_type_name(*number));
      return type == "Layout" ? add_word(json, "layout", layout_name(*number))
                              : add_word(json, "memory_format", memory_format_name(*number));
    }
    // What scrub does not show: nothing can be called with it.
    if (value.type == "String")
      return is_json_string(value.value) && text != "<hidden>" && (json.raw(value.value), true);
    return (value.type == "Int" || value.type == "Double" || value.type == "Bool" || value.type == "SymInt" ||
            value.type == "SymFloat") &&
           add_number(json, text);
  }

  const pytorch_et::OperatorSchema& schema_;
  const std::map<std::int32_t, std::string>& changed_;
  std::vector<RecordedValue> inputs_, outputs_;
  const std::vector<ParsedTensor>* returned_ = nullptr;
  RecordedCall call_;
  std::uint32_t use_ = 0;
  std::int32_t argument_ = 0;
};

}  // namespace

std::optional<RecordedCall> record_call(const trace::HostTrace& host, std::uint32_t row,
                                        const pytorch_et::OperatorSchema& schema,
                                        const std::map<std::int32_t, std::string>& changed) {
  return CallRecorder(host, row, schema, changed).run();
}

}  // namespace orrery::replay::torch
