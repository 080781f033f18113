// Protocol buffers at the level of bytes: fields of one message, one after the other, where they stand. Nothing is copied, nested messages are
// bytes to be walked by a cursor of their own, and unknown fields are fields like any other, which is what a faithful rewrite needs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace orrery::xspace {

inline std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;        ///< of a varint or fixed field
  std::string_view bytes = {};    ///< of a field of bytes: text, or a nested message
  const char* begin = nullptr;    ///< the whole field: tag, length and content
  const char* content = nullptr;  ///< behind the tag and, of bytes, the length
  const char* end = nullptr;

  [[nodiscard]] bool is(std::uint32_t wanted, WireType wanted_type) const { return number == wanted && type == wanted_type; }
  [[nodiscard]] std::string_view whole() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>(value); }
};

/// Walks the fields of one message. Damage (a length beyond the end, a number of more than ten bytes, a group, field 0) ends the walk.
class WireCursor {
 public:
  explicit WireCursor(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  /// False at the end of the message and at damage: ask failed() then.
  bool next(WireField& field) {
    if (at_ == end_ || failed_) return false;
    field.begin = at_;
    std::uint64_t tag = 0;
    if (!varint(tag) || tag < 8 || tag > 0xFFFF'FFFF) return fail(field.begin);
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    switch (field.type) {
      case WireType::varint:
        field.content = at_;
        if (!varint(field.value)) return fail(field.begin);
        break;
      case WireType::bytes: {
        std::uint64_t length = 0;
        if (!varint(length) || length > static_cast<std::uint64_t>(end_ - at_)) return fail(field.begin);
        field.content = at_;
        field.bytes = {at_, static_cast<std::size_t>(length)};
        at_ += length;
        break;
      }
      case WireType::fixed64:
        if (!fixed(field, 8)) return fail(field.begin);
        break;
      case WireType::fixed32:
        if (!fixed(field, 4)) return fail(field.begin);
        break;
      default: return fail(field.begin);
    }
    field.end = at_;
    return true;
  }

  [[nodiscard]] bool failed() const { return failed_; }
  /// Where the walk stands; after a failure, the start of the field that is damaged.
  [[nodiscard]] const char* position() const { return at_; }

 private:
  bool varint(std::uint64_t& value) {
    if (at_ == end_) return false;
    value = static_cast<unsigned char>(*at_++);
    if (value < 0x80) return true;
    value &= 0x7F;
    for (unsigned shift = 7; shift < 70; shift += 7) {
      if (at_ == end_) return false;
      const std::uint64_t byte = static_cast<unsigned char>(*at_++);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return shift < 63 || byte <= 1;
    }
    return false;
  }

  bool fixed(WireField& field, std::size_t size) {
    static_assert(std::endian::native == std::endian::little);
    if (static_cast<std::size_t>(end_ - at_) < size) return false;
    field.content = at_;
    field.value = 0;
    std::memcpy(&field.value, at_, size);
    at_ += size;
    return true;
  }

  bool fail(const char* where) {
    failed_ = true;
    at_ = where;
    return false;
  }

  const char* at_;
  const char* end_;
  bool failed_ = false;
};

/// Bytes of `value` as a varint of the least length, 1 to 10.
constexpr std::size_t varint_size(std::uint64_t value) { return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7; }

inline char* put_varint(char* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

inline void append_varint(std::string& out, std::uint64_t value) {
  std::array<char, 10> bytes;
  out.append(bytes.data(), static_cast<std::size_t>(put_varint(bytes.data(), value) - bytes.data()));
}

constexpr std::uint64_t wire_tag(std::uint32_t number, WireType type) {
  return std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type);
}

inline void append_number(std::string& out, std::uint32_t number, std::uint64_t value) {
  append_varint(out, wire_tag(number, WireType::varint));
  append_varint(out, value);
}

inline void append_bytes(std::string& out, std::uint32_t number, std::string_view bytes) {
  append_varint(out, wire_tag(number, WireType::bytes));
  append_varint(out, bytes.size());
  out += bytes;
}

/// Signed numbers so that small ones of either sign are short.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1))); }

}  // namespace orrery::xspace
