#include "formats/perfetto/timestamp.h"

#include <fmt/format.h>

#include "base/int128.h"

namespace orrery::perfetto {

std::string timestamp_us(std::int64_t epoch_ns, TimePs offset) {
  const Int128 total = static_cast<Int128>(epoch_ns) * kPsPerNs + offset;
  const Int128 magnitude = total < 0 ? -total : total;
  std::string text = fmt::format("{}{}", total < 0 ? "-" : "", static_cast<std::uint64_t>(magnitude / kPsPerUs));
  const auto fraction = static_cast<std::uint64_t>(magnitude % kPsPerUs);
  if (fraction == 0) return text;
  text += fmt::format(".{:06}", fraction);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace orrery::perfetto
