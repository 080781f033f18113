#include "base/utf8.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <simdjson.h>

namespace orrery {

TEST_CASE("the limits of every sequence length") {
  CHECK(is_valid_utf8(""));
  CHECK(is_valid_utf8("\x7F"));
  CHECK(is_valid_utf8("\xC2\x80\xDF\xBF"));
  CHECK(is_valid_utf8("\xE0\xA0\x80\xEF\xBF\xBF"));
  CHECK(is_valid_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
  CHECK_FALSE(is_valid_utf8("\xC0\x80"));          // overlong
  CHECK_FALSE(is_valid_utf8("\xE0\x9F\xBF"));      // overlong
  CHECK_FALSE(is_valid_utf8("\xED\xA0\x80"));      // surrogate
  CHECK_FALSE(is_valid_utf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  CHECK_FALSE(is_valid_utf8("\xE2\x82"));          // cut
  CHECK_FALSE(is_valid_utf8("\x80"));
}

TEST_CASE("agrees with simdjson on any bytes") {
  CHECK(rc::check([](const std::string& text) {
    RC_ASSERT(is_valid_utf8(text) == simdjson::validate_utf8(text.data(), text.size()));
  }));
}

TEST_CASE("a byte that is no ASCII is seen at every place of a text") {
  for (std::size_t size = 1; size < 27; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      CHECK(is_valid_utf8(text));
      text[at] = '\x80';
      CHECK_FALSE(is_valid_utf8(text));
      if (at + 1 == size) continue;
      text.replace(at, 2, "\xC3\xA4");
      CHECK(is_valid_utf8(text));
    }
  }
}

TEST_CASE("every code point is written as a valid sequence of the right length") {
  bool all_valid = true;
  for (unsigned point = 0; point <= 0x10FFFF; ++point) {
    std::string text;
    append_utf8(text, point);
    const std::size_t length = 1u + (point >= 0x80) + (point >= 0x800) + (point >= 0x10000);
    all_valid = all_valid && utf8_sequence_length(text) == text.size() && text.size() == length;
  }
  CHECK(all_valid);
  std::string surrogate;
  append_utf8(surrogate, 0xD800);
  CHECK(surrogate == kUtf8Replacement);
}

TEST_CASE("repair replaces bad bytes one by one and leaves good text alone") {
  CHECK(repair_utf8("ok µ") == "ok µ");
  CHECK(repair_utf8("a\xE2\x82z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  CHECK(rc::check([](const std::string& text) {
    const std::string repaired = repair_utf8(text);
    RC_ASSERT(is_valid_utf8(repaired));
    if (is_valid_utf8(text)) RC_ASSERT(repaired == text);
  }));
}

}  // namespace orrery
