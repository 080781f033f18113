#include "analyze/schedule/link_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "report/sheet_text.h"
#include "simulate/small_job.h"

namespace orrery::analyze {
namespace {

using namespace orrery::simulate::testing;

struct Linked {
  workload::Workload job = make_job({{compute(10), compute(20, {0})}, {compute(30)}});
  std::vector<causal::LinkedRank> ranks{2};
  std::vector<std::string> devices = {"a.json", "b.json"}, hosts = {"a.et.json", ""};

  Linked() {
    for (std::size_t r = 0; r < 2; ++r) {
      workload::Program& program = job.programs[job.program_of_rank[r]];
      for (std::size_t i = 0; i < program.size(); ++i) program.starts_ps.set(i, static_cast<TimePs>(10 * i));
      program.starts_ps.complete(program.size());
      ranks[r].rank = static_cast<std::int64_t>(4 + r);
      ranks[r].measured_ps = ranks[r].replayed_ps = 30;
    }
    ranks[0].coverage = {.host_rows = 4, .by_record_function = 2, .by_external_id = 1};
    ranks[0].dependencies[static_cast<std::size_t>(causal::DependencyCause::call_order)] = 3;
    ranks[1].dependencies[static_cast<std::size_t>(causal::DependencyCause::call_order)] = 2;
  }
  [[nodiscard]] LinkAnswer answer() const { return {ranks, job, devices, hosts}; }
};

constexpr std::size_t kBoth[] = {0, 1};

}  // namespace

TEST_CASE("a share of nothing is not known, and neither is a file that was not given") {
  const Linked linked;
  const report::Sheet sheet = linked_ranks_sheet(linked.answer());
  CHECK(sheet.number(sheet.find("operators"), 0) == 75);
  CHECK(sheet.is_null(sheet.find("operators"), 1));
  CHECK(sheet.is_null(sheet.find("attributed_pct"), 0));
  CHECK(sheet.is_null(sheet.find("host"), 1));
  CHECK(sheet.columns()[sheet.find("attributed_pct")].key() == "attributed_pct");
}

TEST_CASE("counts of one rank have its number, sums of several have none") {
  const Linked linked;
  CHECK(report::to_csv(activity_counts_sheet(linked.answer(), std::span(kBoth).first(1))) ==
        "rank,kind,count\n4,compute,2\n");
  CHECK(report::to_csv(activity_counts_sheet(linked.answer(), kBoth)) == "rank,kind,count\n,compute,3\n");
  CHECK(report::to_csv(dependency_counts_sheet(linked.answer(), kBoth)) == "rank,cause,count\n,call_order,5\n");
  CHECK(to_text(dependency_counts_sheet(linked.answer(), kBoth), {}).find("call order") != std::string::npos);
}

TEST_CASE("an activity that replays elsewhere is listed, with its sign; one that does not is not") {
  Linked linked;
  CHECK(replay_errors_sheet(linked.answer(), kBoth).rows() == 0);
  linked.job.programs[linked.job.program_of_rank[0]].starts_ps.set(1, 15);
  const report::Sheet errors = replay_errors_sheet(linked.answer(), kBoth);
  REQUIRE(errors.rows() == 1);
  CHECK(errors.integer(errors.find("rank"), 0) == 4);
  CHECK(errors.integer(errors.find("error"), 0) == -5);
}

TEST_CASE("what was brought together, over all ranks, in words") {
  Linked linked;
  CHECK(coverage_in_words(linked.answer())
            .starts_with("Operators: 3 of 4 found in the profiler trace: 2 by record-function id, 1 by"));
  linked.ranks[1].cut_edges = 2;
  CHECK(coverage_in_words(linked.answer()).find("2 inferred dependencies that lead back") != std::string::npos);
  linked.ranks[0].coverage = {};
  CHECK(coverage_in_words(linked.answer())
            .starts_with("Device work:"));  // without a host trace there is nothing to say of operators
}

}  // namespace orrery::analyze
