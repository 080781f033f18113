// How recorded communication went, by kind, group and size.
#include "analyze/whatif/recorded_collectives.h"

#include <doctest/doctest.h>

#include "analyze/small_job.h"
#include "report/sheet_csv.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::SmallJob;

namespace {

/// Rank 2 comes last to the first sum, by 6; rank 0 to the second, by 1.
causal::CausalGraph two_sums() {
  SmallJob job(3);
  const SmallJob::Collective sum{.transfer = 2 * kPsPerUs, .bytes = 3'000};
  for (std::uint32_t r = 0; r < 3; ++r) {
    job.work(r, "f", (r == 2 ? 10 : 4) * kPsPerUs);
    job.communicate(r, "first", sum);
    job.work(r, "g", (r == 0 ? 3 : 2) * kPsPerUs);
    job.communicate(r, "second", sum);
  }
  return job.make();
}

}  // namespace

TEST_CASE("calls of one kind, group and size are one row, with who came last") {
  const std::vector<CollectiveRow> rows = recorded_collectives(two_sums());
  REQUIRE(rows.size() == 1);
  const CollectiveRow& row = rows.front();
  CHECK(row.what == "all_reduce");
  CHECK(row.group == "world");
  CHECK(row.calls == 2);
  CHECK(row.transfer == 4 * kPsPerUs);
  CHECK(row.wait == 7 * kPsPerUs);
  // 3,000 bytes in 2 us, of which the link of one of three ranks carries 2 * 2 / 3.
  CHECK(row.median_bus.value_or(0) == doctest::Approx(3'000 / 2e-6 * 4 / 3));
  CHECK(row.slowest_bus == row.median_bus);
  CHECK(row.late_rank == 2);
  CHECK(row.late_calls == 1);
}

TEST_CASE("sizes and groups are told apart, and what takes longest comes first") {
  SmallJob job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    job.communicate(r, "small", {.transfer = 1 * kPsPerUs, .bytes = 8});
    job.communicate(r, "unknown", {.what = "all_gather", .group = "pairs", .transfer = 5 * kPsPerUs, .bytes = -1});
    job.communicate(r, "large", {.transfer = 3 * kPsPerUs, .bytes = 1 << 20});
  }
  const report::Sheet sheet = recorded_collectives_sheet(recorded_collectives(job.make()));
  REQUIRE(sheet.rows() == 3);
  CHECK(sheet.text(sheet.find("what"), 0) == "all_gather");
  CHECK(sheet.is_null(sheet.find("bytes"), 0));  // not recorded, so nothing is known of bandwidth
  CHECK(sheet.is_null(sheet.find("median_bus"), 0));
  CHECK(sheet.integer(sheet.find("bytes"), 1) == 1 << 20);
  CHECK(sheet.integer(sheet.find("bytes"), 2) == 8);
  CHECK(sheet.is_null(sheet.find("late_rank"), 2));  // nobody was late
}

TEST_CASE("a broadcast waits for its root alone") {
  SmallJob job(3);
  const SmallJob::Collective spread{.what = "broadcast", .transfer = 2 * kPsPerUs, .bytes = 1'000, .root = 1};
  for (std::uint32_t r = 0; r < 3; ++r) {
    job.work(r, "f", (r == 1 ? 5 : r == 2 ? 9 : 1) * kPsPerUs);
    job.communicate(r, "spread", spread);
  }
  const std::vector<CollectiveRow> rows = recorded_collectives(job.make());
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].wait == 4 * kPsPerUs);  // rank 0 for rank 1; rank 2 comes after the root and waits for nobody
  CHECK(rows[0].late_rank == 1);
}
