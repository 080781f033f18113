// Every way to write a time stamp, and that not a digit is lost.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "reading.h"

namespace orrery::kineto::testing {
namespace {

constexpr Int128 kPsPerUsWide = kPsPerUs;

Reading read_event(const std::string& ts, const std::string& dur = "1") {
  return read_text(document(R"({"ph": "X", "name": "event", "ts": )" + ts + R"(, "dur": )" + dur + "}"));
}

/// Start of the only event as exact microseconds, or the code of what was counted instead.
std::string start_of(const std::string& ts) {
  const Reading reading = read_event(ts);
  if (!reading.rank) return reading.error->message;
  if (reading.rank->event_count() == 1) return decimal_us(absolute_ps(*reading.rank, reading.rank->start[0]));
  return reading.diagnostics.sorted().at(0).kind->code;
}

std::string duration_of(const std::string& dur) {
  const Reading reading = read_event("5", dur);
  if (!reading.rank) return reading.error->message;
  if (reading.rank->event_count() == 1)
    return reading.rank->has_duration(0) ? decimal_us(reading.rank->duration[0]) : "none";
  return reading.diagnostics.sorted().at(0).kind->code;
}

bool drops_digits(const std::string& ts) { return read_event(ts).diagnostics.count(kSubPicosecond) == 1; }

struct Spelling {
  std::string token;
  Int128 ps;  // toward zero
  bool exact;
};

/// A number in one of the ways writers write it, with its value worked out from the parts it was made of.
Spelling random_spelling() {
  const auto whole =
      *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 100), rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000),
                      rc::gen::inRange<std::int64_t>(1'600'000'000'000'000, 1'900'000'000'000'000));
  const int places = *rc::gen::inRange(0, 16);
  std::string fraction;
  for (int i = 0; i < places; ++i) fraction += static_cast<char>('0' + *rc::gen::inRange(0, 10));
  const bool negative = *rc::gen::inRange(0, 5) == 0;
  std::string digits = std::to_string(whole) + fraction;
  Int128 ps = whole * kPsPerUsWide;
  Int128 unit = kPsPerUsWide;
  bool exact = true;
  for (const char digit : fraction) {
    if (unit <= 1) exact = exact && digit == '0';
    unit /= 10;
    ps += unit * (digit - '0');
  }
  // The same number with the point moved and an exponent to undo it.
  const int shift = *rc::gen::element(0, 0, 0, -20, -3, 1, 2, 5, 30);
  std::string token;
  auto point = static_cast<int>(digits.size()) - places + shift;
  if (shift == 0 && places == 0) {
    token = digits;
  } else {
    if (point <= 0) digits.insert(0, static_cast<std::size_t>(1 - point), '0'), point = 1;
    if (point > static_cast<int>(digits.size())) digits.append(static_cast<std::size_t>(point) - digits.size(), '0');
    token = digits.substr(0, static_cast<std::size_t>(point));
    if (static_cast<std::size_t>(point) < digits.size()) token += "." + digits.substr(static_cast<std::size_t>(point));
    if (shift != 0) token += *rc::gen::element<std::string>("e", "E") + (shift < 0 ? "+" : "") + std::to_string(-shift);
  }
  return {(negative ? "-" : "") + token, negative ? -ps : ps, exact};
}

}  // namespace

TEST_CASE("whole and fractional microseconds are exact") {
  CHECK(start_of("0") == "0");
  CHECK(start_of("7") == "7");
  CHECK(start_of("1234567") == "1234567");
  CHECK(start_of("12345678") == "12345678");  // eight digits are read at once
  CHECK(start_of("123456789") == "123456789");
  CHECK(start_of("1.5") == "1.5");
  CHECK(start_of("1.25") == "1.25");
  CHECK(start_of("1.125") == "1.125");
  CHECK(start_of("1.0625") == "1.0625");
  CHECK(start_of("1.03125") == "1.03125");
  CHECK(start_of("1.015625") == "1.015625");
  CHECK(start_of("0.000001") == "0.000001");
  CHECK(start_of("3843505893493.716") == "3843505893493.716");
  CHECK(start_of("1700000000123456.789012") == "1700000000123456.789012");  // a double holds 0.25 us here
  CHECK(start_of("1600000000000000") == "1600000000000000");
  CHECK(start_of("00012.50") == "12.5");  // not JSON, but clear
}

