// The tensors among recorded values: [tensor, storage, offset, elements, bytes per element, "cuda:0"] beside shape,
// stride and type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/torch/source/recorded_tensor.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

/// One recorded value, or one element of a recorded list: the same entry of four lists.
struct RecordedValue {
  std::string_view value, type, shape, stride;
};

/// The elements of a value that is a list.
std::vector<RecordedValue> elements_of(const RecordedValue& list);
/// The values of a row's inputs or outputs.
std::vector<RecordedValue> values_of(std::string_view values, std::string_view types, std::string_view shapes,
                                     std::string_view strides);

inline bool is_tensor(const RecordedValue& value) { return value.type.starts_with("Tensor("); }
inline bool is_list(const RecordedValue& value) { return value.type.starts_with("GenericList["); }

struct ParsedTensor {
  std::int64_t id = 0;
  std::int64_t elements = 0;
  RecordedTensor tensor;  ///< use and argument are the caller's
};
/// What a shape that does not have the recorded number of elements makes of a tensor: nothing, or a list of so many
/// elements. Scrubbed traces have such: to communicate, the number is enough.
enum class Shape : std::uint8_t { must_fit, may_be_flat };
/// Nothing if it is malformed or its type is not known. Without a recorded stride it is that of a tensor without gaps.
std::optional<ParsedTensor> parse_tensor(const RecordedValue& value, Shape rule = Shape::must_fit);

/// From the begin of its storage to the end of the last element of the number-th tensor among a row's inputs, as
/// trace::HostArguments counts them.
std::optional<std::int64_t> input_extent(const trace::HostTrace& host, std::uint32_t row, std::uint32_t number);

/// From the begin of its storage to the end of its last element, in bytes; nothing if no memory is so large.
std::optional<std::int64_t> extent_of(const RecordedTensor& tensor);
/// As operation lists write it: ["bfloat16",[2048,512],[512,1],0].
std::string descriptor_of(const RecordedTensor& tensor);

/// The numbers of a list of integers; nothing if it has others.
std::optional<std::vector<std::int64_t>> parse_integers(std::string_view list);

}  // namespace orrery::replay::torch
