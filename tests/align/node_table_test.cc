#include "align/node_table.h"

#include <doctest/doctest.h>

using namespace orrery;

TEST_CASE("nodes with traces come first, then those that only measurements know, by number") {
  trace::Trace job;
  for (const std::int64_t number : {3, 5}) {
    trace::RankTrace rank;
    rank.rank = number;
    rank.era_ns = 10 * number;
    job.ranks.push_back(std::move(rank));
  }
  trace::ClockSources sources;
  sources.probes.push_back({.from = 7, .to = 5});
  sources.windows.push_back({.from = 3, .to = 4});
  const align::NodeTable without_offsets(job, sources);
  CHECK(without_offsets.size() == 4);
  CHECK_FALSE(without_offsets.place(0));
  sources.offsets.push_back({.node = 5});  // against node 0
  const align::NodeTable nodes(job, sources);
  CHECK(nodes.traced() == 2);
  CHECK(nodes.size() == 5);
  CHECK(nodes.place(3) == 0);
  CHECK(nodes.place(5) == 1);
  CHECK(nodes.place(0) == 2);
  CHECK(nodes.place(4) == 3);
  CHECK(nodes.place(7) == 4);
  CHECK(nodes.number(4) == 7);
  CHECK_FALSE(nodes.place(6));
  CHECK_FALSE(nodes.has_trace(2));
  CHECK(nodes.era_ns(1) == 50);
  CHECK(nodes.era_ns(2) == 0);
}

TEST_CASE("ranks of one host have one clock, that of the first of them") {
  trace::Trace job;
  for (const char* const host : {"a", "b", "a", "", ""}) {
    trace::RankTrace rank;
    rank.rank = static_cast<std::int64_t>(job.ranks.size());
    rank.source.host = host;
    job.ranks.push_back(std::move(rank));
  }
  const align::NodeTable nodes(job, {});
  CHECK(nodes.clock_place(2) == 0);
  CHECK(nodes.clock_place(1) == 1);
  CHECK(nodes.clock_place(3) == 3);  // of an unknown host: a node of its own
  CHECK(nodes.clock_place(4) == 4);
  CHECK_FALSE(nodes.place(2));  // no node has this number...
  CHECK(nodes.place_of_node_or_rank(2) == 0);
  CHECK_FALSE(nodes.place_of_node_or_rank(7));
}

TEST_CASE("told how many ranks a node has, nodes are numbered as measurements number them") {
  trace::Trace job;
  for (std::int64_t number = 0; number < 6; ++number) {
    trace::RankTrace rank;
    rank.rank = number;
    job.ranks.push_back(std::move(rank));
  }
  trace::ClockSources sources;
  sources.probes.push_back({.from = 0, .to = 3});
  const align::NodeTable nodes(job, sources, 2);
  CHECK(nodes.number(5) == 2);
  CHECK(nodes.clock_place(5) == 4);
  CHECK(nodes.place(1) == 2);
  CHECK(nodes.size() == 7);  // node 3 has no trace
  CHECK_FALSE(nodes.has_trace(*nodes.place(3)));
}
