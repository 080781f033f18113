#include "report/html_writer.h"

#include <doctest/doctest.h>

using namespace orrery;

TEST_CASE("names stay text in HTML") {
  CHECK(report::html_text("</script><b onload='x'>&\"") == "&lt;/script&gt;&lt;b onload=&#39;x&#39;&gt;&amp;&quot;");
  CHECK(report::html_text("a\tb\nc") == "a\tb\nc");
  CHECK(report::html_text(std::string_view("a\0b\x1F", 4)) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  CHECK(report::html_text("\xFFz") == "\xEF\xBF\xBDz");
  CHECK(report::html_text("\u202Eevil\u2066") ==
        "U+202Eevil"
        "U+2066");
  CHECK(report::html_text("Größe \u2026") == "Größe \u2026");
}

TEST_CASE("attributes are escaped, elements nest as they are written") {
  std::string out;
  report::HtmlWriter html(out);
  html.open("tr", {{"data-kind", "a\"b"}}).element("td", {}, "1 < 2").close("tr");
  CHECK(out == "<tr data-kind=\"a&quot;b\"><td>1 &lt; 2</td></tr>");
}
