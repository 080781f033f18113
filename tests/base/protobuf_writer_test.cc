// Messages written by us and by a library that is not ours must be the same bytes.
#include "base/protobuf/protobuf_writer.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace orrery {
namespace {

// One field of a random kind, in a message of ours and in one of theirs.
void add_random_field(WireWriter& ours, protozero::pbf_writer& theirs, int depth) {
  const auto number = *rc::gen::inRange<std::uint32_t>(1, 20'000 - 1);
  if (number >= 19'000) return;  // reserved: theirs refuses
  const auto value = *rc::gen::arbitrary<std::int64_t>();
  const auto small = static_cast<std::int32_t>(value);
  const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto list = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::arbitrary<std::int64_t>());
  const std::vector<double> reals(list.begin(), list.end());
  switch (*rc::gen::inRange(0, 12)) {
    case 0: ours.add_number(number, value), theirs.add_int64(number, value); break;
    case 1: ours.add_number(number, small), theirs.add_int32(number, small); break;
    case 2:
      ours.add_number(number, static_cast<std::uint64_t>(value)),
          theirs.add_uint64(number, static_cast<std::uint64_t>(value));
      break;
    case 3: ours.add_number(number, value > 0), theirs.add_bool(number, value > 0); break;
    case 4: ours.add_zigzag(number, value), theirs.add_sint64(number, value); break;
    case 5: ours.add_fixed(number, small), theirs.add_sfixed32(number, small); break;
    case 6:
      ours.add_fixed(number, static_cast<double>(value)), theirs.add_double(number, static_cast<double>(value));
      break;
    case 7: ours.add_bytes(number, text), theirs.add_bytes(number, text); break;
    case 8: ours.add_packed(number, list), theirs.add_packed_int64(number, list.begin(), list.end()); break;
    case 9: ours.add_packed_zigzag(number, list), theirs.add_packed_sint64(number, list.begin(), list.end()); break;
    case 10: ours.add_packed_fixed(number, reals), theirs.add_packed_double(number, reals.begin(), reals.end()); break;
    default: {
      WireWriter inner(ours, number);
      protozero::pbf_writer their_inner(theirs, number);
      const int fields = depth == 0 ? 0 : *rc::gen::inRange(0, 4);
      for (int i = 0; i < fields; ++i) add_random_field(inner, their_inner, depth - 1);
    }
  }
}

TEST_CASE("messages of random fields are laid out as another library lays them out") {
  rc::check([] {
    std::string ours, theirs;
    {
      WireWriter our_writer(ours);
      protozero::pbf_writer their_writer(theirs);
      const int fields = *rc::gen::inRange(0, 8);
      for (int i = 0; i < fields; ++i) add_random_field(our_writer, their_writer, 3);
    }
    RC_ASSERT(ours == theirs);
  });
}

TEST_CASE("zero and the empty text are written, an empty list and an empty nested message are not") {
  std::string out;
  {
    WireWriter writer(out);
    writer.add_number(1, 0);
    writer.add_bytes(2, "");
    writer.add_packed(3, std::vector<std::uint64_t>{});
    const WireWriter nested(writer, 4);
  }
  CHECK(out == std::string("\x08\x00\x12\x00", 4));
}

TEST_CASE("a nested message may be longer than one byte of length says") {
  std::string out;
  {
    WireWriter writer(out);
    WireWriter nested(writer, 1);
    nested.add_bytes(1, std::string(300, 'x'));
  }
  WireReader reader(out);
  WireField field;
  REQUIRE(reader.next(field));
  CHECK(field.bytes.size() == 303);
  CHECK_FALSE(reader.next(field));
  CHECK_FALSE(reader.damaged());
}

TEST_CASE("negative numbers of 32 bits take ten bytes, as protobuf wants") {
  std::string out;
  WireWriter(out).add_number(1, std::int32_t{-1});
  CHECK(out.size() == 11);
  WireReader reader(out);
  WireField field;
  REQUIRE(reader.next(field));
  CHECK(field.integer() == -1);
}

TEST_CASE("records are read as they were appended") {
  std::string out;
  append_record(out, "first");
  append_record(out, "");
  append_record(out, std::string(200, 'y'));
  RecordReader records(out);
  CHECK(records.next() == "first");
  CHECK(records.next() == "");
  CHECK(records.next() == std::string(200, 'y'));
  CHECK(records.at_end());
}

}  // namespace
}  // namespace orrery
