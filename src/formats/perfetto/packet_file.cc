#include "formats/perfetto/packet_file.h"

#include <algorithm>
#include <utility>

#include "base/io/inflate.h"
#include "base/io/inflate_zlib.h"

// The file is cut at its compressed packets: what lies between two of them is one stretch, what one of them holds is
// another. So later passes see nothing but packets.

namespace orrery::perfetto {
namespace {

constexpr const char* kSalvageHint = "copy the file again";

Error damage_at(const std::string& path, std::uint64_t offset, std::string what) {
  return {.message = std::move(what), .file = path, .offset = offset, .hint = kSalvageHint, .remedy = Remedy::salvage};
}

/// The compressed packets in a packet, if it holds such.
bool find_compressed(std::string_view packet, std::string_view& compressed, bool& is_zstd) {
  // Whoever compresses packets puts them into a packet with nothing else: the first field tells. Its number takes more
  // than one byte, and those of nearly all other packets do not.
  if (packet.empty() || static_cast<unsigned char>(packet.front()) < 0x80) return false;
  WireReader reader(packet);
  WireField field;
  if (!reader.next(field) || !field.is_bytes()) return false;
  if (field.number != packet_field::kCompressed && field.number != packet_field::kZstdCompressed) return false;
  compressed = field.bytes;
  is_zstd = field.number == packet_field::kZstdCompressed;
  return true;
}

}  // namespace

Result<PacketFile> PacketFile::open(const std::string& path, bool salvage,
                                    const std::function<void(std::uint64_t)>& on_progress,
                                    const std::function<void(std::string_view)>& on_packet) {
  Result<FileContent> content = FileContent::open(path, on_progress);
  if (!content) return content.error();
  PacketFile file(std::move(*content));
  if (const Status found = file.find_stretches(on_packet); !found) {
    if (!salvage) return found.error();
    file.damage_ = found.error();
  }
  if (on_progress && !file.content_.is_compressed()) on_progress(file.content_.file_bytes());
  return file;
}

Status PacketFile::find_stretches(const OnPacket& on_packet) {
  const std::string_view bytes = content_.bytes();
  WireReader reader(bytes);
  WireField field;
  const char* begin = bytes.data();
  const auto cut = [&](const char* end) {
    if (end != begin) stretches_.push_back({between(begin, end), content_.offset_of(begin), false});
  };
  while (reader.next(field)) {
    std::string_view compressed;
    bool is_zstd = false;
    if (!field.is(trace_field::kPacket, WireType::bytes)) continue;
    if (!find_compressed(field.bytes, compressed, is_zstd)) {
      on_packet(field.bytes);
      continue;
    }
    cut(field.begin);
    begin = field.end;
    if (const Status inflated = inflate(compressed, is_zstd, content_.offset_of(field.begin), on_packet); !inflated)
      return inflated;
  }
  cut(reader.position());
  if (reader.damaged())
    return damage_at(content_.path(), content_.offset_of(reader.position()), "the trace ends inside a packet");
  return {};
}

Status PacketFile::inflate(std::string_view compressed, bool is_zstd, std::uint64_t offset, const OnPacket& on_packet) {
  constexpr std::size_t kPieceBytes = 1u << 20;
  const auto inflater = is_zstd ? make_inflater(Compression::zstd, compressed, content_.path())
                                : make_zlib_inflater(compressed, content_.path());
  Column<char>& out = inflated_.emplace_back();
  for (;;) {
    const std::size_t had = out.size();
    // In pieces, so that what was made to fill a memory is found out before it does.
    out.resize_uninitialized(had + std::clamp(2 * compressed.size(), std::size_t{4096}, kPieceBytes));
    const Result<std::size_t> got = inflater->read({out.data() + had, out.size() - had});
    if (!got) return damage_at(content_.path(), offset, "compressed packets: " + got.error().message);
    const bool is_end = *got < out.size() - had;
    out.resize_uninitialized(had + *got);
    if (is_end) break;
  }
  const std::string_view packets(out.data(), out.size());
  WireReader reader(packets);
  WireField field;
  while (reader.next(field)) {
    std::string_view nested;
    if (field.is(trace_field::kPacket, WireType::bytes) && find_compressed(field.bytes, nested, is_zstd))
      return damage_at(content_.path(), offset, "compressed packets hold compressed packets");
  }
  if (reader.damaged()) return damage_at(content_.path(), offset, "the compressed packets are damaged inside");
  stretches_.push_back({packets, offset, true});
  walk(stretches_.back(), [&](const Packet& packet) { on_packet(packet.bytes); });
  return {};
}

}  // namespace orrery::perfetto
