#include "base/protobuf/protobuf_wire.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <limits>

namespace orrery {
namespace {

TEST_CASE("numbers are written in the fewest bytes and read back") {
  CHECK(varint_size(0) == 1);
  CHECK(varint_size(127) == 1);
  CHECK(varint_size(128) == 2);
  CHECK(varint_size(~std::uint64_t{0}) == 10);
  CHECK(rc::check([](std::uint64_t value, unsigned shift) {
    value >>= shift % 64;
    std::string bytes;
    append_number(bytes, 3, value);
    RC_ASSERT(bytes.size() == 1 + varint_size(value));
    WireReader cursor(bytes);
    WireField field;
    RC_ASSERT(cursor.next(field));
    RC_ASSERT(field.is(3, WireType::varint));
    RC_ASSERT(field.value == value);
    RC_ASSERT(field.whole() == bytes);
    RC_ASSERT(!cursor.next(field) && !cursor.damaged());
  }));
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max()})
    CHECK(unzigzag(zigzag(value)) == value);
}

TEST_CASE("damage ends the walk at the field that is damaged") {
  using namespace std::string_view_literals;
  const auto failure_at = [](std::string_view bytes) {
    WireReader cursor(bytes);
    WireField field;
    while (cursor.next(field)) {
    }
    REQUIRE(cursor.damaged());
    CHECK_FALSE(cursor.next(field));
    return cursor.position() - bytes.data();
  };
  CHECK(failure_at("\x08\x01\x12\x05"
                   "abcd"sv) == 2);                                              // four bytes of five
  CHECK(failure_at("\x08\x01\x08\x80"sv) == 2);                                  // a number that does not end
  CHECK(failure_at("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv) == 0);  // more than ten bytes
  CHECK(failure_at("\x00\x01"sv) == 0);                                          // there is no field 0
  CHECK(failure_at("\x0B\x0C"sv) == 0);                                          // groups are not known
  CHECK(failure_at("\x09\x01\x02\x03"sv) == 0);                                  // 8 bytes announced
  CHECK(failure_at("\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv) == 0);      // a length that would wrap around
}

TEST_CASE("of a number of ten bytes the bits beyond 64 are dropped, as protobuf does") {
  using namespace std::string_view_literals;
  WireReader reader("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"sv);
  WireField field;
  REQUIRE(reader.next(field));
  CHECK(field.value == ~std::uint64_t{0});
  CHECK_FALSE(reader.next(field));
  CHECK_FALSE(reader.damaged());
}

TEST_CASE("records are taken off one after the other, and one that is cut off is none") {
  using namespace std::string_view_literals;
  RecordReader records(
      "\x02"
      "ab\x00\x03"
      "cd"sv);
  CHECK(records.next() == "ab"sv);
  CHECK(records.next() == ""sv);
  CHECK(records.position() == 4);
  CHECK_FALSE(records.at_end());
  CHECK_FALSE(records.next().has_value());
}

TEST_CASE("fixed numbers and nested messages") {
  std::string bytes("\x11\x00\x00\x00\x00\x00\x00\xF0\x3F\x1D\x2A\x00\x00\x00", 14);
  append_bytes(bytes, 4, "inside");
  WireReader cursor(bytes);
  WireField field;
  REQUIRE(cursor.next(field));
  CHECK(std::bit_cast<double>(field.value) == 1.0);
  REQUIRE(cursor.next(field));
  CHECK(field.is(3, WireType::fixed32));
  CHECK(field.value == 42);
  REQUIRE(cursor.next(field));
  CHECK(field.bytes == "inside");
}

}  // namespace
}  // namespace orrery
