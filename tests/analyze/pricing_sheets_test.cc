#include "analyze/schedule/pricing_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"

namespace orrery::analyze {
namespace {

simulate::PricingReport report_of(simulate::PricingMode mode) {
  simulate::PricingReport report;
  report.mode = mode;
  report.version = "test 1";
  report.makespan_ps = 2'500;
  if (mode != simulate::PricingMode::snapshot) return report;
  report.passes = 2;
  report.isolated_makespan_ps = 2'000;
  report.operations = 7;
  report.coalesced = 1;
  report.snapshots = 3;
  report.max_inflation = 2;
  report.mean_inflation = 1.25;
  report.overlap_mismatch = 0.5;
  report.asked = 4;
  report.cache_hits = 9;
  report.groups = {{"data", 4, 2, 1.5}, {"messages", 3, 1, 1}};
  report.slowest = {{1'000, 1'500, 2, 2}};
  return report;
}

}  // namespace

TEST_CASE("a run by snapshots says what sharing added, by group and where most") {
  const simulate::PricingReport report = report_of(simulate::PricingMode::snapshot);
  CHECK(report::to_csv(pricing_sheet(report)) ==
        "model,mode,version,passes,makespan_ns,isolated_makespan_ns,operations,coalesced,snapshots,failed_snapshots,"
        "max_inflation_pct,"
        "mean_inflation_pct,overlap_mismatch_pct,asked,cache_hits,fallbacks\n"
        "fluid,snapshot,test 1,2,2.5,2,7,1,3,0,100,25,50,4,9,0\n");
  CHECK(report::to_csv(inflation_sheet(report)) ==
        "group,operations,max_inflation_pct,mean_inflation_pct\n"
        "data,4,100,50\n"
        "messages,3,0,0\n");
  CHECK(report::to_csv(slowest_snapshots_sheet(report)) == "start_ns,end_ns,members,inflation_pct\n1,1.5,2,100\n");
  CHECK(pricing_sheets(report).size() == 3);
}

TEST_CASE("what other modes do not know is not zero") {
  const simulate::PricingReport report = report_of(simulate::PricingMode::in_loop);
  REQUIRE(pricing_sheets(report).size() == 1);
  const report::Sheet sheet = pricing_sheet(report);
  CHECK(sheet.is_null(sheet.find("max_inflation"), 0));
  CHECK(sheet.is_null(sheet.find("snapshots"), 0));
  CHECK_FALSE(sheet.is_null(sheet.find("makespan"), 0));
}

}  // namespace orrery::analyze