TEST_CASE("exponents, signs, and zeros in every spelling") {
  CHECK(start_of("1e3") == "1000");
  CHECK(start_of("1E3") == "1000");
  CHECK(start_of("1e+3") == "1000");
  CHECK(start_of("1.5e-3") == "0.0015");
  CHECK(start_of("1.7e15") == "1700000000000000");
  CHECK(start_of("1.700000000123456789e15") == "1700000000123456.789");
  CHECK(start_of("123456789e-9") == "0.123456");
  CHECK(start_of("-5") == "-5");
  CHECK(start_of("-0.5") == "-0.5");
  CHECK(start_of("-1e3") == "-1000");
  CHECK(start_of("-1700000000000000.25") == "-1700000000000000.25");
  for (const char* zero : {"0", "-0", "0.0", "0e5", "0E-5", "-0.000", "0e999999999", "0.0000000000000000000"}) {
    CAPTURE(zero);
    CHECK(start_of(zero) == "0");
    CHECK_FALSE(drops_digits(zero));
  }
}

TEST_CASE("digits below a picosecond are dropped and counted") {
  CHECK(start_of("1.0000001") == "1");
  CHECK(drops_digits("1.0000001"));
  CHECK(start_of("1.1234567") == "1.123456");
  CHECK(drops_digits("1.1234567"));
  CHECK(start_of("-1.1234567") == "-1.123456");
  CHECK(start_of("1.123456789012") == "1.123456");
  CHECK(drops_digits("1.123456789012"));
  CHECK(start_of("1.1234567890123") == "1.123456");
  CHECK(drops_digits("1.1234567890123"));
  CHECK(drops_digits("1.0000000000000000000000000000001"));
  CHECK(start_of("1." + std::string(40, '9')) == "1.999999");
  CHECK(drops_digits("1." + std::string(1000, '9')));
  CHECK(drops_digits("1e-7"));
  CHECK(start_of("1e-400") == "0");
  CHECK(drops_digits("1e-400"));
  CHECK(start_of("1e-999999999999") == "0");
  // Zeros say nothing.
  CHECK_FALSE(drops_digits("1.5000000000000"));
  CHECK_FALSE(drops_digits("1.500000" + std::string(1000, '0')));
  CHECK_FALSE(drops_digits("1.123456"));
  CHECK_FALSE(drops_digits("1" + std::string(400, '0') + "e-400"));
  // Each event counts once, and durations count too.
  const Reading reading = read_text(
      document(R"({"ph":"X","ts":1.0000001,"dur":1},{"ph":"X","ts":2,"dur":1.0000001},{"ph":"X","ts":3,"dur":1})"));
  CHECK(reading.diagnostics.count(kSubPicosecond) == 2);
}

TEST_CASE("what is no usable time leaves the event out") {
  CHECK(start_of("NaN") == "K103");
  CHECK(start_of("Infinity") == "K103");
  CHECK(start_of("-Infinity") == "K103");
  CHECK(start_of("true") == "K103");
  CHECK(start_of("\"12\"") == "K103");
  CHECK(start_of("[12]") == "K103");
  CHECK(start_of("{}") == "K103");
  CHECK(start_of("null") == "K102");
  CHECK(start_of("1e999") == "K103");
  CHECK(start_of("-1e999") == "K103");
  CHECK(start_of("1e18") == "K103");  // beyond Unix nanoseconds
  CHECK(start_of("9223372036854775807") == "K103");
  CHECK(start_of("99999999999999999999999999") == "K103");
  CHECK(start_of(std::string(5000, '9')) == "K103");
  CHECK(duration_of("NaN") == "K103");
  CHECK(duration_of("-Infinity") == "K103");
  CHECK(duration_of("\"1\"") == "K103");
  CHECK(duration_of("1e14") == "K103");
  CHECK(duration_of("null") == "none");
  CHECK(duration_of("0") == "0");
  CHECK(duration_of("-2.5") == "-2.5");
  CHECK(read_event("5", "-2.5").diagnostics.count(kNegativeDuration) == 1);
  CHECK(read_text(document(R"({"ph": "X", "dur": 1})")).diagnostics.count(kMissingTime) == 1);
}

