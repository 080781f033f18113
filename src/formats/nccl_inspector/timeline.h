// When the operations of all processes were: as recorded, or laid out by what their lengths tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/nccl_inspector/records.h"

namespace orrery::nccl_inspector {

/// By process and operation; microseconds.
struct Timeline {
  struct Span {
    std::int64_t begin_us = 0, end_us = 0;
    bool is_known = true;
  };
  bool is_relative = false;  ///< no record has times
  std::vector<std::vector<Span>> spans;
};

/// As recorded where records have times. Where none has, operations of a communicator end one after the other, each for
/// all its members at one moment, and began their length before: what each waited for the others is exact, and nothing
/// is said of one communicator beside another.
Timeline lay_out(const std::vector<const ProcessLog*>& processes);

}  // namespace orrery::nccl_inspector
