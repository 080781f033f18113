#include "formats/ampip/report.h"

#include <doctest/doctest.h>

#include "base/io/file_content.h"

namespace orrery::ampip {
namespace {

const std::string kFolder = std::string(ORRERY_SOURCE_DIR) + "/data/mpi/colls4/";

// Columns of mpiP before 3.5: no TmpID, no HashID; and a place that was not found.
constexpr const char* kOldReport =
    "@ mpiP\n@ Version : 3.4.1\n@ MPI Task Assignment : 0 hosta\n@ MPI Task Assignment : 1 hostb\n"
    "-----\n@--- Callsites: 2 ----\n-----\n"
    " ID Lev File/Address        Line Parent_Funct             MPI_Call\n"
    "  1   0 9-test-mpip-time.c    52 main                     Barrier\n"
    "  2   0 0x0804a0c4                [unknown]                Send\n"
    "-----\n@--- Callsite Time statistics (all, milliseconds): 2 -----\n-----\n"
    "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
    "Barrier              1    0      2     1.5      1        0.5  44.27 100.00\n"
    "Barrier              1    *      2     1.5      1        0.5  44.27 100.00\n"
    "-----\n@--- End of Report -----\n-----\n";

}  // namespace

TEST_CASE("every section of a report") {
  const Result<Report> report = read_report(kFolder + "report.mpiP");
  REQUIRE(report.ok());
  CHECK(report->properties.at(1) == std::pair<std::string, std::string>("Version", "3.5.0"));
  CHECK(report->hosts == std::vector<std::string>{"vm", "vm", "vm", "vm"});
  REQUIRE(report->tasks.size() == 5);
  CHECK(report->tasks[0].mpi_ps == 88'400'000'000);
  CHECK(report->tasks[4].rank == kAllRanks);
  REQUIRE(report->sites.size() == 26);
  CHECK(report->sites[0].call == "Isend");
  CHECK(report->sites[0].local_id == 15);
  CHECK(stack_text(report->sites[0]) == "MPI_Isend colls.cc:10 main");
  CHECK(report->aggregate_times.size() == 20);
  CHECK(report->aggregate_times[0].time_ps == 65'500'000'000);
  CHECK(report->aggregate_sizes.size() == 13);
  CHECK(report->aggregate_sizes[0].total_bytes == 3840);
  CHECK(report->site_times.size() == 126);
  CHECK(report->site_times[0].max_ps == 12'000'000'000);
  CHECK(report->site_times[0].min_ps == 139'000'000);
  CHECK(report->site_sizes.size() == 63);
}

TEST_CASE("the columns of older reports, and places that were not found") {
  const Result<Report> report = parse_report(kOldReport, "old");
  REQUIRE(report.ok());
  REQUIRE(report->sites.size() == 2);
  CHECK_FALSE(report->sites[0].local_id);
  CHECK(stack_text(report->sites[0]) == "MPI_Barrier 9-test-mpip-time.c:52 main");
  CHECK(report->sites[1].stack[0].file == "0x0804a0c4");
  CHECK(stack_text(report->sites[1]).empty());
}

TEST_CASE("a report that was cut short or garbled is told with its byte") {
  const std::string whole = kOldReport;
  const std::string cut = whole.substr(0, whole.find("Barrier              1    *"));
  const Result<Report> report = parse_report(cut, "cut.mpiP");
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message == "the report ends before its end");
  std::string garbled = whole;
  garbled.replace(garbled.find("44.27"), 5, "4?.27");
  REQUIRE_FALSE(parse_report(garbled, "x").ok());
  CHECK(parse_report(garbled, "x").error().offset == whole.find("Barrier              1    0"));
  CHECK_FALSE(parse_report("TRACE", "x").ok());
}

}  // namespace orrery::ampip