TEST_CASE("what is no number at all is malformed") {
  for (const char* token :
       {"", "-", "+1", ".5", "1.2.3", "--1", "1e", "1e+", "e5", "0x10", "nan", "inf", "truee", "'1'", "1 2"}) {
    CAPTURE(token);
    CHECK(start_of(token) == "malformed JSON in an event");
    // Also when the skeleton of such events is already known.
    const Reading reading = read_text(
        document(R"({"ts": 1, "ph": "X"}, {"ts": null, "ph": "X"}, {"ts": )" + std::string(token) + R"(, "ph": "X"})"));
    REQUIRE(reading.error.has_value());
    CHECK(reading.error->message == "malformed JSON in an event");
  }
}

TEST_CASE("any spelling of any number gives its exact value") {
  CHECK(rc::check([] {
    const Spelling spelling = random_spelling();
    const Reading reading = read_event(spelling.token);
    RC_LOG() << spelling.token;
    RC_ASSERT(reading.rank && reading.rank->event_count() == 1u);
    RC_ASSERT(decimal_us(absolute_ps(*reading.rank, reading.rank->start[0])) == decimal_us(spelling.ps));
    RC_ASSERT(reading.diagnostics.count(kSubPicosecond) == (spelling.exact ? 0u : 1u));
  }));
}

