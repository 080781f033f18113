#include "replay/torch/write/tensor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json/json_members.h"
#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"

// Values, types, shapes and strides are four lists side by side, which nest in the same way. A tensor is believed only
// if all of them fit: the number of its elements is the product of its sizes, and its last element lies within 63 bits.

namespace orrery::replay::torch {
namespace {

// "GenericList[Tensor(float),GenericList[Int,Int]]": the types of the elements.
std::vector<std::string_view> element_types(std::string_view list) {
  std::vector<std::string_view> types;
  const std::size_t open = list.find('[');
  if (open == std::string_view::npos || !list.ends_with(']')) return types;
  const std::string_view inner = list.substr(open + 1, list.size() - open - 2);
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= inner.size(); ++i) {
    // A comma behind the end closes the last element.
    const char c = i < inner.size() ? inner[i] : ',';
    if (c == '[' || c == '(' || c == '<') ++depth;
    if (c == ']' || c == ')' || c == '>') --depth;
    if (c != ',' || (depth != 0 && i < inner.size())) continue;
    if (i > begin) types.push_back(inner.substr(begin, i - begin));
    begin = i + 1;
  }
  return types;
}

std::vector<RecordedValue> side_by_side(std::string_view values, const std::vector<std::string_view>& types,
                                        std::string_view shapes, std::string_view strides) {
  const auto shape_entries = list_entries(shapes), stride_entries = list_entries(strides);
  std::vector<RecordedValue> result;
  for_each_entry(values, [&](std::string_view value) {
    const std::size_t i = result.size();
    RecordedValue& entry = result.emplace_back();
    entry.value = value;
    if (i < types.size()) entry.type = types[i];
    if (i < shape_entries.size()) entry.shape = shape_entries[i];
    // Lists may be shorter than the values: old recordings have no strides.
    if (i < stride_entries.size()) entry.stride = stride_entries[i];
  });
  return result;
}

std::vector<std::int64_t> strides_without_gaps(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    // Sizes of 0 count as 1, as in torch; what overflows has no stride that anything could use.
    if (__builtin_mul_overflow(strides[i], std::max<std::int64_t>(shape[i], 1), &strides[i - 1])) strides[i - 1] = 0;
  }
  return strides;
}

bool has_elements(const std::vector<std::int64_t>& shape, std::int64_t elements) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return false;
  }
  return count == elements;
}

}  // namespace

std::optional<std::int64_t> extent_of(const RecordedTensor& tensor) {
  std::int64_t last = tensor.offset;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0 || tensor.stride[i] < 0 || tensor.offset < 0) return std::nullopt;
    // Without elements there is nothing to reach, whatever the strides are.
    if (tensor.shape[i] == 0) return 0;
    std::int64_t step = 0;
    if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.stride[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  std::int64_t bytes = 0;
  // What does not fit 63 bits exists nowhere.
  if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, tensor.type.bytes, &bytes))
    return std::nullopt;
  return bytes;
}

std::string descriptor_of(const RecordedTensor& tensor) {
  return fmt::format("[\"{}\",[{}],[{}],{}]", tensor.type.name, fmt::join(tensor.shape, ","),
                     fmt::join(tensor.stride, ","), tensor.offset);
}

std::vector<RecordedValue> elements_of(const RecordedValue& list) {
  return side_by_side(list.value, element_types(list.type), list.shape, list.stride);
}

std::vector<RecordedValue> values_of(std::string_view values, std::string_view types, std::string_view shapes,
                                     std::string_view strides) {
  std::vector<std::string_view> names;
  for_each_entry(types, [&](std::string_view type) {
    names.push_back(is_json_string(type) ? string_content(type) : std::string_view());
  });
  return side_by_side(values, names, shapes, strides);
}

std::optional<std::vector<std::int64_t>> parse_integers(std::string_view list) {
  std::vector<std::int64_t> numbers;
  bool are_integers = true;
  const bool is_list = for_each_entry(list, [&](std::string_view entry) {
    const auto number = parse_number<std::int64_t>(entry);
    are_integers &= number.has_value();
    numbers.push_back(number.value_or(0));
  });
  if (!is_list || !are_integers) return std::nullopt;
  return numbers;
}

std::optional<ParsedTensor> parse_tensor(const RecordedValue& value, Shape rule) {
  ParsedTensor parsed;
  parsed.tensor.type = element_type_of(value.type);
  const std::vector<std::string_view> parts = list_entries(value.value);
  auto shape = parse_integers(value.shape);
  if (parsed.tensor.type.name.empty() || parts.size() != 6 || !shape) return std::nullopt;
  const auto id = parse_number<std::int64_t>(parts[0]), offset = parse_number<std::int64_t>(parts[2]),
             elements = parse_number<std::int64_t>(parts[3]);
  if (!id || !offset || !elements) return std::nullopt;
  parsed.id = *id;
  parsed.elements = *elements;
  if (!has_elements(*shape, *elements)) {
    // Some recordings give a shape that does not fit: where it may be flat, the number of elements is enough.
    if (rule == Shape::must_fit || *elements < 0) return std::nullopt;
    shape->assign(1, *elements);
  }
  parsed.tensor.shape = std::move(*shape);
  auto strides = parse_integers(value.stride);
  // Without strides, or with those of another shape, elements lie one behind the other.
  if (!strides || strides->size() != parsed.tensor.shape.size()) strides = strides_without_gaps(parsed.tensor.shape);
  parsed.tensor.stride = std::move(*strides);
  parsed.tensor.offset = *offset;
  const auto extent = extent_of(parsed.tensor);
  if (!extent) return std::nullopt;
  parsed.tensor.extent_bytes = *extent;
  parsed.tensor.descriptor = descriptor_of(parsed.tensor);
  return parsed;
}

std::optional<std::int64_t> input_extent(const trace::HostTrace& host, std::uint32_t row, std::uint32_t number) {
  const auto lists = pytorch_et::input_lists(host, row);
  std::vector<RecordedValue> open = values_of(lists.values, lists.types, lists.shapes, lists.strides);
  std::reverse(open.begin(), open.end());
  // Lists are opened where they stand: the next value is always the last of those left.
  while (!open.empty()) {
    const RecordedValue value = open.back();
    open.pop_back();
    if (is_list(value)) {
      std::vector<RecordedValue> elements = elements_of(value);
      open.insert(open.end(), elements.rbegin(), elements.rend());
    } else if (is_tensor(value) && number-- == 0) {
      const auto tensor = parse_tensor(value);
      return tensor ? std::optional(tensor->tensor.extent_bytes) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace orrery::replay::torch
