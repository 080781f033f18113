#include "simulate/cause.h"

#include <algorithm>
#include <array>

namespace orrery::simulate {

std::string_view to_string(CauseKind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"begin", "dependency", "start",
                                                             "slot",  "turn",       "last arrival"};
  return kNames[static_cast<std::size_t>(kind)];
}

StartCause explain_start(std::uint64_t activity, TimePs start, TimePs begin, const LastDone& done, CauseKind queue,
                         const LastEnd& before) {
  const TimePs ready = std::max(done.at(), begin);
  if (done.at() == start) return {done.kind(), done.activity(), ready};
  // At time 0 nobody has waited, even if something that takes no time came before it on its communicator.
  if (queue == CauseKind::begin || before.at() != start || start == 0) return {CauseKind::begin, activity, ready};
  return {queue, before.activity(), ready};
}

}  // namespace orrery::simulate
