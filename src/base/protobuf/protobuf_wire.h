// Protocol buffers at the level of bytes, from input that is not to be trusted: fields of one message, one after the
// other, where they stand. Nothing is copied, nested messages are bytes to be walked by a reader of their own, and
// unknown fields are fields like any other, which is what a faithful rewrite needs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

inline std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;        ///< of a varint or fixed field
  std::string_view bytes = {};    ///< of a field of bytes: text, or a nested message
  const char* begin = nullptr;    ///< the whole field: tag, length and content
  const char* content = nullptr;  ///< behind the tag and, of bytes, the length
  const char* end = nullptr;

  [[nodiscard]] bool is(std::uint32_t wanted, WireType wanted_type) const {
    return number == wanted && type == wanted_type;
  }
  [[nodiscard]] bool is_varint() const { return type == WireType::varint; }
  [[nodiscard]] bool is_bytes() const { return type == WireType::bytes; }
  [[nodiscard]] std::string_view whole() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>(value); }
};

/// The seven low bits of each of the eight bytes, one behind the other.
constexpr std::uint64_t joined_sevens(std::uint64_t bytes) {
  bytes = (bytes & 0x7F00'7F00'7F00'7F00u) >> 1 | (bytes & 0x007F'007F'007F'007Fu);
  bytes = (bytes & 0x3FFF'0000'3FFF'0000u) >> 2 | (bytes & 0x0000'3FFF'0000'3FFFu);
  return (bytes & 0x0FFF'FFFF'0000'0000u) >> 4 | (bytes & 0x0000'0000'0FFF'FFFFu);
}

/// Takes a varint off [p, end); false if it is not there in full. Of ten bytes, what goes beyond 64 bits is dropped, as
/// protobuf's own parsers do: what they read is read here.
inline bool take_varint(const char*& p, const char* end, std::uint64_t& value) {
  static_assert(std::endian::native == std::endian::little);
  if (p == end) return false;
  value = static_cast<unsigned char>(*p);
  if (value < 0x80) return ++p, true;
  if (end - p >= 2 && static_cast<unsigned char>(p[1]) < 0x80) {
    value = (value & 0x7F) | static_cast<std::uint64_t>(static_cast<unsigned char>(p[1])) << 7;
    return p += 2, true;
  }
  // Times and ids have eight to ten bytes: as long as so many are there, eight are taken at once.
  if (end - p >= 10) {
    std::memcpy(&value, p, 8);
    const std::uint64_t ends = ~value & 0x8080'8080'8080'8080u;
    if (ends != 0) {
      p += (static_cast<unsigned>(std::countr_zero(ends)) >> 3) + 1;
      value = joined_sevens(value & (ends ^ (ends - 1)) & 0x7F7F'7F7F'7F7F'7F7Fu);
      return true;
    }
    const std::uint64_t ninth = static_cast<unsigned char>(p[8]), tenth = static_cast<unsigned char>(p[9]);
    value = joined_sevens(value & 0x7F7F'7F7F'7F7F'7F7Fu) | (ninth & 0x7F) << 56;
    if (ninth < 0x80) return p += 9, true;
    value |= tenth << 63;
    return p += 10, tenth < 0x80;
  }
  value &= 0x7F;
  ++p;
  for (unsigned shift = 7; shift < 70; shift += 7) {
    if (p == end) return false;
    const std::uint64_t byte = static_cast<unsigned char>(*p++);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// The same where at least 16 bytes from p on can be read, whatever they are: the caller compares p with the end
/// afterwards. 0 bytes are taken, that is p stays, if the number has more than 8.
[[gnu::always_inline]] inline void take_padded_varint(const char*& p, std::uint64_t& value) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&value, p, 8);
  const std::uint64_t ends = ~value & 0x8080'8080'8080'8080u;
  if (ends == 0) return;
  p += (static_cast<unsigned>(std::countr_zero(ends)) >> 3) + 1;
  // The bytes up to the one that ends it, without their highest bits.
  value = joined_sevens(value & (ends ^ (ends - 1)) & 0x7F7F'7F7F'7F7F'7F7Fu);
}

/// Walks the fields of one message. Damage (a length beyond the end, a number of more than ten bytes, a group, field 0)
/// ends the walk.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  /// False at the end of the message and at damage: ask damaged() then.
  bool next(WireField& field) {
    if (at_ == end_ || damaged_) return false;
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

  /// The content of the next field if that is one of bytes with the one-byte tag `tag`; otherwise false, and the walk
  /// stays where it is. For loops over one kind of field: next() then takes what is another kind, damaged, or the end.
  bool next_bytes(char tag, std::string_view& bytes) {
    if (end_ - at_ < 2 || *at_ != tag) return false;
    const char* p = at_ + 1;
    std::uint64_t length = 0;
    if (!take_varint(p, end_, length) || length > static_cast<std::uint64_t>(end_ - p)) return false;
    bytes = {p, static_cast<std::size_t>(length)};
    at_ = p + length;
    return true;
  }

  [[nodiscard]] bool damaged() const { return damaged_; }
  /// Where the walk stands; after damage, the start of the field that is damaged.
  [[nodiscard]] const char* position() const { return at_; }

 private:
  bool varint(std::uint64_t& value) { return take_varint(at_, end_, value); }

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
    damaged_ = true;
    at_ = where;
    return false;
  }

  const char* at_;
  const char* end_;
  bool damaged_ = false;
};

/// A stream of messages, each with its length in front.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  /// Where the record begins that next() gives.
  [[nodiscard]] std::size_t position() const { return at_; }
  /// Nothing if the bytes end inside it.
  std::optional<std::string_view> next() {
    const char* p = bytes_.data() + at_;
    const char* const end = bytes_.data() + bytes_.size();
    std::uint64_t length = 0;
    if (!take_varint(p, end, length) || length > static_cast<std::uint64_t>(end - p)) return std::nullopt;
    at_ = static_cast<std::size_t>(p - bytes_.data()) + length;
    return std::string_view(p, length);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Bytes of `value` as a varint of the least length, 1 to 10.
constexpr std::size_t varint_size(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

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
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

}  // namespace orrery
