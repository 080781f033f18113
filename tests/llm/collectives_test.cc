#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "llm/collectives/collective_fit.h"
#include "llm/collectives/collective_prices.h"
#include "llm/diagnostics.h"
#include "llm/measurements.h"
#include "llm/shipped.h"
#include "machine/device/collective_yaml.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

CsvTable table_of(std::string_view text) {
  auto table = parse_csv(text, "t.csv");
  REQUIRE(table.ok());
  return std::move(*table);
}

std::string error_of(std::string_view text) {
  const auto rows = collective_rows(table_of(text));
  return rows ? "" : rows.error().to_string();
}

/// Rows of two protocols on a link of 100 GB/s, of 2 and 8 ranks.
std::vector<CollectiveRow> two_protocols() {
  std::vector<CollectiveRow> rows;
  for (const std::int64_t ranks : {2, 8}) {
    for (int power = 10; power <= 28; power += 2) {
      const double bytes = std::exp2(power), wire = (static_cast<double>(ranks) - 1) / static_cast<double>(ranks);
      const double small = 5 + static_cast<double>(ranks) - 1 + wire * bytes / 5e3;
      const double large = 15 + static_cast<double>(ranks) - 1 + wire * bytes / 7e4;
      rows.push_back({.library = "nccl",
                      .version = "1",
                      .op = machine::NodeCollective::all_gather,
                      .ranks = ranks,
                      .bytes = static_cast<std::int64_t>(bytes),
                      .measured_us = std::min(small, large)});
    }
  }
  return rows;
}

double mean_error(const machine::CollectiveLines& lines, const std::vector<CollectiveRow>& rows) {
  double sum = 0;
  for (const CollectiveRow& row : rows) {
    const auto* law = machine::nearest_law(lines, row.op, row.library, row.version);
    sum += std::abs(error_pct(machine::price(*law, row.call(), 100e9).us, *row.measured_us));
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace

TEST_CASE("lines of a law are found again, also between sizes and ranks that were measured") {
  Diagnostics diagnostics;
  const auto rows = two_protocols();
  const auto fit = fit_collectives(rows, 100e9, diagnostics);
  REQUIRE(fit);
  CHECK(mean_error(fit->lines, rows) < 1);
  CHECK(fit->held_out.size() == 2 * 8);  // the smallest and the largest size are not left out
  double held_out = 0;
  for (const HeldOutCollective& one : fit->held_out)
    held_out += std::abs(error_pct(one.us, *rows[one.row].measured_us)) / 16;
  CHECK(held_out < 10);
  machine::CollectiveCall four{.op = machine::NodeCollective::all_gather, .ranks = 4, .bytes = 1 << 26};
  CHECK(machine::price(fit->lines.laws[0], four, 100e9).us ==
        doctest::Approx(18 + 0.75 * (1 << 26) / 7e4).epsilon(0.05));
}

TEST_CASE("what is learnt does not depend on the order of rows, and rows without a time teach nothing") {
  Diagnostics diagnostics;
  auto rows = two_protocols();
  const auto forward = fit_collectives(rows, 100e9, diagnostics);
  std::reverse(rows.begin(), rows.end());
  rows.push_back({.id = "x", .op = machine::NodeCollective::all_reduce, .ranks = 2, .bytes = 8});
  const auto backward = fit_collectives(rows, 100e9, diagnostics);
  CHECK(forward->lines == backward->lines);
  CHECK(diagnostics.count(kCollectiveNotMeasured) == 1);
  CHECK_FALSE(fit_collectives({rows.back()}, 100e9, diagnostics));
  // What no name says can be written all the same.
  for (CollectiveRow& row : rows) row.library = row.version = "";
  const auto unnamed = fit_collectives(rows, 100e9, diagnostics);
  CHECK(machine::parse_collectives(machine::to_yaml([&] {
                                     machine::CollectiveLines lines = unnamed->lines;
                                     lines.source = "a test";
                                     return lines;
                                   }()),
                                   "c.yaml"));
}

TEST_CASE("a cell of a table of collectives that makes no sense is refused with line and column") {
  const std::string head = "id,device,library,op,ranks,dtype,bytes,nodes\n";
  CHECK(error_of(head + "x,H100,nccl,all_reduce,8,fp16,-5,\n").find("line 2, column 'bytes': -5 is less than 0") !=
        std::string::npos);
  CHECK(error_of(head + "x,H100,nccl,all_reduce,1,fp16,5,\n").find("column 'ranks': 1 is less than 2") !=
        std::string::npos);
  CHECK(error_of(head + "x,H100,nccl,all_redcue,8,fp16,5,\n").find("did you mean 'all_reduce'?") != std::string::npos);
  CHECK(error_of(head + "x,H100,nccl,all_reduce,8,fp17,5,\n").find("column 'dtype'") != std::string::npos);
  CHECK(error_of(head + "x,H100,nccl,all_reduce,8,fp16,many,\n").find("'many' is no whole number") !=
        std::string::npos);
  CHECK(error_of(head + "x,H100,nccl,all_reduce,8,fp16,5,3\n").find("column 'nodes'") != std::string::npos);
  CHECK(error_of("id,op\nx,all_reduce\n").find("no column 'ranks'") != std::string::npos);
  CHECK(error_of(head + "x,H100,nccl,all_reduce,,fp16,,\n").empty());
}

TEST_CASE("collectives are priced by their device, else by the one most like it, which is said") {
  Diagnostics diagnostics;
  const CsvTable table = table_of(
      "id,device,library,version,op,ranks,dtype,bytes,nodes\n"
      "own,H100,nccl,2.29.2,all_reduce,8,fp16,268435456,\nlike,H200,nccl,2.29.2,all_reduce,8,fp16,268435456,\n"
      "usual,,nccl,,all_reduce,4,fp16,1024,\nnone,H100,nccl,,all_reduce,4,fp16,,\n"
      "rails,H100,nccl,,all_reduce,16,fp16,268435456,2\nother,V100,nccl,,all_reduce,8,fp16,268435456,\n");
  const auto rows = collective_rows(table);
  REQUIRE(rows);
  const auto prices = price_collectives(table, *rows, shipped(), shipped_device("h100"), diagnostics);
  REQUIRE(prices);
  const auto& [own, like, usual, none, rails, other] =
      std::tie((*prices)[0], (*prices)[1], (*prices)[2], (*prices)[3], (*prices)[4], (*prices)[5]);
  CHECK(own->us == doctest::Approx(1092).epsilon(0.03));  // as measured
  CHECK(own->basis == "H100 nccl 2.29.2");
  CHECK(like->us == own->us);  // the same link
  CHECK(like->basis == "H100 nccl 2.29.2, at the link of H200");
  CHECK(*like->high_us / like->us > *own->high_us / own->us);
  CHECK(usual->basis == "H100 nccl 2.29.2");
  CHECK_FALSE(none);
  CHECK(diagnostics.count(kCollectiveWithoutSize) == 1);
  CHECK(rails->us > own->us);
  // Latencies do not go with the link's rate.
  CHECK(std::log(*other->high_us / other->us) > 2 * std::log(*like->high_us / like->us));
  const CsvTable unknown = table_of("id,device,op,ranks,bytes\nx,H999,all_reduce,8,5\n");
  const auto refused =
      price_collectives(unknown, *collective_rows(unknown), shipped(), shipped_device("h100"), diagnostics);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().to_string().find("line 2, column 'device': there is no device called 'H999'") !=
        std::string::npos);
}
