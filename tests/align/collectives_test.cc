#include "align/collectives.h"

#include <doctest/doctest.h>

#include "align/causality.h"

using namespace orrery;
using namespace orrery::align;
using trace::Field;

namespace {

struct Job {
  trace::Trace trace;
  explicit Job(std::size_t nodes) {
    trace.ranks.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      trace.ranks[i].rank = static_cast<std::int64_t>(i);
      trace.ranks[i].lanes.resize(2);
      trace.ranks[i].categories.resize(1);
    }
  }
  void add(std::size_t node, std::string_view kind, std::int64_t sequence, TimePs start, TimePs end, trace::LaneIndex lane = 0) {
    trace::RankTrace& rank = trace.ranks[node];
    const auto event = static_cast<trace::EventIndex>(rank.event_count());
    rank.start.push_back(start);
    rank.duration.push_back(end - start);
    rank.name.push_back(trace.strings.intern(kind));
    rank.lane.push_back(lane);
    rank.category.push_back(0);
    rank.phase.push_back('X');
    rank.flags.push_back(trace::kHasDuration);
    rank.ordinal.push_back(event);
    rank.source_offset.push_back(0);
    rank.field(Field::collective_text).push(event, trace.strings.intern(kind));
    if (sequence >= 0) rank.field(Field::collective_sequence).push(event, sequence);
  }
};

TimePs as_recorded(const Participation&, TimePs reading) { return reading; }

}  // namespace

TEST_CASE("collectives are matched by name and number, not by order") {
  Job job(3);
  for (std::size_t node = 0; node < 3; ++node) {
    if (node != 1) job.add(node, "all_reduce", 7, 100, 200);  // the head of node 1 was cut off
    job.add(node, "all_reduce", 8, 300, 400);
    job.add(node, "all_gather", 8, 500, 600);
    job.add(node, "all_reduce", -1, 700, 800);  // no number: not used
  }
  const MatchedCollectives matched = match_collectives(job.trace);
  REQUIRE(matched.collectives.size() == 3);
  std::size_t of_two = 0;
  for (const MatchedCollective& collective : matched.collectives) of_two += collective.count == 2 ? 1 : 0;
  CHECK(of_two == 1);
}

TEST_CASE("the n-th of one number belongs to the n-th; different counts are ambiguous") {
  Job job(2);
  for (std::size_t node = 0; node < 2; ++node) {
    job.add(node, "all_reduce", 1, 100, 200);
    job.add(node, "all_reduce", 1, 300, 400);
  }
  job.add(0, "all_reduce", 2, 500, 600);
  job.add(1, "all_reduce", 2, 500, 600);
  job.add(1, "all_reduce", 2, 700, 800);
  const MatchedCollectives matched = match_collectives(job.trace);
  CHECK(matched.collectives.size() == 2);
  CHECK(matched.ambiguous == 1);
  for (const MatchedCollective& collective : matched.collectives)
    CHECK(matched.parts[collective.first].start_ps == matched.parts[collective.first + 1].start_ps);
}

TEST_CASE("a node with two devices takes part once, with the one that ends first") {
  Job job(2);
  job.add(0, "all_reduce", 1, 100, 220, 0);
  job.add(0, "all_reduce", 1, 100, 210, 1);
  job.add(1, "all_reduce", 1, 100, 215, 0);
  const MatchedCollectives matched = match_collectives(job.trace);
  REQUIRE(matched.parts.size() == 2);
  CHECK(matched.parts[0].end_ps == 210);
}

TEST_CASE("a collective that ends before its last participant starts is a violation, by how much and between whom") {
  Job job(3);
  job.add(0, "all_reduce", 1, 100, 200);
  job.add(1, "all_reduce", 1, 150, 260);
  job.add(2, "all_reduce", 1, 230, 300);
  job.add(0, "all_reduce", 2, 400, 500);
  job.add(1, "all_reduce", 2, 410, 500);
  job.add(2, "all_reduce", 2, 500, 600);
  const CausalityReport report = check_causality(match_collectives(job.trace), as_recorded);
  CHECK(report.checked == 2);
  REQUIRE(report.violated == 1);
  CHECK(report.violations[0].earlier_node == 2);
  CHECK(report.violations[0].later_node == 0);
  CHECK(report.violations[0].by_ps == 30);
}

TEST_CASE("a permutation waits for one neighbour only and is not held to the rule of the others") {
  Job job(2);
  job.add(0, "collective_permute", 1, 100, 200);
  job.add(1, "collective_permute", 1, 300, 400);
  const CausalityReport report = check_causality(match_collectives(job.trace), as_recorded);
  CHECK(report.checked == 0);
  CHECK(report.violated == 0);
}
