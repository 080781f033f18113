// Numbers and texts taken off bytes that are not to be trusted.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/protobuf/protobuf_wire.h"
#include "tracer/layout.h"

namespace orrery::mpitrace {

/// Once something is not there, nothing more is: failed() then says so, and all numbers are 0. Callers check once, at
/// the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (!take_varint(at_, end_, value)) return fail();
    return value;
  }
  std::int64_t signed_number() { return tracer::unzigzag(number()); }
  std::uint8_t byte() {
    if (at_ == end_) return static_cast<std::uint8_t>(fail());
    return static_cast<std::uint8_t>(*at_++);
  }
  std::string_view text() { return raw(number()); }
  std::string_view raw(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) return fail(), std::string_view();
    const char* begin = at_;
    at_ += bytes;
    return {begin, static_cast<std::size_t>(bytes)};
  }
  std::string_view rest() { return raw(static_cast<std::uint64_t>(end_ - at_)); }
  /// How many things of at least one byte each there can still be: what a count is held against before memory is taken
  /// for it.
  [[nodiscard]] std::uint64_t left() const { return static_cast<std::uint64_t>(end_ - at_); }
  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] bool failed() const { return failed_; }
  std::uint64_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  const char* at_;
  const char* end_;
  bool failed_ = false;
};

}  // namespace orrery::mpitrace
