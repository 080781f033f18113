#include "base/diagnostics.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace orrery {
namespace {

constexpr DiagnosticKind kLate = {"K200", Severity::warning, "too late", "hurry"};
constexpr DiagnosticKind kEarly = {"K100", Severity::note, "too early", ""};

}  // namespace

TEST_CASE("occurrences are counted, the first one is the example, and it is made only once") {
  Diagnostics diagnostics;
  int made = 0;
  const auto example = [&] { return "example " + std::to_string(++made); };
  for (int i = 0; i < 5; ++i) diagnostics.add(kLate, example);
  diagnostics.add(kEarly);
  CHECK(made == 1);
  CHECK(diagnostics.count(kLate) == 5);
  CHECK(diagnostics.count(kEarly) == 1);
  const auto sorted = diagnostics.sorted();
  REQUIRE(sorted.size() == 2);
  CHECK(sorted[0].kind->code == std::string("K100"));
  CHECK(sorted[1].example == "example 1");
}

TEST_CASE("nothing happened") {
  Diagnostics diagnostics;
  diagnostics.add_many(kLate, 0, "unused");
  CHECK(diagnostics.empty());
  CHECK(diagnostics.count(kLate) == 0);
}

TEST_CASE("kinds with the same code are the same kind") {
  static constexpr DiagnosticKind copy = kLate;
  Diagnostics diagnostics;
  diagnostics.add(kLate);
  diagnostics.add(copy);
  CHECK(diagnostics.count(kLate) == 2);
}

TEST_CASE("merging the parts in order is the same as counting in one go") {
  CHECK(rc::check([](const std::vector<bool>& events) {
    const std::size_t cut = events.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, events.size() + 1);
    Diagnostics whole, first, second;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const DiagnosticKind& kind = events[i] ? kLate : kEarly;
      const auto example = [i] { return "at " + std::to_string(i); };
      whole.add(kind, example);
      (i < cut ? first : second).add(kind, example);
    }
    first.merge(second);
    const auto expected = whole.sorted(), merged = first.sorted();
    RC_ASSERT(expected.size() == merged.size());
    for (std::size_t i = 0; i < merged.size(); ++i) {
      RC_ASSERT(merged[i].count == expected[i].count);
      RC_ASSERT(merged[i].example == expected[i].example);
    }
  }));
}

TEST_CASE("severities have names") {
  CHECK(to_string(Severity::note) == std::string("note"));
  CHECK(to_string(Severity::warning) == std::string("warning"));
  CHECK(to_string(Severity::error) == std::string("error"));
}

}  // namespace orrery
