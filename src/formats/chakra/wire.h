// Protobuf's wire format, field by field, from input that is not to be trusted. No allocation, no exceptions.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace orrery::chakra {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message. Views point into the message.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;      ///< of varint, fixed32 and fixed64
  std::string_view bytes = {};  ///< of bytes: a text, a message or packed numbers
  std::string_view whole = {};  ///< tag and value, as they lie in the message

  [[nodiscard]] bool is_varint() const { return type == WireType::varint; }
  [[nodiscard]] bool is_bytes() const { return type == WireType::bytes; }
};

/// Takes a varint of at most ten bytes off [p, end); false if there is none.
inline bool take_varint(const char*& p, const char* end, std::uint64_t& value) {
  if (p != end && static_cast<signed char>(*p) >= 0) {
    value = static_cast<unsigned char>(*p++);
    return true;
  }
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 70 && p != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    if (shift < 64) result |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value = result, true;
  }
  return false;
}

/// The fields of one message in order. next() is false at the end and at damage, which damaged() tells apart. Groups, long deprecated,
/// count as damage.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : p_(message.data()), end_(message.data() + message.size()) {}

  bool next(WireField& field) {
    if (p_ == end_) return false;
    const char* const begin = p_;
    std::uint64_t tag = 0;
    if (!take_varint(p_, end_, tag) || tag > 0xffffffffu || tag < 8) return damage();
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    if (!take_value(field)) return damage();
    field.whole = {begin, static_cast<std::size_t>(p_ - begin)};
    return true;
  }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  bool take_value(WireField& field) {
    switch (field.type) {
      case WireType::varint: return take_varint(p_, end_, field.value);
      case WireType::bytes: {
        std::uint64_t length = 0;
        if (!take_varint(p_, end_, length) || length > static_cast<std::uint64_t>(end_ - p_)) return false;
        field.bytes = {p_, static_cast<std::size_t>(length)};
        p_ += length;
        return true;
      }
      case WireType::fixed64: return take_fixed<std::uint64_t>(field);
      case WireType::fixed32: return take_fixed<std::uint32_t>(field);
    }
    return false;
  }
  template <typename T>
  bool take_fixed(WireField& field) {
    if (static_cast<std::size_t>(end_ - p_) < sizeof(T)) return false;
    T value;
    std::memcpy(&value, p_, sizeof(T));  // little-endian, as every machine we run on
    field.value = value;
    p_ += sizeof(T);
    return true;
  }
  bool damage() { return damaged_ = true, p_ = end_, false; }

  const char* p_;
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

/// What a zigzag varint (sint32, sint64) means.
inline std::int64_t from_zigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

}  // namespace orrery::chakra
