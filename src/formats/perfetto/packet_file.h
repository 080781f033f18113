// The packets of a Perfetto trace, one after the other, with those that are compressed in the place where they stand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/io/file_content.h"
#include "base/protobuf/protobuf_wire.h"
#include "base/result.h"
#include "formats/perfetto/schema.h"

namespace orrery::perfetto {

/// A packet where it lies. `offset`: of it, or of the compressed packet it was in, in the inflated file.
struct Packet {
  std::string_view bytes;
  std::uint64_t offset = 0;
};

class PacketFile {
 public:
  /// Finds all packets and inflates the compressed ones, each at most as far as base/limits.h lets a file of its size.
  /// Damage is an Error; with `salvage` it ends the trace, and damage() tells it. `on_packet` sees each packet that
  /// for_each will give, in the same order, while they are found: a first look costs no walk of its own.
  static Result<PacketFile> open(const std::string& path, bool salvage,
                                 const std::function<void(std::uint64_t)>& on_progress,
                                 const std::function<void(std::string_view)>& on_packet);

  [[nodiscard]] const FileContent& content() const { return content_; }
  [[nodiscard]] const std::optional<Error>& damage() const { return damage_; }

  /// Calls f(Packet) for each, in the order of the file.
  template <typename F>
  void for_each(const F& f) const {
    for (const Stretch& stretch : stretches_) walk(stretch, f);
  }

 private:
  /// A piece of the file, or what one compressed packet inflated to: whole packets with their tags and lengths.
  struct Stretch {
    std::string_view bytes;
    std::uint64_t offset = 0;
    bool is_inflated = false;
  };

  explicit PacketFile(FileContent content) : content_(std::move(content)) {}
  template <typename F>
  static void walk(const Stretch& stretch, const F& f);
  using OnPacket = std::function<void(std::string_view)>;
  Status find_stretches(const OnPacket& on_packet);
  Status inflate(std::string_view compressed, bool is_zstd, std::uint64_t offset, const OnPacket& on_packet);

  FileContent content_;
  std::vector<Stretch> stretches_;
  std::vector<Column<char>> inflated_;
  std::optional<Error> damage_;
};

// Inlined: it runs once per packet.
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
