// A row of a host trace as a call that can be made again: its operator, and its arguments as operation lists write
// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/source/recorded_tensor.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

struct RecordedCall {
  /// The form as JSON, with kTensorPlace where the number of a descriptor belongs, in the order of `tensors`.
  std::string form;
  std::vector<RecordedTensor> tensors;  ///< of the arguments, then what was returned; undefined ones left out
  std::size_t inputs = 0;               ///< how many of them are arguments'
  std::map<std::int32_t, std::int64_t>
      changed_numbers;  ///< by the schema's argument: where the recorded one is no more
  std::uint32_t input_uses = 0,
                uses = 0;  ///< how many tensors the row has among its inputs, and in all, undefined ones too
};
inline constexpr char kTensorPlace = '\x01';
/// The overload of a schema that was made up from recorded arguments, all of them in order: "aten::mm.?(...)".
inline constexpr std::string_view kUnknownOverload = "?";

/// Nothing where some argument was recorded as what cannot be written down (an object, a type that is not known).
/// `changed`: JSON to be written instead of what was recorded, by the schema's argument.
std::optional<RecordedCall> record_call(const trace::HostTrace& host, std::uint32_t row,
                                        const pytorch_et::OperatorSchema& schema,
                                        const std::map<std::int32_t, std::string>& changed = {});

}  // namespace orrery::replay::torch
