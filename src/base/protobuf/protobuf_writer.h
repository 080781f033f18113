// Messages of protocol buffers written field by field, in the order of the calls, as protobuf's own writers would lay
// them out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/protobuf/protobuf_wire.h"

namespace orrery {

/// Appends the fields of one message to a text. Nothing is left out because it is 0 or empty: where a schema wants
/// that, the caller asks. The exceptions are what protobuf's writers leave out too: an empty packed list, and a nested
/// message to which nothing was added.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  /// A nested message, open until this writer is destroyed; `outer` must not be written to meanwhile.
  WireWriter(WireWriter& outer, std::uint32_t number) : out_(outer.out_), before_(out_.size()) {
    append_varint(out_, wire_tag(number, WireType::bytes));
    content_ = out_.size();
  }
  ~WireWriter() {
    if (content_ == 0) return;  // not nested: a tag is in front of what is
    if (out_.size() == content_) {
      out_.resize(before_);
      return;
    }
    // The length is known only now. Its bytes are few and nested messages small: moving them is cheaper than measuring
    // them first.
    std::array<char, 10> length;
    const std::size_t size = out_.size() - content_;
    out_.insert(content_, length.data(), static_cast<std::size_t>(put_varint(length.data(), size) - length.data()));
  }
  WireWriter(const WireWriter&) = delete;
  WireWriter& operator=(const WireWriter&) = delete;

  /// An integer, an enumerator or a bool as a varint. Negative ones take ten bytes, as protobuf wants of int32 too.
  template <typename T>
    requires std::is_integral_v<T>
  void add_number(std::uint32_t number, T value) { append_number(out_, number, widened(value)); }
  /// A sint32 or sint64.
  void add_zigzag(std::uint32_t number, std::int64_t value) { append_number(out_, number, zigzag(value)); }
  /// A float, double, fixed32, fixed64, sfixed32 or sfixed64, by its size.
  template <typename T>
  void add_fixed(std::uint32_t number, T value) {
    append_varint(out_, wire_tag(number, sizeof(T) == 8 ? WireType::fixed64 : WireType::fixed32));
    append_fixed(value);
  }
  /// A text, bytes, or a message that was written elsewhere.
  void add_bytes(std::uint32_t number, std::string_view bytes) { append_bytes(out_, number, bytes); }

  // Lists of numbers in one field; `values` is anything that a for loop goes over.

  void add_packed(std::uint32_t number, const auto& values) {
    const WireWriter list(*this, number);
    for (const auto value : values) append_varint(out_, widened(value));
  }
  void add_packed_zigzag(std::uint32_t number, const auto& values) {
    const WireWriter list(*this, number);
    for (const auto value : values) append_varint(out_, zigzag(value));
  }
  void add_packed_fixed(std::uint32_t number, const auto& values) {
    const WireWriter list(*this, number);
    for (const auto value : values) append_fixed(value);
  }

 private:
  template <typename T>
  static std::uint64_t widened(T value) {
    if constexpr (std::is_signed_v<T>) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    else return value;
  }

  template <typename T>
  void append_fixed(T value) {
    static_assert(std::endian::native == std::endian::little && (sizeof(T) == 4 || sizeof(T) == 8));
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
  }

  std::string& out_;
  std::size_t before_ = 0,
              content_ = 0;  // of a nested message: where its tag begins, and where that ends; 0: not nested
};

/// Appends a message of a stream of messages: its length, then itself. What RecordReader reads.
inline void append_record(std::string& out, std::string_view message) {
  append_varint(out, message.size());
  out += message;
}

}  // namespace orrery
