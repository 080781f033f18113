#include "base/json/json_writer.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <simdjson.h>

#include <cmath>
#include <limits>

#include "base/utf8.h"

namespace orrery {
namespace {

// The whole range of doubles, not only the round ones that a generator likes.
double any_double() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("commas and nesting") {
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .field("a", 1)
      .key("b")
      .begin_array()
      .value("x")
      .value(true)
      .null()
      .begin_object()
      .end_object()
      .end_array();
  json.field("c", -2.5).key("d").raw("[1,2]").key("e").begin_array().end_array().end_object();
  CHECK(out == R"({"a":1,"b":["x",true,null,{}],"c":-2.5,"d":[1,2],"e":[]})");
}

TEST_CASE("integers are exact at their limits, numbers that JSON lacks are null") {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(std::numeric_limits<std::int64_t>::min()).value(~std::uint64_t{0}).value(std::int8_t{-1});
  json.value(std::nan("")).value(std::numeric_limits<double>::infinity()).end_array();
  CHECK(out == "[-9223372036854775808,18446744073709551615,-1,null,null]");
}

TEST_CASE("any text comes back through another parser") {
  simdjson::dom::parser parser;
  CHECK(rc::check([&](const std::string& text) {
    std::string out;
    append_json_string(out, text);
    const std::string_view read = parser.parse(out).get_string();
    RC_ASSERT(read == repair_utf8(text));
  }));
}

TEST_CASE("every single byte comes back, or as U+FFFD") {
  simdjson::dom::parser parser;
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const std::string text(1, static_cast<char>(byte));
    std::string out;
    append_json_string(out, text);
    const std::string_view read = parser.parse(out).get_string();
    CHECK(read == (byte < 0x80 ? std::string_view(text) : kUtf8Replacement));
  }
}

TEST_CASE("any number comes back to the same bits") {
  simdjson::dom::parser parser;
  CHECK(rc::check([&](std::int64_t integer) {
    const double number = any_double();
    RC_PRE(std::isfinite(number));
    std::string out;
    JsonWriter(out).begin_array().value(number).value(integer).end_array();
    const simdjson::dom::array read = parser.parse(out).get_array();
    RC_ASSERT(double(read.at(0).get_double()) == number);
    RC_ASSERT(std::int64_t(read.at(1).get_int64()) == integer);
  }));
}

}  // namespace orrery
