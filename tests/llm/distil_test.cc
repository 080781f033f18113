#include "llm/distil/distil.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "llm/kernels/kernel_benchmark.h"
#include "llm/kernels/relative.h"
#include "shipped.h"

using namespace orrery::llm;
using orrery::machine::WarmKernel, orrery::machine::WarmKind;

namespace {

/// Products as a device would run them whose kernels take `factor` times as long where n is large.
std::vector<MeasuredKernel> made_up_products(double factor) {
  std::vector<MeasuredKernel> kernels;
  for (const double m : {1.0, 16.0, 256.0, 4096.0}) {
    for (const double n : {256.0, 1024.0, 4096.0, 16384.0}) {
      for (const double k : {256.0, 1024.0, 4096.0}) {
        const WarmKernel kernel{.kind = WarmKind::gemm, .m = m, .n = n, .k = k};
        const double seconds =
            warm_time(shipped_device("h100"), orrery::machine::usual_constants(WarmKind::gemm), kernel).seconds;
        kernels.push_back({kernel, seconds * 1e6 * (n > 2000 ? factor : 1)});
      }
    }
  }
  return kernels;
}

std::string distilled_text(const std::vector<MeasuredKernel>& kernels) {
  return to_yaml(distil(shipped_device("h100"), kernels).front());
}

}  // namespace

TEST_CASE("what the formula cannot say, the table does") {
  const auto table = distil_format(shipped_device("h100"), made_up_products(1.5));
  CHECK(table.accuracy.rows == 48);
  CHECK(table.accuracy.seen_pct < 5);
  CHECK(table.accuracy.seen_pct <= table.accuracy.held_out_pct);
  CHECK(table.accuracy.formula_pct > table.accuracy.seen_pct);
}

TEST_CASE("groups that were not seen count for how stiff a table is, and for intervals of what was not measured") {
  // Every other n is off by as much up as its neighbours are down: what one group says of the next is wrong.
  std::vector<MeasuredKernel> kernels = made_up_products(1);
  for (MeasuredKernel& one : kernels) one.us *= std::exp(0.3 * std::cos(2.3 * one.kernel.n + 1.1 * one.kernel.k));
  const auto table = distil_format(shipped_device("h100"), kernels);
  CHECK(table.accuracy.held_out_pct > table.accuracy.seen_pct);
  CHECK(table.unseen_intervals[1].high_ratio > table.intervals[1].high_ratio);
  CHECK(table.was_measured(kernels[7].kernel));
  CHECK_FALSE(table.was_measured({.m = 17, .n = 256, .k = 256}));
}

TEST_CASE("the order of rows does not matter") {
  std::vector<MeasuredKernel> kernels = made_up_products(1.3);
  const std::string once = distilled_text(kernels);
  std::reverse(kernels.begin(), kernels.end());
  CHECK(distilled_text(kernels) == once);
}

TEST_CASE("each library's calls have tables of their own") {
  std::vector<MeasuredKernel> kernels = made_up_products(1);
  for (MeasuredKernel& one : kernels) one.library = "one";
  for (MeasuredKernel slower : made_up_products(1)) {
    slower.us *= 2;
    slower.library = "two";
    kernels.push_back(slower);
  }
  const auto tables = distil(shipped_device("h100"), kernels);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].formats.size() == 2);
  const auto again = orrery::machine::parse_kernel_table(to_yaml(tables[0]), "gemm.yaml", "H100", WarmKind::gemm);
  REQUIRE(again);
  const WarmKernel kernel{.kind = WarmKind::gemm, .m = 256, .n = 1024, .k = 1024};
  const auto us = [&](std::string_view library) {
    return warm_price(shipped_device("h100"), *again->find(kernel, library), kernel).seconds;
  };
  CHECK(us("two") / us("one") == doctest::Approx(2).epsilon(0.05));
  CHECK(us("") == us("one"));
  CHECK(us("three") == us("one"));
}

TEST_CASE("another library's call is less certain, the more so if it may not quantise") {
  const auto table = orrery::parse_csv(
      "id,kind,dtype,m,n,k,library\n"
      "own,gemm,fp8,512,4096,4096,vllm\n"
      "other,gemm,fp8,512,4096,4096,trtllm\n"
      "own16,gemm,bf16,512,4096,4096,vllm\n"
      "other16,gemm,bf16,512,4096,4096,trtllm\n",
      "t.csv");
  REQUIRE(table);
  orrery::Diagnostics diagnostics;
  const auto prices = price_kernels(*table, shipped_kernel_device("h200"), diagnostics);
  REQUIRE(prices);
  const auto low = [&](std::size_t row) { return *(*prices)[row].low_us / *(*prices)[row].us; };
  CHECK(*(*prices)[1].us == *(*prices)[0].us);
  CHECK((*prices)[0].basis == "measured");
  CHECK((*prices)[1].basis == "measured, vllm");
  CHECK(low(1) < 0.9 * low(0));
  CHECK(low(3) < low(2));
  CHECK(low(1) < low(3));
  CHECK(diagnostics.count(kEstimatedKernel) == 2);
}

