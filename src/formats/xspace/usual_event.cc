#include "formats/xspace/usual_event.h"

#include <cstdint>

#include "base/protobuf/protobuf_wire.h"

namespace orrery::xspace {
namespace {

/// One byte or more that end in one without the highest bit; false if they are not all there or more than needed.
bool take_minimal_varint(const char*& at, const char* end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 63 && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return byte != 0 || shift == 0;
  }
  return false;  // also numbers of ten bytes, negative ones, which are not usual
}

}  // namespace

bool read_usual_event(std::string_view event, UsualEvent& usual) {
  constexpr char kMetadataTag = 0x08, kOffsetTag = 0x10, kDurationTag = 0x18, kStatTag = 0x22;
  const char* at = event.data();
  const char* const end = at + event.size();
  std::uint64_t number = 0;
  if (at == end || *at++ != kMetadataTag || !take_minimal_varint(at, end, number)) return false;
  usual.head = between(event.data(), at);
  if (at == end || *at++ != kOffsetTag || !take_minimal_varint(at, end, number)) return false;
  usual.times = {static_cast<std::int64_t>(number), 0, true, false};
  if (at != end && *at == kDurationTag) {
    if (!take_minimal_varint(++at, end, number)) return false;
    usual.times.duration_ps = static_cast<std::int64_t>(number);
    usual.times.has_duration = true;
  }
  usual.stats = between(at, end);
  while (at != end) {
    if (end - at < 2 || *at != kStatTag) return false;
    const auto length = static_cast<unsigned char>(at[1]);
    if (length >= 0x80 || end - at - 2 < length) return false;
    at += 2 + length;
  }
  return true;
}

}  // namespace orrery::xspace
