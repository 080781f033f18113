#include "report/text_width.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace orrery::report {

TEST_CASE("width is counted in columns, not in bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("gemm") == 4);
  CHECK(display_width("µs…×") == 4);
  CHECK(display_width("模型") == 4);
  CHECK(display_width("e\xCC\x81") == 1);  // e and a combining accent
  CHECK(display_width("\xFF\xFE") == 2);   // not UTF-8
}

TEST_CASE("printable text has no effect on a terminal") {
  CHECK(printable("a\nb\tc\x1b[0m") == "a b c [0m");
  CHECK(printable("cut\xE2\x80") == "cut\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(printable("\xC2\x9B[m") == " [m");  // the one-character CSI
  CHECK(rc::check([](const std::string& text) {
    const std::string clean = printable(text);
    RC_ASSERT(is_valid_utf8(clean));
    for (const char c : clean) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    RC_ASSERT(printable(clean) == clean);
  }));
}

TEST_CASE("truncation keeps both ends and fits") {
  CHECK(truncate_middle("ampere_sgemm_128x64_tn", 12) == "ampere…64_tn");
  CHECK(truncate_middle("short", 5) == "short");
  CHECK(truncate_middle("abcdef", 1) == "…");
  CHECK(truncate_middle("abcdef", 0) == "");
  CHECK(truncate_middle("模型模型", 5) == "模…型");
  CHECK(rc::check([](const std::string& raw) {
    const std::string text = printable(raw);
    const auto columns = *rc::gen::inRange<std::size_t>(0, 40);
    const std::string cut = truncate_middle(text, columns);
    RC_ASSERT(display_width(cut) <= columns);
    RC_ASSERT(is_valid_utf8(cut));
    if (display_width(text) <= columns) RC_ASSERT(cut == text);
  }));
}

TEST_CASE("padding is by columns") {
  CHECK(pad_right("µs", 4) == "µs  ");
  CHECK(pad_left("µs", 4) == "  µs");
  CHECK(pad_left("longer", 4) == "longer");
}

TEST_CASE("wrapping") {
  CHECK(wrap("", 10, 2) == "");
  CHECK(wrap("one two three", 9, 2) == "  one two\n  three\n");
  CHECK(wrap("a  b\nc", 20, 0) == "a b c\n");
  CHECK(wrap("first\n\nsecond", 20, 1) == " first\n\n second\n");
  CHECK(wrap("averylongword x", 5, 0) == "averylongword\nx\n");
}

}  // namespace orrery::report
