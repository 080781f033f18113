#include "analyze/schedule_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"

namespace orrery::analyze {
namespace {

struct Run {
  workload::Workload workload;
  simulate::Schedule schedule;
  std::vector<std::string> links = {"a -> b", "b -> a"};

  Run() {
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
        "rank,finish_ns,exposed_comm_ns,compute_ns\n"
        "0,2.5,1.5,1\n"
        "1,3,3,0\n");
}

TEST_CASE("links that carried nothing are left out") {
  const Run run;
  CHECK(report::to_csv(links_sheet(run.schedule, run.links)) == "link,bytes,busy_ns,peak_sharing\nb -> a,64,1,2\n");
  CHECK(links_sheet(run.schedule, {}).rows() == 0);  // a model without links
}

TEST_CASE("a run without collectives says so by an empty sheet, not by none") {
  const Run run;
  const auto sheets = schedule_sheets(run.workload, run.schedule, run.links);
  REQUIRE(sheets.size() == 3);
  CHECK(sheets[2].name() == "collectives");
  CHECK(sheets[2].rows() == 0);
}

}  // namespace orrery::analyze
