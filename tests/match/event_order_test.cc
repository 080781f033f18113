// Exchanges are found by what events are: where a file has them decides nothing, not even the order in which exchanges
// are listed.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "match/exchange_finder.h"
#include "match/host_job.h"
#include "match/job_builder.h"

using namespace orrery;
using namespace orrery::match;

namespace {

constexpr std::size_t kNodes = 2;
using Placed = std::pair<std::size_t, test::Event>;  // with its node

std::string describe(const trace::Trace& trace, const Participation& part) {
  const trace::RankTrace& rank = trace.ranks[part.node];
  return fmt::format(" [{} {} lane {} {}-{}]", part.node, trace.name(rank, part.event),
                     rank.lanes[rank.lane[part.event]].thread.number, part.start_ps, part.end_ps);
}

/// All that exchanges say, in their order, but for numbers of events and texts.
std::string answer(const trace::Trace& trace) {
  const Exchanges matched = find_exchanges(trace);
  std::string text = fmt::format("{} {} {} {} {}\n", matched.unmatched, matched.ambiguous, matched.unclear_pattern,
                                 matched.messages_unmatched, matched.messages_ambiguous);
  for (const std::vector<Exchange>* list : {&matched.all, &matched.mispaired}) {
    for (const Exchange& exchange : *list) {
      text += fmt::format("{} {} {}", trace.strings.text(exchange.name), exchange.sequence,
                          static_cast<int>(exchange.ordering));
      for (std::uint32_t i = 0; i < exchange.count; ++i) text += describe(trace, matched.parts[exchange.first + i]);
      text += '\n';
    }
  }
  return text;
}

trace::Trace job_of(const std::vector<Placed>& events) {
  test::JobBuilder job(kNodes);
  for (trace::RankTrace& rank : job.trace.ranks) {
    for (std::size_t lane = 0; lane < rank.lanes.size(); ++lane)
      rank.lanes[lane].thread.number = static_cast<std::int64_t>(lane);
  }
  for (const auto& [node, event] : events) job.add(node, event);
  return std::move(job.trace);
}

/// Of few times, names and numbers, so that nearly everything is tied with something.
Placed any_event() {
  test::Event event;
  const std::size_t node = *rc::gen::inRange<std::size_t>(0, kNodes);
  const auto other = static_cast<std::int64_t>(1 - node);
  event.kind = *rc::gen::element<std::string_view>("allreduce", "broadcast", "send", "recv");
  event.event_name = *rc::gen::element<std::string_view>("b", "a");
  event.group = *rc::gen::element<std::string_view>("1", "0");
  event.sequence = *rc::gen::inRange<std::int64_t>(-1, 3);
  event.start = *rc::gen::inRange<TimePs>(0, 5);
  event.end = event.start + *rc::gen::inRange<TimePs>(1, 4);
  event.lane = *rc::gen::inRange<trace::LaneIndex>(0, 2);
  if (event.kind == "send") event.destination = other;
  if (event.kind == "recv") event.source = other;
  return {node, event};
}

}  // namespace

TEST_CASE("exchanges are the same for events in any order") {
  CHECK(rc::check([] {
    std::vector<Placed> events;
    for (int count = *rc::gen::inRange(2, 24); count > 0; --count) events.push_back(any_event());
    const std::string expected = answer(job_of(events));
    std::shuffle(events.begin(), events.end(), std::mt19937(*rc::gen::inRange(0u, 1000u)));
    RC_ASSERT(answer(job_of(events)) == expected);
  }));
}

TEST_CASE("messages of one channel that begin together are paired by what they are") {
  std::vector<Placed> events;
  for (const std::string_view name : {"first", "second", "third"}) {
    events.push_back({0, {.kind = "send", .start = 10, .end = 20, .destination = 1, .event_name = name}});
    events.push_back({1, {.kind = "recv", .start = 10, .end = 30, .source = 0, .event_name = name}});
  }
  const std::string expected = answer(job_of(events));
  CHECK(expected.find("[0 first lane 0 10-20] [1 first lane 0 10-30]") != std::string::npos);
  std::swap(events[0], events[2]);
  CHECK(answer(job_of(events)) == expected);
}

TEST_CASE("what hosts did themselves at the same time is the same for calls in any order") {
  std::vector<test::HostRank> ranks(2);
  for (test::HostRank& rank : ranks) {
    for (const std::int64_t elements : {8, 4, 16, 8}) {
      rank.calls.push_back(
          {.thread = 10 + elements % 3, .asked = 0, .start = 5, .end = 9 + elements, .elements = elements});
    }
  }
  const std::string expected = answer(test::host_job(ranks));
  CHECK(expected.find("gloo:all_reduce") != std::string::npos);
  std::reverse(ranks[1].calls.begin(), ranks[1].calls.end());
  CHECK(answer(test::host_job(ranks)) == expected);
}
