#include "causal/chakra/link.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <vector>

using namespace orrery;
using namespace orrery::causal::chakra;

namespace {

struct Op {
  double ts, dur;
  std::uint32_t thread = 0;
};

HostOps ops_of(std::vector<Op> list) {
  std::stable_sort(list.begin(), list.end(), [](const Op& a, const Op& b) { return a.ts < b.ts; });
  HostOps ops;
  for (const Op& op : list) {
    ops.event.push_back(static_cast<std::uint32_t>(ops.size()));
    ops.ts.push_back(op.ts);
    ops.dur.push_back(op.dur);
    ops.thread.push_back(op.thread);
  }
  return ops;
}

std::optional<std::vector<double>> exclusive(const std::vector<Op>& list) {
  const Result<Column<double>> result = exclusive_times(ops_of(list), "device.json");
  if (!result) return std::nullopt;
  return std::vector<double>(result->begin(), result->end());
}

// As the specification says it: every operator against all that follow.
std::optional<std::vector<double>> by_definition(std::vector<Op> list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Op& a, const Op& b) { return a.ts != b.ts ? a.ts < b.ts : a.dur < b.dur; });
  std::vector<double> rests;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double end = list[i].ts + list[i].dur;
    std::vector<std::pair<double, double>> stretches;
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      const double from = list[j].ts, to = list[j].ts + list[j].dur;
      if (to <= end) {
        if (!stretches.empty() && from <= stretches.back().second)
          stretches.back().second = std::max(stretches.back().second, to);
        else stretches.emplace_back(from, to);
      }
      if (from > end) break;
    }
    double rest = list[i].dur;
    for (const auto& [from, to] : stretches) rest -= to - from;
    if (rest < 0) return std::nullopt;
    rests.push_back(rest);
  }
  std::sort(rests.begin(), rests.end());
  return rests;
}

}  // namespace

TEST_CASE("exclusive time: callees are subtracted once, whatever they call themselves") {
  CHECK(exclusive({{0, 100}, {10, 30}, {20, 10}, {50, 20}}) == std::vector<double>{50, 20, 10, 20});
}

TEST_CASE("exclusive time: other threads do not count") {
  CHECK(exclusive({{0, 100, 1}, {10, 30, 2}}) == std::vector<double>{100, 30});
}

TEST_CASE("exclusive time: an operator that starts with its longer caller is sorted before it, and not subtracted") {
  CHECK(exclusive({{0, 100}, {0, 40}, {50, 10}}) == std::vector<double>{90, 40, 10});
}

TEST_CASE("exclusive time: of two equal operators the first loses all to the second") {
  CHECK(exclusive({{0, 40}, {0, 40}}) == std::vector<double>{0, 40});
}

TEST_CASE("exclusive time: what ends after the operator does not count, what it calls itself does") {
  CHECK(exclusive({{0, 50}, {40, 30}, {45, 5}}) == std::vector<double>{45, 25, 5});
}

TEST_CASE("exclusive time: a stretch that touches the next is joined with it before it is subtracted") {
  // 0.1 + 0.2 is more than 0.3 in doubles: subtracting twice would leave another rest than subtracting once.
  const double first_end = 1.1 + 0.2;
  const double once = 10.0 - ((first_end + 0.7) - 1.1);
  const auto rests = exclusive({{0, 10}, {1.1, 0.2}, {first_end, 0.7}});
  REQUIRE(rests.has_value());
  CHECK((*rests)[0] == once);
}

TEST_CASE("exclusive time: less than nothing is an error") {
  // Around 1.7e15 doubles are 0.25 apart: both end at ts + 0.25, so that the second is taken to be called by the first,
  // and to last 0.25.
  const double ts = 1.7e15 + 0.25;
  CHECK_FALSE(exclusive({{ts, 0.20}, {ts, 0.21}}).has_value());
  CHECK_FALSE(exclusive({{10, -1}}).has_value());
  const Result<Column<double>> result = exclusive_times(ops_of({{10, -1}}), "device.json");
  CHECK(result.error().message == "an operator's callees take longer than itself: its exclusive time is negative");
}

TEST_CASE("exclusive time: the jumps change nothing") {
  rc::check("as by definition", [](const std::vector<std::pair<std::uint8_t, std::int8_t>>& intervals) {
    std::vector<Op> list;
    for (const auto& [ts, dur] : intervals)
      list.push_back({ts / 7.0, dur < -100 ? dur / 10.0 : std::abs(dur) / (dur % 3 == 0 ? 1.0 : 11.0)});
    auto rests = exclusive(list);
    if (rests) std::sort(rests->begin(), rests->end());
    RC_ASSERT(rests == by_definition(list));
  });
}

TEST_CASE(
    "exclusive time: a hundred thousand operators inside of each other, and as many crossing ones, take no time") {
  std::vector<Op> nested, crossing;
  for (int i = 0; i < 100'000; ++i) {
    nested.push_back({i * 1.0, 400'000.0 - 2 * i});
    crossing.push_back({i * 1.0, 50'000.0});
  }
  const auto rests = exclusive(nested);
  REQUIRE(rests.has_value());
  CHECK((*rests)[0] == 2);
  CHECK((*rests)[99'999] == 200'002);
  CHECK((*exclusive(crossing))[5] == 50'000);
}