TEST_CASE("a datasheet takes constants and tables of its nearest relative, whatever it is called") {
  auto sheet = shipped_device("h200");
  const std::string tables = sheet.tables_folder;
  sheet.name = "Device H";
  sheet.gemm = {};
  sheet.attention = {};
  sheet.elementwise = {};
  sheet.tables_folder.clear();
  complete_constants(shipped().devices, sheet);
  CHECK(sheet.constants_from == "H200");
  CHECK(sheet.gemm == shipped_device("h200").gemm);
  const auto table = orrery::parse_csv("id,kind,dtype,m,n,k,run\na,gemm,bf16,500,4096,4096,warm\n", "t.csv");
  REQUIRE(table);
  orrery::Diagnostics diagnostics;
  const auto own = price_kernels(*table, shipped_kernel_device("h200"), diagnostics);
  const auto taken = price_kernels(*table, kernel_device(shipped().devices, sheet), diagnostics);
  REQUIRE(own);
  REQUIRE(taken);
  CHECK(own->front().basis == "measured");
  CHECK(taken->front().basis == "H200");
  CHECK(*taken->front().us == *own->front().us);
  // Every rate is the H200's, so that there is nothing to be uncertain about.
  CHECK(*taken->front().high_us == *own->front().high_us);
}

TEST_CASE("how near relatives are follows from what their datasheets say") {
  using orrery::machine::Kinship;
  const auto related = [](const std::string& one, const std::string& other) {
    return kinship(shipped_device(one), shipped_device(other));
  };
  CHECK(related("h100", "h200") == Kinship::close);
  CHECK(related("b200", "gb200") == Kinship::close);
  CHECK(related("gb200", "gb300") == Kinship::refreshed);
  CHECK(related("h100", "b200") == Kinship::distant);
  CHECK(related("a100_80", "l40s") == Kinship::distant);
  auto sheet = shipped_device("gb300");
  sheet.generation = "blackwell";  // as some call it: fp4 in another ratio tells
  CHECK(kinship(shipped_device("gb200"), sheet) == Kinship::refreshed);
  const auto has_tables = [](const orrery::machine::Device& one) { return !one.tables_folder.empty(); };
  CHECK(nearest_relative(shipped().devices, sheet, has_tables)->name == "GB200");
  CHECK(nearest_relative(shipped().devices, shipped_device("b300"), has_tables)->name == "B200");
}

TEST_CASE("rows name their device, and say whose call was timed") {
  const auto table = orrery::parse_csv(
      "id,device,kind,dtype,kv_dtype,m,n,k,batch,heads,kv_heads,seq,dim,window,hidden,inter,experts,top_k,library\n"
      "a,A100,gemm,fp8,,512,4096,4096,,,,,,,,,,,vllm\n"
      "b,H100,gemm,fp8,,512,4096,4096,,,,,,,,,,,vllm\n"
      "c,H100,gemm,bf16,,512,4096,,,,,,,,,,,,vllm\n"
      "d,B200,moe,nvfp4,,64,,,,,,,,,7168,2048,256,8,\n"
      "e,H200,sdpa_decode,bf16,fp8,,,,8,32,8,4096,128,0,,,,,vllm\n",
      "t.csv");
  REQUIRE(table);
  orrery::Diagnostics diagnostics;
  KernelDevices devices(&shipped(), shipped_kernel_device("h200"));
  const auto prices = price_kernels(*table, devices, diagnostics);
  REQUIRE(prices);
  CHECK_FALSE((*prices)[0].us);  // no rate for the format
  CHECK((*prices)[1].us);
  CHECK_FALSE((*prices)[2].us);  // no k
  CHECK((*prices)[3].us);
  CHECK((*prices)[4].us);
  CHECK((*prices)[4].id == "e");
  const auto unknown = orrery::parse_csv("device,kind,m,n,k\nH999,gemm,1,1,1\n", "t.csv");
  const auto none = price_kernels(*unknown, devices, diagnostics);
  REQUIRE_FALSE(none);
  CHECK(none.error().to_string().find("line 2, column 'device': there is no device called 'H999'") !=
        std::string::npos);
}
