// What programs write into the ranges of NVTX and roctx: operators of PyTorch with their arguments, and names.
//
//     aten::mm, op_id = 35, seq = 12, sizes = [[64, 64], [64, 64]], input_op_ids = [(34, 0)]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::trace {

struct RangeName {
  std::string_view name;                       ///< without the arguments
  bool is_operator = false;                    ///< of a framework; else a range that somebody named
  std::optional<std::int64_t> operation = {};  ///< op_id
  std::optional<std::int64_t> sequence = {};   ///< seq: ties a backward operator to its forward operator
  std::string_view sizes = {};                 ///< of its inputs, as written
};

/// Arguments may be in any order, and any of them may lack. What has arguments, or C++'s :: in its name, is an
/// operator. Views lie in `text`.
RangeName read_range_name(std::string_view text);

}  // namespace orrery::trace
