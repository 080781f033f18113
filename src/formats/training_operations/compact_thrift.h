// The compact protocol of Thrift, as far as the headers of Parquet files need it: structs are walked field by field,
// and what nobody asks for is passed over.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::training_operations {

class CompactThrift {
 public:
  enum Type : std::uint8_t {
    kStop = 0,
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kI16 = 4,
    kI32 = 5,
    kI64 = 6,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStruct = 12,
  };

  explicit CompactThrift(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  /// False once anything was wrong; every value is 0 or empty from then on.
  [[nodiscard]] bool is_good() const { return is_good_; }
  /// Bytes that were read.
  [[nodiscard]] std::size_t used() const { return size_ - rest_.size(); }

  /// Calls visit(id, type) for each field of the struct that begins here; it reads the value, or returns false for one
  /// that is to be passed over.
  template <typename Visit>
  void read_struct(Visit&& visit) {
    if (++depth_ > kMostDepth) return fail();
    std::int64_t id = 0;
    while (is_good_) {
      const std::uint8_t head = take_byte();
      if (head == kStop) break;
      const auto type = static_cast<Type>(head & 0x0f);
      id = head >> 4 != 0 ? id + (head >> 4) : take_integer();
      if (!visit(id, type)) skip(type);
    }
    --depth_;
  }

  /// Calls visit(type) for each element of the list that begins here, which reads it or returns false.
  template <typename Visit>
  void read_list(Visit&& visit) {
    const std::uint8_t head = take_byte();
    const auto type = static_cast<Type>(head & 0x0f);
    const std::uint64_t count = head >> 4 == 15 ? take_unsigned() : head >> 4;
    // Each takes a byte at least.
    if (count > rest_.size()) return fail();
    for (std::uint64_t i = 0; i < count && is_good_; ++i) {
      if (!visit(type)) skip(type);
    }
  }

  std::int64_t take_integer() {
    const std::uint64_t value = take_unsigned();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  std::string_view take_binary() {
    const std::uint64_t size = take_unsigned();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

 private:
  static constexpr int kMostDepth = 32;  // a Parquet header has five levels

  void fail() {
    is_good_ = false;
    rest_ = {};
  }

  std::uint8_t take_byte() {
    if (rest_.empty()) {
      fail();
      return 0;
    }
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::uint64_t take_unsigned() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = take_byte();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  void skip(Type type) {
    switch (type) {
      case kTrue:
      case kFalse: return;  // the type is the value
      case kByte: take_byte(); return;
      case kI16:
      case kI32:
      case kI64: take_unsigned(); return;
      case kDouble:
        for (int i = 0; i < 8; ++i) take_byte();
        return;
      case kBinary: take_binary(); return;
      case kList:
      case kSet:
        if (++depth_ > kMostDepth) return fail();
        read_list([](Type) { return false; });
        --depth_;
        return;
      case kStruct: read_struct([](std::int64_t, Type) { return false; }); return;
      default: fail();  // maps do not occur in Parquet's headers
    }
  }

  std::string_view rest_;
  std::size_t size_;
  bool is_good_ = true;
  int depth_ = 0;
};

}  // namespace orrery::training_operations
