#include "simulate/loggops/parameters.h"

#include <fmt/format.h>

#include <limits>

#include "base/int128.h"
#include "graph/graph.h"

namespace orrery::simulate::loggops {
namespace {

constexpr std::int64_t kFsPerPs = 1'000;
constexpr TimePs kMaxTimePs = graph::kMaxWeightPs / 4;  // o + L and a start together stay within 63 bits

}  // namespace

Status Parameters::check() const {
  struct Named {
    const char* name;
    std::int64_t value;
    std::int64_t limit;
  };
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  for (const Named& it :
       {Named{"the latency L", latency_ps, kMaxTimePs}, Named{"the overhead o", overhead_ps, kMaxTimePs},
        Named{"the gap g", gap_ps, kMaxTimePs}, Named{"the gap per byte G", gap_per_byte_fs, kMaxTimePs},
        Named{"the overhead per byte O", overhead_per_byte_fs, kMaxTimePs},
        Named{"the largest eager message S", largest_eager_message_bytes, kNone}}) {
    if (it.value < 0) return Error{fmt::format("{} is negative", it.name)};
    if (it.value > it.limit) return Error{fmt::format("{} is too large", it.name)};
  }
  return {};
}

TimePs Parameters::of_bytes(std::int64_t bytes, std::int64_t per_byte_fs) {
  if (bytes <= 1) return 0;
  const Int128 exact = static_cast<Int128>(bytes - 1) * per_byte_fs / kFsPerPs;
  return exact > graph::kMaxWeightPs ? graph::kMaxWeightPs : static_cast<TimePs>(exact);
}

}  // namespace orrery::simulate::loggops
