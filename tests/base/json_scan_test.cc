// The inner loops against the plainest code that does the same.
#include "base/json/json_scan.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_unescape.h"

namespace orrery {
namespace {

/// A text in memory of its own, followed by 64 bytes of `behind`.
class Padded {
 public:
  explicit Padded(std::string_view text, char behind = '\0')
      : size_(text.size()), memory_(std::make_unique<char[]>(text.size() + 64)) {
    std::memcpy(memory_.get(), text.data(), text.size());
    std::memset(memory_.get() + text.size(), behind, 64);
  }
  [[nodiscard]] const char* begin() const { return memory_.get(); }
  [[nodiscard]] const char* end() const { return memory_.get() + size_; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> memory_;
};

constexpr std::ptrdiff_t kNone = -1;
constexpr std::ptrdiff_t kTooDeep = -2;

std::ptrdiff_t plain_string_end(std::string_view text, bool& escaped) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return static_cast<std::ptrdiff_t>(i);
    if (text[i] == '\\') escaped = true, ++i;
  }
  return kNone;
}

std::ptrdiff_t plain_skip(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return kTooDeep;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return static_cast<std::ptrdiff_t>(i) + 1;
    }
  }
  return kNone;
}

rc::Gen<std::string> text_of(const std::string& alphabet) {
  return rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
}

Decimal decimal_of(const std::string& token) {
  const Padded text(token + ",");
  Decimal decimal;
  REQUIRE(parse_decimal(text.begin(), text.end(), decimal) == text.end() - 1);
  return decimal;
}

}  // namespace

TEST_CASE("a number that the window ends in is not read, nor what lies behind the window") {
  for (const std::string_view text : {"", "-", "12", "12.", "12.5", ".", "12e", "12e-", "12e-3"}) {
    const std::vector<char> exactly(text.begin(), text.end());  // a sanitizer sees what is read beyond it
    Decimal decimal;
    CHECK(parse_decimal(exactly.data(), exactly.data() + exactly.size(), decimal) == nullptr);
  }
}

TEST_CASE("the end of a string") {
  CHECK(rc::check([] {
    const std::string text = *text_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\\"{}") + *text_of("bbbbbbbbbbbbbbbbbbb\\") +
                             *rc::gen::element<std::string>("\"", "");
    bool plain_escaped = false;
    const Padded padded(text, *rc::gen::element('\0', '"', '\\'));
    const StringEnd end = find_string_end(padded.begin(), padded.end());
    RC_ASSERT((end.quote == nullptr ? kNone : end.quote - padded.begin()) == plain_string_end(text, plain_escaped));
    if (end.quote != nullptr) RC_ASSERT(end.escaped == plain_escaped);
  }));
}

TEST_CASE("the end of a container") {
  CHECK(rc::check([] {
    const std::string text = "[" + *text_of("aaaaaaaaaaaaaaaaaaaaaaaaaaa[]{}\"\"\\,:") + *text_of("[]{}\"]]]") +
                             *rc::gen::element<std::string>("]]]]", "");
    const Padded padded(text, *rc::gen::element('\0', ']', '"'));
    const ContainerSkip skip = skip_container(padded.begin(), padded.end());
    const std::ptrdiff_t found = skip.after != nullptr ? skip.after - padded.begin() : skip.too_deep ? kTooDeep : kNone;
    RC_ASSERT(found == plain_skip(text));
  }));
  for (const int depth : {kMaxDepth - 1, kMaxDepth, kMaxDepth + 1}) {
    const std::string text =
        std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
    const Padded padded(text);
    const ContainerSkip skip = skip_container(padded.begin(), padded.end());
    CHECK(skip.too_deep == (depth > kMaxDepth));
    CHECK((skip.after == padded.end()) == (depth <= kMaxDepth));
  }
}

