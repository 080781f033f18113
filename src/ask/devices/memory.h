// How fast copies and sets are; or, of a memory timeline or snapshot, what fills the memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ask/devices/device_source.h"

namespace orrery::ask {

/// Which rows come first: those of the column's largest; none: by kind.
inline constexpr std::pair<std::string_view, std::string_view> kCopyOrders[] = {
    {"kind", ""}, {"bytes", "bytes"}, {"time", "time"}};

struct MemoryRequest {
  DeviceRequest devices = {};                 ///< or one memory timeline
  std::size_t top = 10;                       ///< rows that people see; 0: all
  std::optional<std::string_view> sort = {};  ///< see kCopyOrders; those that take longest
  Compat compat = Compat::none;
  bool include_last_step = false;           ///< HTA's own, and meaningless otherwise
  std::optional<std::string> against = {};  ///< of a memory snapshot: another that it is compared with
};
template <typename Visitor>
void fields(MemoryRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("top", request.top);
  visit("sort", choice(request.sort, kCopyOrders));
  visit("compat", choice(request.compat, kCompatWords));
  visit("include-last-step", request.include_last_step);
  visit("against", request.against);
}

Result<report::Answer> run(const MemoryRequest& request, Context& context);

}  // namespace orrery::ask
