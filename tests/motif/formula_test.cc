#include "motif/formula.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

namespace orrery::motif {
namespace {

double value_of(std::string_view text, const RunParameters& run, SizeMeaning meaning = SizeMeaning::exponent) {
  return Formula::composed(text).at(Scope(run, meaning));
}

TEST_CASE("a formula is read by the rules of arithmetic") {
  const RunParameters run{.nodes = 9, .size = 4, .threads = 2, .ranks_per_node = 4};
  CHECK(value_of("1 + 2*3", run) == 7);
  CHECK(value_of("2*(1 + 2)^2", run) == 18);
  CHECK(value_of("2^3^2", run) == 512);
  CHECK(value_of("8 - 2 - 3", run) == 3);
  CHECK(value_of("-2 + 5", run) == 3);
  CHECK(value_of("-n^2 + 100", run) == 19);
  CHECK(value_of("X/n", run) == doctest::Approx(16.0 / 9));
  CHECK(value_of("X", run, SizeMeaning::amount) == 4);
  CHECK(value_of("p", run) == 36);
  CHECK(value_of("q - 1", run) == 5);
  CHECK(value_of("t*r", run) == 8);
  CHECK(value_of("max(0, X - 10) + min(n, 2)", run) == 8);
  CHECK(value_of("logistic(0)", run) == 0.5);
  CHECK(value_of("log2(n^2) + sqrt(n)", run) == doctest::Approx(2 * std::log2(9.0) + 3));
  CHECK(value_of("1.5e-1*n", run) == doctest::Approx(1.35));
}

TEST_CASE("a formula is never negative, infinite or no number") {
  const RunParameters run{.nodes = 4, .size = 900};
  CHECK(value_of("1 - n", run) == 0);
  CHECK(value_of("0/0", run) == 0);
  CHECK(value_of("(0 - 8)^0.5", run) == 0);
  CHECK(value_of("exp(X)", run) == Formula::kLargest);
  CHECK(value_of("log2(0 - 1) + sqrt(0 - 1) + 2", run) == 2);
}

TEST_CASE("what is no formula is refused with the character") {
  for (const std::string_view text : {"", "1 +", "2 * (3", "nodes", "max(1)", "1..2", "3 4", "sqrt 4", "1e999"}) {
    CAPTURE(text);
    const auto formula = Formula::parse(text);
    REQUIRE(!formula);
    CHECK(formula.error().message.find("character") != std::string::npos);
  }
  CHECK(!Formula::parse(std::string(1000, '(')));
  CHECK(!Formula::parse(std::string(20'000, '-') + "1"));
}

TEST_CASE("text that is read and written stays the same") {
  const std::string text = "12.5 + 0.0021*X/n + 3e-4*max(0, X/n - 262144)";
  CHECK(Formula::composed("  " + text + " ").text() == text);
  CHECK(Formula::composed(text) == Formula::composed(text));
  CHECK(Formula::composed("q").uses(Variable::q));
  CHECK(!Formula::composed("q").uses(Variable::n));
  CHECK(Formula::composed("3*4").is_constant());
}

TEST_CASE("sums of random terms evaluate to what they say, and never below zero") {
  rc::check([] {
    const double a = *rc::gen::inRange(-1000, 1000) / 8.0, b = *rc::gen::inRange(-1000, 1000) / 8.0;
    const RunParameters run{.nodes = static_cast<double>(*rc::gen::inRange(1, 5000)),
                            .size = static_cast<double>(*rc::gen::inRange(1, 60))};
    const Formula formula = Formula::composed(std::to_string(a) + "*n + " + std::to_string(b) + "*s");
    const double wanted = a * run.nodes + b * run.size;
    const double value = formula.at(Scope(run, SizeMeaning::exponent));
    RC_ASSERT(value >= 0);
    RC_ASSERT(std::abs(value - std::max(0.0, wanted)) <= 1e-6 * (1 + std::abs(a * run.nodes) + std::abs(b * run.size)));
  });
}

}  // namespace
}  // namespace orrery::motif
