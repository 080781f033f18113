// Words that give nothing away, because every trace has them: names of the device runtime, of the profiler and of the
// collectives. Analyses look at them, so they stay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::scrub {

// Types of arguments in PyTorch's own words.

/// "GenericList[Tensor(float),__torch__.Secret]" -> "GenericList[Tensor(float),Object.Object]": words that every trace
/// has stay.
std::string public_type(std::string_view type);

/// A closed list of words that a member may keep.
enum class Vocabulary : std::uint8_t {
  none,
  category,    ///< of an event: "kernel"
  phase,       ///< of an event: "X"
  flow,        ///< "e" of bp, "g" of s
  data_type,   ///< "BFloat16"
  collective,  ///< "allreduce", as c10d spells it in arguments
  backend,     ///< "nccl", "cpu:gloo,cuda:nccl"
  device,      ///< "cuda:0"
  attribute,   ///< the type of an attribute: "uint64"
  time_unit,   ///< "ms"
  sync,        ///< "Stream Wait Event"
  lane,        ///< of the profiler itself: "Spans"
  group,       ///< names of process groups that are numbers, and PyTorch's defaults
  schema,      ///< "1.1.1-chakra.0.0.4"
};

bool is_public(Vocabulary vocabulary, std::string_view text);

/// "1.1.1" of "1.1.1-mine": readers look at it to tell whether they know the rest. Empty if `schema` does not begin
/// with three numbers.
std::string_view leading_version(std::string_view schema);

/// Whether the name of an event, an operator, a kernel or a node is one that every trace has: "cudaLaunchKernel",
/// "ProfilerStep#12", "Memcpy DtoH (Device -> Pinned)", "nccl:all_reduce".
bool is_public_name(std::string_view text);

/// Whether a type is spelt in PyTorch's own words only: "GenericList[Tensor(float),Tensor(float)]".
bool is_public_type_word(std::string_view word);

}  // namespace orrery::scrub
