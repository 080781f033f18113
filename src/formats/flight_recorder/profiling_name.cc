#include "formats/flight_recorder/profiling_name.h"

#include "base/numbers.h"

namespace orrery::flight_recorder {

ProfilingName parse_profiling_name(std::string_view text) {
  ProfilingName name;
  const std::size_t blank = text.find(' ');
  const std::string_view places = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  name.full = text.substr(0, blank);
  const std::size_t colon = name.full.find(':');
  name.backend = colon == std::string_view::npos ? std::string_view() : name.full.substr(0, colon);
  name.what = colon == std::string_view::npos ? name.full : name.full.substr(colon + 1);
  using Role = ProfilingName::Role;
  name.role = name.what == "send"                                   ? Role::send
              : name.what == "recv" || name.what == "recvAnySource" ? Role::recv
              : name.what == "coalesced"                            ? Role::coalesced
                                                                    : Role::collective;
  if (name.role != Role::send && name.role != Role::recv) return name;
  // "0->1" and "1<-0": whoever wrote it stands first, the other side behind the arrow.
  const std::size_t arrow = places.find_first_of("<-");
  if (arrow == std::string_view::npos || arrow + 2 > places.size()) return name;
  name.peer = leading_number<std::int64_t>(places.substr(arrow + 2)).value_or(-1);
  return name;
}

}  // namespace orrery::flight_recorder
