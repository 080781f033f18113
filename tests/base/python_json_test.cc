// JSON as Python's json.dump(indent=4) lays it out: what `python3 -c 'import json, sys; json.dump(json.load(sys.stdin),
// sys.stdout, indent=4)'` prints.
#include "base/json/python_json.h"

#include <doctest/doctest.h>

namespace orrery {
namespace {

std::string python(std::string_view json, std::size_t depth = 0) {
  std::string out;
  append_python_json(out, json, depth);
  return out;
}

}  // namespace

TEST_CASE("one member or entry per line, and nothing between the brackets of what is empty") {
  CHECK(python(R"( {"a":1 ,"b" : [ ], "c":{},"d":[1,[2]]} )") ==
        "{\n    \"a\": 1,\n    \"b\": [],\n    \"c\": {},\n    \"d\": [\n        1,\n        [\n            2\n        "
        "]\n    ]\n}");
  CHECK(python("[true]", 1) == "[\n        true\n    ]");
  CHECK(python("{ }") == "{}");
}

TEST_CASE("numbers: whole ones of any size as they are, others as repr() has them") {
  for (const auto& [written, read] : {std::pair<const char*, const char*>{"17", "17"},
                                      {"-0", "0"},
                                      {"123456789012345678901234567890", "123456789012345678901234567890"},
                                      {"1.50", "1.5"},
                                      {"1.0", "1.0"},
                                      {"1e5", "100000.0"},
                                      {"1E-5", "1e-05"},
                                      {"0.10000000000000001", "0.1"},
                                      {"1695835542516428.250", "1695835542516428.2"},
                                      {"1e16", "1e+16"},
                                      {"1e400", "Infinity"},
                                      {"-1e-400", "-0.0"},
                                      {"null", "null"},
                                      {"false", "false"},
                                      {"NaN", "NaN"}}) {
    CHECK(python(written) == read);
  }
}

TEST_CASE("texts: in ASCII, with the shortest escapes") {
  CHECK(python(R"("plain: a, {b} [c]")") == R"("plain: a, {b} [c]")");
  CHECK(python(R"("a\/b \u0041 \" \\ \n\t\b\f\r \u001f")") == R"("a/b A \" \\ \n\t\b\f\r \u001f")");
  CHECK(python("\"\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x94\xA5 \x7F\"") == R"("\u00e9 \u6f22 \ud83d\udd25 \u007f")");
  CHECK(python(R"({"\u00e9":"\ud83d\udd25"})") == "{\n    \"\\u00e9\": \"\\ud83d\\udd25\"\n}");
}

}  // namespace orrery
