// Python's str() of JSON values.
#include "formats/chakra/python_text.h"

#include <doctest/doctest.h>

namespace orrery::chakra {
namespace {

std::string str(std::string_view json) {
  const std::string padded = std::string(json) + std::string(64, '\0');
  std::string text;
  append_python_str(text, std::string_view(padded).substr(0, json.size()));
  return text;
}

TEST_CASE("python text: lists, words and whole numbers") {
  CHECK(str("[]") == "[]");
  CHECK(str("[ ]") == "[]");
  CHECK(str(R"([[5,6,0,2056,8,"cuda:0"],[ 1 ,
    -2],true,false,null])") == "[[5, 6, 0, 2056, 8, 'cuda:0'], [1, -2], True, False, None]");
  CHECK(str("[-0, 18446744073709551616]") == "[0, 18446744073709551616]");
  CHECK(str(R"({"a": [1], "b": {}})") == "{'a': [1], 'b': {}}");
}

TEST_CASE("python text: floats in their shortest form, with an exponent from 1e16 on and below 1e-4") {
  CHECK(str("[1.0,1e0,0.1,100000.5,-0.0]") == "[1.0, 1.0, 0.1, 100000.5, -0.0]");
  CHECK(str("[0.0001,0.00001,1E-7,1.5e-10]") == "[0.0001, 1e-05, 1e-07, 1.5e-10]");
  CHECK(str("[1e15,1e16,123456789012345678.0,1e100]") == "[1000000000000000.0, 1e+16, 1.2345678901234568e+17, 1e+100]");
  CHECK(str("[0.30000000000000004,2.2250738585072014e-308,5e-324]") ==
        "[0.30000000000000004, 2.2250738585072014e-308, 5e-324]");
  CHECK(str("[NaN,Infinity,-Infinity,1e999,-1e999,1e-999]") == "[nan, inf, -inf, inf, -inf, 0.0]");
}

TEST_CASE("python text: strings in single quotes, unless only these occur inside") {
  CHECK(str(R"(["a"])") == "['a']");
  CHECK(str(R"(["it's"])") == R"(["it's"])");
  CHECK(str(R"(["say \"x\""])") == R"(['say "x"'])");
  CHECK(str(R"(["it's \"x\""])") == R"(['it\'s "x"'])");
  CHECK(str(R"(["a\\b\/c"])") == R"(['a\\b/c'])");
}

TEST_CASE("python text: what cannot be printed is escaped, other Unicode is not") {
  CHECK(str(R"(["\n\r\t\u0000\u001f\u007f"])") == R"(['\n\r\t\x00\x1f\x7f'])");
  CHECK(str("[\"\x7f\"]") == R"(['\x7f'])");
  CHECK(str(R"(["\u00e9\u4e2d \ud83d\ude00"])") == "['\xC3\xA9\xE4\xB8\xAD \xF0\x9F\x98\x80']");
  CHECK(str("[\"\xC3\xA9\"]") == "['\xC3\xA9']");
  CHECK(str(R"(["\u00a0\u00ad\u200b\u2028\ufeff\udb40\udc01"])") == R"(['\xa0\xad\u200b\u2028\ufeff\U000e0001'])");
}

TEST_CASE("python text: a string that stands alone has no quotes") {
  CHECK(str(R"("it's \"x\"\n")") == "it's \"x\"\n");
  CHECK(str("\"\"").empty());
  CHECK(str("12") == "12");
  CHECK(str("2.50") == "2.5");
}

TEST_CASE("python text: a hundred thousand lists inside of each other") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(str(deep) == deep);
}

TEST_CASE("unicode: what Python prints as it is") {
  for (const std::uint32_t printable : {0x20u, 0x7Eu, 0xA1u, 0x377u, 0x3042u, 0x1F600u, 0xFFFDu})
    CHECK(is_printable(printable));
  for (const std::uint32_t other :
       {0x0u, 0x1Fu, 0x7Fu, 0x80u, 0xA0u, 0xADu, 0x378u, 0x2028u, 0x3000u, 0xD800u, 0xE000u, 0xFFFFu, 0x10FFFFu})
    CHECK_FALSE(is_printable(other));
}

}  // namespace
}  // namespace orrery::chakra
