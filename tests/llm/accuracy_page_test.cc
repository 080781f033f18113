#include "llm/backtest/accuracy_page.h"

#include <doctest/doctest.h>

#include "llm/backtest/measured_tables.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

BacktestRow row_of(const std::string& id, double measured) {
  BacktestRow row;
  row.id = id;
  row.dataset = "d";
  row.phase = "train";
  row.metric = "latency";
  row.unit = "s";
  row.measured = measured;
  return row;
}
Prediction prediction_of(double value, double low, double high) {
  Prediction one{{.kind = "k", .value = value, .low = low, .high = high}};
  one.unseen_pct = 7.5;
  one.rests_on = "a.yaml";
  return one;
}

}  // namespace

TEST_CASE("a data set has its errors, what was not seen, and how many lie inside their intervals") {
  std::vector<BacktestRow> rows = {row_of("a", 10), row_of("b", 20), row_of("c", 30)};
  std::vector<Prediction> predictions = {prediction_of(11, 9, 12), prediction_of(10, 9, 11), {}};
  // 10 % too long and 50 % too short; one of two inside; the third was not predicted.
  const std::string line = "| d | 2 of 3 | 30.0 | 30.0 | -20.0 | 7.5 | 50.0 | a.yaml |";
  const std::string section = accuracy_section(rows, predictions);
  CHECK(section.find(line) != std::string::npos);
  std::swap(rows[0], rows[2]);
  std::swap(predictions[0], predictions[2]);
  CHECK(accuracy_section(rows, predictions) == section);
  CHECK(section.find("### Schedules") == std::string::npos);
  predictions[1].scheduled = Estimate{.value = 18};
  CHECK(accuracy_section(rows, predictions).find("| d | 1 | 10.0 | 10.0 | -10.0 | 50.0 |") != std::string::npos);
}

TEST_CASE("the section takes the place of the one before, and nothing else changes") {
  const std::string section = "## Language models\n\nnew\n\n";
  CHECK(with_section("", section) == "## Language models\n\nnew\n");
  CHECK(with_section("# Page\n\ntext\n", section) == "# Page\n\ntext\n\n## Language models\n\nnew\n");
  const std::string page = with_section("# Page\n\n## Language models\nold\n### Part\n\n## Motifs\nkept\n", section);
  CHECK(page == "# Page\n\n## Language models\n\nnew\n\n## Motifs\nkept\n");
  CHECK(with_section(page, section) == page);
}

TEST_CASE("tables of kernels and collectives are scored by device and kind") {
  Diagnostics diagnostics;
  const auto kernels = parse_csv("id,device,kind,m,n,k,us\nb,H200,gemm,512,512,512,9\na,A100,gemm,512,512,512,\n", "t");
  REQUIRE(is_kernel_table(*kernels));
  const auto scored = score_kernels(*kernels, shipped(), diagnostics);
  REQUIRE(scored);
  CHECK(scored->rows[0].id == "b");
  CHECK(scored->rows[0].dataset == "gemm on H200");
  CHECK(scored->rows[1].dataset == "gemm on A100");
  CHECK(scored->predictions[1].value);
  const auto collectives = parse_csv("id,device,op,ranks,bytes,us\nc,H100,all_gather,8,1024,10\n", "t");
  CHECK_FALSE(is_kernel_table(*collectives));
  const auto others = score_collectives(*collectives, shipped(), diagnostics);
  REQUIRE(others);
  CHECK(others->rows[0].dataset == "all_gather on H100");
  CHECK(others->predictions[0].unseen_pct);
  CHECK_FALSE(score_collectives(*parse_csv("op,ranks,bytes\nall_gather,8,1\n", "t"), shipped(), diagnostics));
}