TEST_CASE("the first event decides the epoch: the whole second at or before it") {
  const auto epoch_of = [](const char* events) { return read_text(document(events)).rank->epoch_unix_ns; };
  CHECK(epoch_of(R"({"ph": "X", "ts": 1700000000999999.9, "dur": 1}, {"ph": "X", "ts": 5, "dur": 1})") ==
        1'700'000'000'000'000'000);
  CHECK(epoch_of(R"({"ph": "X", "ts": 999999, "dur": 1})") == 0);
  CHECK(epoch_of(R"({"ph": "X", "ts": 1000000, "dur": 1})") == 1'000'000'000);
  CHECK(epoch_of(R"({"ph": "X", "ts": -1, "dur": 1})") == -1'000'000'000);
  CHECK(
      epoch_of(
          R"({"ph": "M", "name": "process_name", "ts": 7000000, "args": {"name": "x"}}, {"ph": "s", "ts": 3000000, "id": 1})") ==
      3'000'000'000);
  // An event that is left out decides nothing.
  CHECK(epoch_of(R"({"ph": "X", "ts": 9000000, "dur": NaN}, {"ph": "X", "ts": 3000000, "dur": 1})") == 3'000'000'000);
  CHECK(epoch_of(R"({"ph": "X", "ts": 9000000, "dur": 1e15}, {"ph": "X", "ts": 3000000, "dur": 1})") == 3'000'000'000);
}

TEST_CASE("times weeks away from the first event are left out; sums and differences of the others fit") {
  // 2^61 ps are 26.7 days.
  const Reading near = read_text(document(
      R"({"ph":"X","ts":0,"dur":1},{"ph":"X","ts":2300000000000,"dur":5000000000},{"ph":"X","ts":-2300000000000,"dur":2300000000000})"));
  CHECK(near.rank->event_count() == 3);
  const Reading far = read_text(document(
      R"({"ph":"X","ts":0,"dur":1},{"ph":"X","ts":2400000000000,"dur":1},{"ph":"X","ts":-2400000000000,"dur":1},
                                            {"ph":"X","ts":2000000000000,"dur":2000000000000},{"ph":"X","ts":-2000000000000,"dur":-2000000000000},
                                            {"ph":"s","ts":2400000000000,"id":1}, {"ph":"X","ts":1,"dur":2400000000000})"));
  CHECK(far.rank->event_count() == 1);
  CHECK(far.rank->flows.size() == 0);
  CHECK(far.diagnostics.count(kUnusableTime) == 6);
  const Reading pair = read_text(document(R"({"ph":"B","ts":-2300000000000},{"ph":"E","ts":2300000000000})"));
  CHECK(pair.diagnostics.count(kUnusableTime) == 1);
}

TEST_CASE("baseTimeNanoseconds moves the epoch, wherever it stands") {
  const std::string events = R"("traceEvents": [{"ph": "X", "ts": 1234567.5, "dur": 1}])";
  for (const std::string& text : {R"({"baseTimeNanoseconds": 1711964646000000000, )" + events + "}",
                                  "{" + events + R"(, "baseTimeNanoseconds": 1711964646000000000})"}) {
    const Reading reading = read_text(text);
    REQUIRE(reading.rank.has_value());
    CHECK(reading.rank->source.base_time_ns == 1'711'964'646'000'000'000);
    CHECK(reading.rank->epoch_unix_ns == 1'711'964'647'000'000'000);
    CHECK(reading.rank->start[0] == 234'567'500'000);
    CHECK(decimal_us(absolute_ps(*reading.rank, reading.rank->start[0])) == "1711964647234567.5");
  }
  // Not usable: no whole number, or beyond what 64 bits of nanoseconds hold.
  for (const char* base :
       {"\"5\"", "1.5", "null", "9223372036854775807", "-9223372036854775808", "99999999999999999999"}) {
    CAPTURE(base);
    const Reading reading = read_text(
        R"({"baseTimeNanoseconds": )" + std::string(base) +
        R"(, "traceEvents": [{"ph": "X", "ts": 1700000000000000, "dur": 1}, {"ph": "X", "ts": 1700000000000001, "dur": 1}]})");
    REQUIRE(reading.rank.has_value());
    CHECK(reading.rank->epoch_unix_ns == 1'700'000'000'000'000'000);
    CHECK(reading.rank->source.properties.size() == 1);
  }
}

TEST_CASE("whether time stamps have a fraction is known") {
  CHECK_FALSE(read_event("5").rank->source.fractional_timestamps);
  CHECK(read_event("5.0").rank->source.fractional_timestamps);
  CHECK(read_event("5e0").rank->source.fractional_timestamps);
  CHECK_FALSE(read_event("5", "1.5").rank->source.fractional_timestamps);
}

TEST_CASE("arrows of launches may be left out where they change no moment of the trace") {
  // The arrow of the first launch begins before everything else: with it the epoch is a second earlier.
  const std::string text = R"([
    {"ph": "s", "id": 1, "pid": 1, "tid": 7, "ts": 999999, "cat": "ac2g", "name": "ac2g"},
    {"ph": "X", "ts": 1000001, "dur": 5, "pid": 1, "tid": 2, "cat": "cpu_op", "name": "mm"},
    {"ph": "X", "ts": 1000009, "dur": 5, "pid": 1, "tid": 2, "cat": "cpu_op", "name": "mm"},
    {"ph": "f", "id": 1, "pid": 0, "tid": 9, "ts": 1000002, "cat": "ac2g", "name": "ac2g", "bp": "e"},
    {"ph": "s", "id": 2, "pid": 1, "tid": 2, "ts": 1000001, "cat": "fwdbwd", "name": "fwdbwd"},
    {"ph": "f", "id": 3, "pid": 0, "tid": 9, "ts": 1000020, "cat": "ac2g", "name": "ac2g"}])";
  const Reading all = read_text(text), some = read_text(text, {.launch_arrows = false});
  REQUIRE(all.rank);
  REQUIRE(some.rank);
  CHECK(all.rank->flows.size() == 4);
  CHECK(some.rank->flows.size() == 3);
  CHECK(some.rank->flows.id[1] == 2);
  CHECK(some.rank->epoch_unix_ns == all.rank->epoch_unix_ns);
  CHECK(some.rank->lanes.size() == all.rank->lanes.size());
  CHECK(some.rank->categories.size() == all.rank->categories.size());
  CHECK(some.rank->source.entries == all.rank->source.entries);
}

}  // namespace orrery::kineto::testing
