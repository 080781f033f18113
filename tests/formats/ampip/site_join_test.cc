#include "formats/ampip/site_join.h"

#include <doctest/doctest.h>

namespace orrery::ampip {
namespace {

// Two ranks of which the first has a site (Reduce) that the second does not come to, so that numbers are shifted there;
// and two waits of equal count.
Report shifted_report() {
  Report report;
  const auto site = [&](std::int64_t id, std::int64_t local, std::string call, std::int64_t line) {
    report.sites.push_back({id, local, {}, std::move(call), {{"a.cc", line, "main"}}});
  };
  site(1, 4, "Wait", 40);
  site(2, 1, "Reduce", 10);
  site(3, 3, "Wait", 30);
  site(4, 2, "Bcast", 20);
  const auto time = [&](std::string call, std::int64_t id, std::int64_t rank, std::int64_t count) {
    report.site_times.push_back({std::move(call), id, rank, count, 3, 2, 1, 0, 0});
  };
  for (const std::int64_t rank : {0, 1}) {
    time("Wait", 1, rank, 5);
    if (rank == 0) time("Reduce", 2, rank, 1);
    time("Wait", 3, rank, 5);
    time("Bcast", 4, rank, 7);
  }
  return report;
}

}  // namespace

TEST_CASE("sites are joined by number on the first rank, by call, count and order on others") {
  const Report report = shifted_report();
  const std::vector<RankSites> ranks = {{0, {{1, "Reduce", 1}, {2, "Bcast", 7}, {3, "Wait", 5}, {4, "Wait", 5}}},
                                        {1, {{1, "Bcast", 7}, {2, "Wait", 5}, {3, "Wait", 5}}}};
  const auto joined = join_sites(ranks, report);
  REQUIRE(joined.size() == 2);
  const auto id = [&](std::size_t rank, std::int64_t number) { return joined[rank].at(number)->site; };
  CHECK(id(0, 1) == 2);
  CHECK(id(0, 3) == 3);
  CHECK(id(0, 4) == 1);
  CHECK(id(1, 1) == 4);
  CHECK(id(1, 2) == 3);
  CHECK(id(1, 3) == 1);
}

TEST_CASE("a trace that was cut short has fewer calls, and is joined all the same") {
  const Report report = shifted_report();
  const auto joined = join_sites({{0, {{1, "Reduce", 1}, {2, "Bcast", 3}, {3, "Wait", 2}}}}, report);
  CHECK(joined[0].at(2)->site == 4);
  CHECK(joined[0].at(3)->site == 3);
  CHECK(join_sites({{0, {{1, "Gather", 1}}}}, report)[0].empty());
}

TEST_CASE("two calls on one line are told apart by which came first") {
  Report report;
  report.sites.push_back({1, 25, {}, "Comm_free", {{"a.cc", 13, "main"}}});
  report.sites.push_back({2, 24, {}, "Comm_free", {{"a.cc", 13, "main"}}});
  const auto names = name_sites(report);
  CHECK(names.at(2) == "MPI_Comm_free a.cc:13 main");
  CHECK(names.at(1) == "MPI_Comm_free a.cc:13 main #2");
}

}  // namespace orrery::ampip
