#include "analyze/schedule/replay_summary.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "report/sheet_text.h"
#include "simulate/replay.h"
#include "simulate/small_job.h"

namespace orrery::analyze {
namespace {

using namespace orrery::simulate::testing;

/// A replay that was asked for rank by rank, with what its sheets are made of.
struct Replayed {
  workload::Workload job;
  simulate::Schedule schedule;
  ReplaySummary summary;
  std::vector<std::size_t> numbers;

  Replayed(workload::Workload workload, std::vector<std::size_t> rank_numbers)
      : job(std::move(workload)),
        schedule(std::move(*simulate::replay(job, {.rendezvous = false}))),
        summary(summarize_replay(job, schedule, 10)),
        numbers(std::move(rank_numbers)) {}
  [[nodiscard]] ReplayAnswer answer() const { return {job, schedule, summary, numbers}; }
};

workload::Workload with_starts(workload::Workload job, std::size_t rank, const std::vector<TimePs>& starts) {
  for (std::size_t i = 0; i < starts.size(); ++i) job.programs[rank].starts_ps.set(i, starts[i]);
  job.programs[rank].starts_ps.complete(starts.size());
  return job;
}

}  // namespace

TEST_CASE("ranks are called as their files are, and what was not recorded is unknown, not zero") {
  const Replayed replayed(make_job({{compute(2'000'000)}, {compute(4'000'000)}}), {3, 7});
  CHECK(report::to_csv(replayed_ranks_sheet(replayed.answer())) ==
        "rank,nodes,begin_us,finish_us,replayed_us,recorded_us,residual_pct,compute_us,communication_us,exposed_comm_"
        "us,exposed_comm_share_"
        "pct\n"
        "3,1,0,2,2,,,2,0,0,0\n"
        "7,1,0,4,4,,,4,0,0,0\n");
}

TEST_CASE("the residual has its sign, and a departure where it arises") {
  const Replayed replayed(with_starts(make_job({{compute(10'000'000), compute(20'000'000, {0})}}), 0, {0, 12'000'000}),
                          {0});
  const std::string ranks = to_text(replayed_ranks_sheet(replayed.answer()), {});
  CHECK(ranks.find("-6.25 %") != std::string::npos);
  const report::Sheet departures = departures_sheet(replayed.answer());
  REQUIRE(departures.rows() == 1);
  CHECK(departures.integer(departures.find("off"), 0) == -2'000'000);
  CHECK(departures.integer(departures.find("arises"), 0) == -2'000'000);
}

TEST_CASE("lanes of one rank, or of all with their ranks") {
  const Replayed replayed(make_job({{compute(2'000'000)}, {on_host(1'000'000), compute(3'000'000, {0})}}), {0, 1});
  CHECK(report::to_csv(lanes_sheet(replayed.answer(), 1)) ==
        "rank,lane,activities,busy_us,busy_share_pct\n1,host,1,1,25\n1,compute,1,3,75\n");
  CHECK(lanes_sheet(replayed.answer()).rows() == 3);
}

TEST_CASE("remarks name ranks by their files") {
  const Replayed replayed(make_job({{compute(2'000'000)}}), {5});
  Diagnostics diagnostics;
  remark_on_replay(replayed.answer(), diagnostics);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(std::string(diagnostics.sorted()[0].kind->code) == "R402");
  CHECK(diagnostics.sorted()[0].example == "rank 5");
  Diagnostics of_partners;
  remark_on_missing_partners(replayed.answer(), of_partners);
  CHECK(of_partners.empty());  // nothing communicates
}

}  // namespace orrery::analyze
