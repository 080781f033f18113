#include "formats/pytorch_et/arguments.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/json/json_scan.h"
#include "base/json/json_walk.h"
#include "base/parallel.h"

// Argument values are walked over in place: lists nest, and a list of five numbers and a text is a tensor. Rows are
// read in tasks of some thousand, each into columns of its own, which are joined in order.

namespace orrery::pytorch_et {
namespace {

using trace::HostTrace;
using trace::TensorUse;

constexpr std::size_t kRowsPerTask = 4096;

/// Walks over a list of argument values.
class ValueWalk {
 public:
  ValueWalk(const char* begin, const char* end) : p_(begin), end_(end) {}

  /// Calls on_tensor(argument, storage, bytes, device), on_integer(argument, value) and on_text(argument) for what it
  /// finds; numbers and texts only outside of lists.
  template <typename OnTensor, typename OnInteger, typename OnText>
  void walk(OnTensor&& on_tensor, OnInteger&& on_integer, OnText&& on_text) {
    // Values that are no list, or a row without any: nothing to walk.
    if (p_ == end_ || *p_ != '[') return;
    ++p_;
    int depth = 1, argument = 0;
    while (p_ < end_ && depth > 0) {
      const char c = *p_;
      if (c == '[') {
        // Lists of tensors, of lists and of numbers look alike from outside: what has the six parts of a tensor is one.
        if (const auto tensor = parse_tensor()) on_tensor(argument, *tensor);
        else ++depth, ++p_;
      } else if (c == ']') {
        --depth, ++p_;
      } else if (c == ',') {
        argument += depth == 1, ++p_;
      } else if (c == '"') {
        if (depth == 1) on_text(argument);
        const StringEnd text = find_string_end(p_ + 1, end_);
        if (text.quote == nullptr) return;
        p_ = text.quote + 1;
      } else if (starts_number(c)) {
        const char* const number = p_;
        p_ = skip_number(p_, end_);
        if (p_ == nullptr) return;
        if (depth == 1) read_integer(number, argument, on_integer);
      } else {
        ++p_;
      }
    }
  }

  struct Tensor {
    std::uint64_t storage;
    std::int64_t bytes;
    bool is_on_host;
  };

 private:
  template <typename OnInteger>
  void read_integer(const char* number, int argument, OnInteger&& on_integer) const {
    Decimal decimal;
    if (parse_decimal(number, end_, decimal) != nullptr && decimal.is_integer && decimal.in_range)
      on_integer(argument, decimal.whole);
  }

  // [tensor, storage, offset, elements, bytes per element, "cuda:0"]
  std::optional<Tensor> parse_tensor() {
    const char* p = p_ + 1;
    std::int64_t numbers[5];
    for (std::int64_t& number : numbers) {
      p = skip_space(p, end_);
      if (p >= end_) return std::nullopt;
      p = parse_integer_fast(p, end_, number);
      if (p == nullptr) return std::nullopt;
      p = skip_space(p, end_);
      if (p >= end_ || *p != ',') return std::nullopt;
      ++p;
    }
    p = skip_space(p, end_);
    if (p >= end_ || *p != '"') return std::nullopt;
    const char* const device = p + 1;
    const StringEnd text = find_string_end(device, end_);
    if (text.quote == nullptr) return std::nullopt;
    p = skip_space(text.quote + 1, end_);
    if (p >= end_ || *p != ']') return std::nullopt;
    p_ = p + 1;
    std::int64_t bytes = 0;
    // No such tensor exists; the largest number makes it conspicuous where sizes are summed or compared.
    if (__builtin_mul_overflow(numbers[3], numbers[4], &bytes)) bytes = std::numeric_limits<std::int64_t>::max();
    return Tensor{static_cast<std::uint64_t>(numbers[1]), bytes, std::string_view(device, 3) == "cpu"};
  }

  const char* p_;
  const char* end_;
};

// The values come first in their object; how long they are shows only in the walk.
ValueWalk values_of(const HostTrace& trace, trace::TextRange range, std::size_t row, std::string_view flat_key) {
  const std::string_view object = trace.text(trace.is_flat() ? trace.object[row] : range);
  const std::string_view key = trace.is_flat() ? flat_key : "values";
  const char* const end = object.data() + object.size();
  if (object.empty() || object.front() != '{') return {end, end};
  JsonWalk walk(end);
  const char* found = end;
  walk.each_member(object.data(), [&](std::string_view name, const char* value) -> const char* {
    // "values" comes first, so that this is mostly the first look.
    if (name != key) return walk.skip_value(value);
    found = value;
    return nullptr;
  });
  return {found, end};
}

ArgumentLists lists_of(std::string_view object, const std::array<std::string_view, 4>& keys) {
  ArgumentLists lists;
  std::string_view* const places[] = {&lists.values, &lists.shapes, &lists.types, &lists.strides};
  if (object.empty() || object.front() != '{') return lists;
  JsonWalk walk(object.data() + object.size());
  walk.each_member(object.data(), [&](std::string_view name, const char* value) {
    const char* const after = walk.skip_value(value);
    for (std::size_t k = 0; k < keys.size() && after != nullptr; ++k) {
      if (name == keys[k]) *places[k] = {value, static_cast<std::size_t>(after - value)};
    }
    return after;
  });
  return lists;
}

struct Part {
  Column<TensorUse> tensors;
  Column<std::uint32_t> counts;  // per row
  Column<trace::PeerArguments> peers;
};

class RowReader {
 public:
  RowReader(const HostTrace& trace, const Interner& strings, const std::vector<SchemaArguments>& schemas)
      : trace_(trace), strings_(strings), schemas_(schemas) {}

