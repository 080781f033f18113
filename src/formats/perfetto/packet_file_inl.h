// Inlined parts of packet_file.h: they run once per packet.
#pragma once

#include "base/protobuf/protobuf_wire.h"
#include "formats/perfetto/schema.h"

namespace orrery::perfetto {

template <typename F>
void PacketFile::walk(const Stretch& stretch, const F& f) {
  constexpr char kTag = static_cast<char>(wire_tag(trace_field::kPacket, WireType::bytes));
  WireReader reader(stretch.bytes);
  std::string_view packet;
  WireField field;
  for (;;) {
    const char* const at = reader.position();
    const std::uint64_t offset =
        stretch.is_inflated ? stretch.offset : stretch.offset + static_cast<std::uint64_t>(at - stretch.bytes.data());
    if (reader.next_bytes(kTag, packet)) f(Packet{packet, offset});
    // Other members of a Trace are of no meaning to us; damage was found before.
    else if (!reader.next(field)) return;
  }
}

}  // namespace orrery::perfetto
