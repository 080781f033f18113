#include "report/bar.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "report/style.h"
#include "report/text_width.h"

namespace orrery::report {

TEST_CASE("percentages") {
  CHECK(percent(1, 4) == "25.0 %");
  CHECK(percent(0, 4) == "0.0 %");
  CHECK(percent(-0.0, 4) == "0.0 %");
  CHECK(percent(1, 100000) == "<0.1 %");
  CHECK(percent(-1, 100000) == ">-0.1 %");
  CHECK(percent(-1, 4) == "-25.0 %");
  CHECK(percent(3, 2) == "150.0 %");
  CHECK(percent(1, 0) == "-");
  CHECK(percent(0, 0) == "-");
}

TEST_CASE("bars") {
  CHECK(bar(0, 4) == "");
  CHECK(bar(-1, 4) == "");
  CHECK(bar(std::nan(""), 4) == "");
  CHECK(bar(1, 4) == "████");
  CHECK(bar(7, 4) == "████");
  CHECK(bar(0.5, 4) == "██");
  CHECK(bar(0.53125, 4) == "██▏");
  CHECK(bar(1e-9, 4) == "▏");
  CHECK(bar(0.5, 0) == "");
}

TEST_CASE("a larger share never has a shorter bar") {
  CHECK(rc::check([] {
    const double a = *rc::gen::inRange(0, 1000) / 1000.0, b = *rc::gen::inRange(0, 1000) / 1000.0;
    const std::string shorter = bar(std::min(a, b), 10), longer = bar(std::max(a, b), 10);
    RC_ASSERT(display_width(shorter) <= display_width(longer));
    RC_ASSERT(display_width(longer) <= 10u);
  }));
}

TEST_CASE("style paints only when asked") {
  CHECK(Style().paint(Tone::bad, "x") == "x");
  CHECK(Style(true).paint(Tone::bad, "x") == "\x1b[31mx\x1b[0m");
  CHECK(Style(true).paint(Tone::plain, "x") == "x");
  CHECK(Style(true).paint(Tone::bad, "") == "");
  CHECK_FALSE(terminal_has_colour(-1));
  CHECK(terminal_columns(-1, 77) == 77);
}

}  // namespace orrery::report
