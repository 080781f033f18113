// The reader of checkpoints: whatever a file holds, its points are below the number that its header claims, or it is
// refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/team/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto content = orrery::parse_checkpoint(bytes, "fuzz");
  if (!content) return 0;
  if (content->good_bytes > size) std::abort();
  for (const auto& [point, answer] : content->points) {
    if (point >= content->key.points || answer.size() > size) std::abort();
  }
  // What is good of it is all good.
  const auto again = orrery::parse_checkpoint(bytes.substr(0, content->good_bytes), "fuzz");
  if (!again || again->points != content->points || again->good_bytes != content->good_bytes) std::abort();
  return 0;
}
