#include "job/alignment_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "report/sheet_text.h"

namespace orrery::job {
namespace {

/// A reference, and a node that was 2.5 ms ahead and was set back once.
align::Alignment two_nodes() {
  align::Alignment alignment;
  alignment.calibrated = true;
  alignment.nodes.resize(2);
  alignment.nodes[0].calibrated = true;
  align::NodeAlignment& node = alignment.nodes[1];
  node.rank = 7;
  node.calibrated = true;
  node.observations = 10;
  node.rejected = 3;
  node.steps.push_back({.at_ns = 5'000, .jump_ns = -250});
  node.logical.jumps = 2;
  node.logical.total_push_ps = 1'500'000;
  return alignment;
}

std::vector<NodeCorrection> corrections() {
  std::vector<NodeCorrection> both(2);
  both[1].events = 100;
  both[1].least_ps = -2'500'000'001;
  both[1].median_ps = -2'500'000'000;
  both[1].most_ps = 4'000;
  both[1].file = "out/node7.json";
  return both;
}

}  // namespace

TEST_CASE("corrections keep all their digits, and people see which way they go") {
  const report::Sheet nodes = aligned_nodes_sheet(two_nodes(), corrections());
  CHECK(nodes.number(nodes.find("least_correction"), 1) == -2500.000001);
  const std::string text = to_text(nodes, {.width = 200});
  CHECK(text.find("-2500.000") != std::string::npos);
  CHECK(text.find("+0.004") != std::string::npos);
}

TEST_CASE("what is used and what is rejected add up, and what was not written has no file") {
  const report::Sheet nodes = aligned_nodes_sheet(two_nodes(), corrections());
  CHECK(nodes.integer(nodes.find("observations_used"), 1) == 7);
  CHECK(nodes.integer(nodes.find("observations_rejected"), 1) == 3);
  CHECK(nodes.is_null(nodes.find("file"), 0));
  CHECK(nodes.text(nodes.find("file"), 1) == "out/node7.json");
}

TEST_CASE("steps of one node stand in its object, those of all in one sheet") {
  const align::Alignment alignment = two_nodes();
  CHECK(report::to_csv(clock_steps_sheet(alignment)) == "node,at_us,jump_us\n7,5,-0.25\n");
  CHECK(clock_steps_sheet(alignment, 0).rows() == 0);
  std::string text;
  JsonWriter json(text);
  write_node(json, aligned_nodes_sheet(alignment, corrections()), alignment, 1);
  CHECK(text.starts_with(R"({"node":7,"calibrated":true,"file":"out/node7.json")"));
  CHECK(text.ends_with(R"("steps":[{"node":7,"at_us":5,"jump_us":-0.25}]})"));
}

TEST_CASE("the logical clock is called the same in both sheets") {
  const align::Alignment alignment = two_nodes();
  const report::Sheet nodes = aligned_nodes_sheet(alignment, corrections()), clock = logical_clock_sheet(alignment);
  for (const report::SheetColumn& column : clock.columns()) {
    CAPTURE(column.name);
    REQUIRE(nodes.find(column.name) < nodes.columns().size());
    CHECK(nodes.columns()[nodes.find(column.name)].key() == column.key());
  }
  CHECK(clock.number(clock.find("total_push"), 1) == 1.5);
}

}  // namespace orrery::job