TEST_CASE("digits, eight and sixteen at once") {
  CHECK(rc::check([] {
    const auto any = rc::gen::inRange<char>('0', '9' + 1);
    std::string text = *rc::gen::container<std::string>(*rc::gen::inRange<std::size_t>(0, 20), any) +
                       *rc::gen::container<std::string>(20, rc::gen::oneOf(any, rc::gen::arbitrary<char>()));
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto value = [&](std::size_t digits) { return digits == 0 ? 0 : std::stoull(text.substr(0, digits)); };
    const Digits eight = read_eight_digits(text.data());
    RC_ASSERT(static_cast<std::size_t>(eight.count) == std::min<std::size_t>(count, 8));
    RC_ASSERT(eight.value == value(std::min<std::size_t>(count, 8)));
    const Digits sixteen = read_digits(text.data());
    RC_ASSERT(static_cast<std::size_t>(sixteen.count) == std::min<std::size_t>(count, 16));
    RC_ASSERT(sixteen.value == value(std::min<std::size_t>(count, 16)));
  }));
  // The characters around the digits, and bytes that differ from them in one bit.
  for (int other = 0; other < 256; ++other) {
    if (other >= '0' && other <= '9') continue;
    for (std::size_t at = 0; at < 8; ++at) {
      std::string text = "98765432";
      text[at] = static_cast<char>(other);
      CAPTURE(other);
      CHECK(read_eight_digits(text.data()).count == static_cast<int>(at));
      CHECK(read_eight_digits(text.data()).value == (at == 0 ? 0 : std::stoull(text.substr(0, at))));
    }
  }
}

TEST_CASE("decimals") {
  CHECK(decimal_of("12.5").whole == 12);
  CHECK(decimal_of("12.5").fraction_e12 == 500'000'000'000);
  CHECK(decimal_of("-12.5").whole == -12);
  CHECK(decimal_of("-12.5").fraction_e12 == -500'000'000'000);
  CHECK_FALSE(decimal_of("12.5").is_integer);
  CHECK(decimal_of("12").is_integer);
  CHECK_FALSE(decimal_of("1e2").is_integer);
  CHECK(decimal_of("1e2").whole == 100);
  CHECK(decimal_of("1e18").whole == 1'000'000'000'000'000'000);
  CHECK_FALSE(decimal_of("1e19").in_range);
  CHECK_FALSE(decimal_of("1e999999999999999999").in_range);
  CHECK(decimal_of("1e-999999999999999999").whole == 0);
  CHECK_FALSE(decimal_of("1e-999999999999999999").is_exact);
  CHECK(decimal_of("0.000000000001").fraction_e12 == 1);
  CHECK(decimal_of("0.0000000000011").fraction_e12 == 1);
  CHECK_FALSE(decimal_of("0.0000000000011").is_exact);
  CHECK(decimal_of(std::string(500, '0') + "7").whole == 7);
  CHECK(decimal_of("7" + std::string(500, '0') + "e-500").whole == 7);
  CHECK(decimal_of("0." + std::string(500, '0') + "7e501").whole == 7);
}

TEST_CASE("integers are taken up to 16 digits, else left to the slow way") {
  const auto fast = [](const std::string& token) -> std::int64_t {
    const Padded text(token + ",");
    std::int64_t value = -7;
    const char* after = parse_integer_fast(text.begin(), text.end(), value);
    if (after == nullptr) return -1;
    CHECK(after == text.end() - 1);
    return value;
  };
  CHECK(fast("0") == 0);
  CHECK(fast("12345678") == 12'345'678);
  CHECK(fast("1234567890123456") == 1'234'567'890'123'456);
  CHECK(fast("12345678901234567") == -1);
  CHECK(fast(std::string(200, '9')) == -1);
  CHECK(fast("1.5") == -1);
  CHECK(fast("1e5") == -1);
  CHECK(fast("-1") == -1);
  CHECK(fast("") == -1);
}

TEST_CASE("escapes") {
  CHECK(unescape_json("") == "");
  CHECK(unescape_json("plain") == "plain");
  CHECK(unescape_json(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(unescape_json(R"(\u0041\u00e9\u20ac)") == "A\xC3\xA9\xE2\x82\xAC");
  CHECK(unescape_json(R"(\uD83D\uDE80)") == "\xF0\x9F\x9A\x80");
  CHECK(unescape_json(R"(\u0000)") == std::string(1, '\0'));
  const std::string replacement = "\xEF\xBF\xBD";
  CHECK(unescape_json(R"(\ud83d)") == replacement);
  CHECK(unescape_json(R"(\ud83d\u0041)") == replacement + "A");
  CHECK(unescape_json(R"(\ude80\ud83d)") == replacement + replacement);
  CHECK(unescape_json(R"(\ud83d\ud83d\ude80)") == replacement + "\xF0\x9F\x9A\x80");
  // Kept as they stand.
  CHECK(unescape_json(R"(\x41 \u12 \u12g4 \)") == R"(\x41 \u12 \u12g4 \)");
  CHECK(unescape_json(R"(\)") == R"(\)");
  CHECK(unescape_json(R"(\u)") == R"(\u)");
  CHECK(unescape_json(R"(\ud83d\u)") == replacement + R"(\u)");
}

}  // namespace orrery
