#include "analyze/schedule/schedule_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "simulate/small_job.h"

namespace orrery::analyze {
namespace {

struct Run {
  workload::Workload workload;
  simulate::Schedule schedule;
  std::vector<std::string> links = {"a -> b", "b -> a"};

  Run() {
    schedule.start_ps.push_back(0);
    schedule.end_ps.push_back(2'000);  // the makespan
    schedule.ranks.push_back({.finish_ps = 2'500, .compute_ps = 1'000, .exposed_ps = 1'500});
    schedule.ranks.push_back({.finish_ps = 3'000, .compute_ps = 0, .exposed_ps = 3'000});
    schedule.link_bytes.push_back(0);
    schedule.link_bytes.push_back(64);
    schedule.link_busy_ps.push_back(0);
    schedule.link_busy_ps.push_back(1'000);
    schedule.link_peak_sharing.push_back(0);
    schedule.link_peak_sharing.push_back(2);
  }
};

}  // namespace

TEST_CASE("ranks of a run, exact to the picosecond") {
  CHECK(report::to_csv(ranks_sheet(Run().schedule)) ==
        "rank,finish_ns,compute_ns,exposed_comm_ns,exposed_comm_share_pct\n"
        "0,2.5,1,1.5,60\n"
        "1,3,0,3,100\n");
  CHECK(last_rank(Run().schedule) == 1);
}

TEST_CASE("links that carried nothing are left out") {
  const Run run;
  CHECK(report::to_csv(links_sheet(run.schedule, run.links)) ==
        "link,bytes,busy_ns,busy_share_pct,peak_sharing\nb -> a,64,1,50,2\n");
  CHECK(links_sheet(run.schedule, {}).rows() == 0);  // a model without links
}

TEST_CASE("a run without collectives says so by an empty sheet, not by none") {
  const Run run;
  CHECK(collectives_sheet(run.workload, run.schedule).rows() == 0);
}

TEST_CASE(
    "collectives of one kind and size are one row: means over their calls, the slowest bandwidth, the longest first") {
  Run run;
  using workload::Collective;
  run.schedule.collectives.push_back({.kind = Collective::all_reduce,
                                      .ranks = 2,
                                      .bytes = 1000,
                                      .first_arrival_ps = 0,
                                      .last_arrival_ps = 10'000,
                                      .end_ps = 30'000});
  run.schedule.collectives.push_back({.kind = Collective::all_reduce,
                                      .ranks = 2,
                                      .bytes = 1000,
                                      .first_arrival_ps = 0,
                                      .last_arrival_ps = 0,
                                      .end_ps = 80'000,
                                      .instances = 2});
  run.schedule.collectives.push_back({.kind = Collective::all_gather,
                                      .ranks = 2,
                                      .bytes = 1000,
                                      .first_arrival_ps = 0,
                                      .last_arrival_ps = 0,
                                      .end_ps = 500'000});
  CHECK(report::to_csv(collective_kinds_sheet(sums_of(run.schedule))) ==
        "kind,ranks,bytes,calls,mean_wait_ns,mean_ns,slowest_bus_gb_per_s\n"
        "all_gather,2,1000,1,0,500,1\n"
        "all_reduce,2,1000,3,3.333,60,12.5\n");
}

TEST_CASE("the pieces of a path, and what those of one name add up to") {
  using namespace orrery::simulate::testing;
  const workload::Workload job = make_job({{compute(10), compute(30, {0})}, {compute(40)}});
  const std::vector<simulate::PathPiece> path = {{{0, 0}, 0, 10'000, simulate::CauseKind::begin},
                                                 {{0, 1}, 10'000, 40'000, simulate::CauseKind::dependency},
                                                 {{1, 0}, 40'000, 80'000, simulate::CauseKind::slot}};
  const report::Sheet pieces = path_pieces_sheet(job, path);
  REQUIRE(pieces.rows() == 3);
  CHECK(pieces.text(pieces.find("after"), 1) == simulate::to_string(simulate::CauseKind::dependency));
  const report::Sheet parts = path_parts_sheet(job, path, 80'000);
  double shares = 0;
  for (std::size_t row = 0; row < parts.rows(); ++row) shares += parts.number(parts.find("share"), row);
  CHECK(shares == doctest::Approx(100));  // pieces touch, and are the makespan
  const report::Sheet nodes = nodes_sheet(make_job({{compute(1)}}), Run().schedule);
  CHECK(report::to_csv(nodes).starts_with("rank,id,start_ns,end_ns\n0,"));
}

}  // namespace orrery::analyze