  void read(std::size_t row, Part& part) const {
    const SchemaArguments& schema = schemas_[trace_.op_schema[row]];
    const std::string_view name = strings_.text(trace_.name[row]);
    const bool is_record = name == "record_param_comms";
    // A collective that the host does itself (gloo:all_reduce) has no schema, and works in place.
    const bool writes_inputs = name.starts_with("gloo:") || name.starts_with("mpi:") || name.starts_with("ucc:");
    trace::PeerArguments peers{static_cast<std::uint32_t>(row)};
    std::int64_t last_integer = trace::kNoNumber;
    const std::size_t before = part.tensors.size();
    values_of(trace_, trace_.inputs[row], row, "inputs")
        .walk(
            [&](int argument, const ValueWalk::Tensor& tensor) {
              const bool is_written = writes_inputs || (argument < 64 && (schema.written >> argument & 1) != 0);
              part.tensors.push_back({tensor.storage, tensor.bytes, true, is_written, tensor.is_on_host});
            },
            [&](int argument, std::int64_t value) {
              if (argument == schema.peer) peers.peer = value;
              if (argument == schema.tag) peers.tag = value;
              last_integer = value;
            },
            [&](int) {
              // [sequence, group, rank, "send", ...]: of messages and rooted collectives, `rank` is the other one or
              // the root.
              if (is_record && peers.peer == trace::kNoNumber) peers.peer = last_integer;
            });
    values_of(trace_, trace_.outputs[row], row, "outputs")
        .walk(
            [&](int, const ValueWalk::Tensor& tensor) {
              part.tensors.push_back({tensor.storage, tensor.bytes, false, true, tensor.is_on_host});
            },
            [](int, std::int64_t) {}, [](int) {});
    part.counts.push_back(static_cast<std::uint32_t>(part.tensors.size() - before));
    if (peers.peer != trace::kNoNumber || peers.tag != trace::kNoNumber) part.peers.push_back(peers);
  }

 private:
  const HostTrace& trace_;
  const Interner& strings_;
  const std::vector<SchemaArguments>& schemas_;
};

}  // namespace

ArgumentLists input_lists(const HostTrace& trace, std::size_t row) {
  if (trace.is_flat())
    return lists_of(trace.text(trace.object[row]), {"inputs", "input_shapes", "input_types", "input_strides"});
  return lists_of(trace.text(trace.inputs[row]), {"values", "shapes", "types", "strides"});
}

ArgumentLists output_lists(const HostTrace& trace, std::size_t row) {
  if (trace.is_flat())
    return lists_of(trace.text(trace.object[row]), {"outputs", "output_shapes", "output_types", "output_strides"});
  return lists_of(trace.text(trace.outputs[row]), {"values", "shapes", "types", "strides"});
}

trace::HostArguments read_arguments(const HostTrace& trace, const Interner& strings) {
  std::vector<SchemaArguments> schemas(strings.size());
  std::vector<std::uint8_t> is_parsed(strings.size(), 0);
  for (const StringId schema : trace.op_schema) {
    if (is_parsed[schema] == 0) schemas[schema] = parse_schema(strings.text(schema));
    is_parsed[schema] = 1;
  }
  const std::size_t tasks = (trace.size() + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<Part> parts(tasks);
  const RowReader reader(trace, strings, schemas);
  parallel_for(tasks, [&](std::size_t task) {
    const std::size_t last = std::min(trace.size(), (task + 1) * kRowsPerTask);
    for (std::size_t row = task * kRowsPerTask; row < last; ++row) reader.read(row, parts[task]);
  });
  trace::HostArguments arguments;
  arguments.first.push_back(0);
  for (Part& part : parts) {
    for (const std::uint32_t count : part.counts) arguments.first.push_back(arguments.first.back() + count);
    arguments.tensors.append(std::span(part.tensors.data(), part.tensors.size()));
    arguments.peers.append(std::span(part.peers.data(), part.peers.size()));
    part = {};
  }
  return arguments;
}

}  // namespace orrery::pytorch_et
