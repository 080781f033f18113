#include <doctest/doctest.h>

#include <cmath>

#include "llm/backtest/backtest.h"
#include "llm/backtest/operator_row.h"
#include "llm/diagnostics.h"
#include "llm/kernels/kernel_benchmark.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

CsvTable table_of(std::string_view text) {
  auto table = parse_csv(text, "t.csv");
  REQUIRE(table.ok());
  return std::move(*table);
}

}  // namespace

TEST_CASE("kernels that cannot be priced are counted by the reason, the others are priced") {
  Diagnostics diagnostics;
  const CsvTable table = table_of("kind,m,n,k,us\ngemm,128,128,128,10\nconv,1,1,1,\nsoftmax,16,,,\n");
  const auto prices = price_kernels(table, shipped_kernel_device("h200"), diagnostics);
  REQUIRE(prices);
  CHECK((*prices)[0].us);
  CHECK(*(*prices)[0].measured_us == 10);
  CHECK_FALSE((*prices)[1].us);
  CHECK_FALSE((*prices)[2].us);
  CHECK(diagnostics.count(kUnknownKernel) == 1);
  CHECK(diagnostics.count(kKernelWithoutSize) == 1);
  // Nothing to take figures over from.
  const auto elsewhere = price_kernels(table_of("kind,m,n\nadd,1,1\n"), {shipped_device("a100")}, diagnostics);
  CHECK_FALSE((*elsewhere)[0].us);
  CHECK(diagnostics.count(kUnmeasuredKernel) == 1);
}

TEST_CASE(
    "products are priced in the formats that the device has rates for, streams in those of a byte or more, norms in 16 "
    "bits, copies in "
    "any") {
  Diagnostics diagnostics;
  const auto prices = price_kernels(
      table_of("kind,dtype,m,n,k\ngemm,bf16,8192,8192,8192\ngemm,fp16,8192,8192,8192\ngemm,fp8,8192,8192,8192\n"
               "gemm,fp4,8192,8192,8192\nlayernorm,fp32,64,64,\ncopy_h2d,u8,64,,\ngemm,,8192,8192,8192\n"
               "gemm,tf32,8192,8192,8192\ngemm,fp32,8192,8192,8192\nadd,fp32,8192,8192,\nadd,bf16,8192,8192,\nadd,fp4,"
               "64,64,\n"),
      shipped_kernel_device("h200"), diagnostics);
  REQUIRE(prices);
  CHECK(*(*prices)[0].us == *(*prices)[1].us);
  CHECK(*(*prices)[0].us == *(*prices)[6].us);
  CHECK(*(*prices)[2].us < 0.6 * *(*prices)[0].us);
  CHECK_FALSE((*prices)[3].us);  // not a format of Hopper
  CHECK_FALSE((*prices)[4].us);
  CHECK((*prices)[5].us);
  CHECK(*(*prices)[7].us > 1.8 * *(*prices)[0].us);
  CHECK(*(*prices)[8].us > 5 * *(*prices)[7].us);  // outside the matrix units
  CHECK(*(*prices)[9].us > 1.9 * *(*prices)[10].us);
  CHECK_FALSE((*prices)[11].us);
  CHECK(diagnostics.count(kKernelFormat) == 3);
}

TEST_CASE("behind a window the interval has the window's error, too; backward nobody measured one") {
  const CsvTable table = table_of(
      "id,kind,batch,heads,seq,dim,window\n"
      "plain,sdpa_fwd,1,16,8192,128,\n"
      "windowed,sdpa_fwd,1,16,8192,128,1024\n"
      "whole,sdpa_fwd,1,16,8192,128,8192\n"
      "backward,sdpa_fwd_bwd,1,16,8192,128,1024\n");
  Diagnostics diagnostics;
  const auto prices = price_kernels(table, shipped_kernel_device("h200"), diagnostics);
  REQUIRE(prices);
  const auto high = [&](std::size_t row) { return std::log(*(*prices)[row].high_us / *(*prices)[row].us); };
  const auto low = [&](std::size_t row) { return std::log(*(*prices)[row].us / *(*prices)[row].low_us); };
  CHECK(high(1) == doctest::Approx(std::hypot(high(0), std::log(1.44))));
  CHECK(low(1) == doctest::Approx(std::hypot(low(0), -std::log(0.65))));
  CHECK(high(2) == doctest::Approx(high(0)));
  CHECK_FALSE((*prices)[3].low_us);
}

TEST_CASE("a cell that is no size ends the run with its place") {
  Diagnostics diagnostics;
  const auto prices =
      price_kernels(table_of("kind,m,n,k\ngemm,128,-3,128\n"), shipped_kernel_device("h200"), diagnostics);
  REQUIRE_FALSE(prices);
  CHECK(prices.error().to_string() ==
        "t.csv: line 2, column 'n': '-3' is no size (a whole number of at least 1, or nothing)");
  CHECK(price_kernels(table_of("m,n\n1,2\n"), shipped_kernel_device("h200"), diagnostics).error().to_string() ==
        "t.csv: line 1: there is no column 'kind' (docs/LLM.md lists the columns)");
}

TEST_CASE("measured rows give errors per data set; rows that lack something are counted") {
  Diagnostics diagnostics;
  const CsvTable table = table_of(
      "id,dataset,phase,gpu,model,layers,hidden,heads,kv_heads,ffn,vocab,seq,gbs,mbs,metric,value,unit,zero,sp,notes\n"
      "a,h200_decode,decode,H200,gpt,4,1024,8,8,4096,32000,2048,4,4,latency,0.000289,s,0,0,\n"
      "b,h200_decode,decode,H200,gpt,4,1024,8,8,4096,32000,x,4,4,latency,0.000289,s,0,0,\n"
      "c,h200_decode,decode,abacus,gpt,4,1024,8,8,4096,32000,2048,4,4,latency,1,s,0,0,\n"
      "d,elsewhere,infer,H100,Unheard-of,,,,,,,128,1,,e2e_latency,1,s,,,\n");
  const auto rows = backtest_rows(table, diagnostics);
  REQUIRE(rows);
  const std::vector<Prediction> predictions = predict(shipped(), *rows, diagnostics);
  CHECK(predictions[0].value);
  CHECK(predictions[0].peak_bytes);
  for (std::size_t i = 1; i < 4; ++i) CHECK_FALSE(predictions[i].value);
  CHECK(diagnostics.count(kNoNumber) == 1);
  CHECK(diagnostics.count(kIncompleteRow) == 1);
  CHECK(diagnostics.count(kUnknownDevice) == 1);
  CHECK(diagnostics.count(kUnknownArchitecture) == 1);
  const report::Sheet sheet = prediction_sheet(*rows, predictions);
  CHECK(sheet.rows() == 4);
  CHECK(sheet.text(sheet.find("kind"), 0) == "eager decode");
  CHECK(sheet.number(sheet.find("predicted"), 0) == *predictions[0].value);
  CHECK_FALSE(sheet.is_null(sheet.find("oom"), 0));
  CHECK(sheet.is_null(sheet.find("predicted"), 1));
  CHECK(sheet.is_null(sheet.find("low"), 1));
  CHECK(sheet.is_null(sheet.find("oom"), 1));
  const auto errors = errors_by_dataset(*rows, predictions);
  CHECK(dataset_sheet(errors).rows() == 1);
  REQUIRE(errors.size() == 1);
  CHECK(errors.at("h200_decode").rows == 1);
  CHECK(errors.at("h200_decode").mean_pct < 10);
  CHECK(backtest_rows(table_of("id,phase\na,train\n"), diagnostics).error().to_string() ==
        "t.csv: line 1: there is no column 'dataset' (docs/LLM.md lists the columns)");
}

TEST_CASE("an interval is what measurements of the kind support; a kind that was hardly measured has none") {
  Catalog catalog = shipped();
  const CsvTable table = table_of(
      "id,dataset,phase,gpu,model,layers,hidden,heads,kv_heads,ffn,vocab,seq,gbs,metric,unit\n"
      "a,h200_decode,decode,H200,gpt,4,1024,8,8,4096,32000,2048,4,latency,s\n");
  Diagnostics diagnostics;
  const auto rows = backtest_rows(table, diagnostics);
  REQUIRE(rows);
  catalog.accuracy.kinds = {{.name = "eager decode", .rows = 10, .low_ratio = 0.9, .high_ratio = 1.2}};
  const Prediction known = predict(catalog, *rows, diagnostics)[0];
  CHECK(*known.low == doctest::Approx(0.9 * *known.value));
  CHECK(*known.high == doctest::Approx(1.2 * *known.value));
  catalog.accuracy.kinds.clear();
  CHECK_FALSE(predict(catalog, *rows, diagnostics)[0].low);
}

TEST_CASE("sharding is read as tables write it") {
  Diagnostics diagnostics;
  const auto rows = backtest_rows(table_of("id,dataset,phase,gpu,metric,unit,zero\na,,,,,,3\nb,,,,,,dist-opt(1)\nc,,,,,"
                                           ",fsdp(2)\nd,,,,,,fsdp\ne,,,,,,\n"),
                                  diagnostics);
  REQUIRE(rows);
  CHECK((*rows)[0].zero_stage == 3);
  CHECK((*rows)[1].zero_stage == 1);
  CHECK((*rows)[2].zero_stage == 2);
  CHECK_FALSE((*rows)[2].sharded);
  CHECK((*rows)[3].sharded);
  CHECK((*rows)[4].zero_stage == 0);
}

TEST_CASE("operators: the shape stands in the notes, and the way of measuring adds what it adds") {
  const machine::Device& device = shipped_device("A100");
  BacktestRow row;
  row.model = "matmul";
  row.notes = "M,K,N=4096,4096,4096";
  const auto compass = operator_value(*find_method(shipped(), "llmcompass"), device, row);
  const auto profiler = operator_value(*find_method(shipped(), "ncu"), device, row);
  REQUIRE(compass);
  REQUIRE(profiler);
  CHECK(*compass > 2 * 4096.0 * 4096 * 4096 / 312e12 * 1e3);
  CHECK(*profiler > *compass);  // the clock is locked to three quarters
  row.notes = "M,K,N=4096,8192,1";
  // Latency along k: 8192 x 35.1 ns, a little more for the waves, and the floor.
  CHECK(*operator_value(*find_method(shipped(), "ncu"), device, row) ==
        doctest::Approx(0.00695 + 8192 * 35.1e-6 * (1 + 0.16 * 64 / 108)));
  row.notes = "dims=1024x1024";
  row.model = "gelu";
  CHECK(*operator_value(*find_method(shipped(), "llmcompass"), device, row) ==
        doctest::Approx(1048576 / (48e-6 + 4 * 1048576 / 1.6e12) * 1e-9));
  row.notes = "nothing";
  CHECK_FALSE(operator_value(*find_method(shipped(), "llmcompass"), device, row));
}

TEST_CASE("who measured is told by the row: what it says outright, what it cites, how its model is called") {
  Diagnostics diagnostics;
  const auto rows =
      backtest_rows(table_of("id,dataset,phase,gpu,metric,unit,model,source,framework,cluster\n"
                             "a,any,train,A100,iteration_time,s,GPT,repo VIA-Research/vTrain data/x.csv,,\n"
                             "b,vtrain_single,train,A100,iteration_time,s,GPT,,,\n"
                             "c,any,decode,H200,latency,s,llama,,,\n"
                             "d,any,train,A100,iteration_time,s,GPT,arXiv:2104.04473 Table 1,pytorch_fsdp,vtrain\n"
                             "e,any,train,A100,iteration_time,s,GPT,,megatron,\n"),
                    diagnostics);
  REQUIRE(rows);
  CHECK(source_of((*rows)[0]).framework == Framework::megatron);
  CHECK(source_of((*rows)[0]).cluster == "vtrain");
  // The name of a data set says nothing.
  CHECK(source_of((*rows)[1]).framework == Framework::nemo);
  CHECK(source_of((*rows)[2]).framework == Framework::eager);
  CHECK(source_of((*rows)[3]).framework == Framework::fsdp);
  CHECK(source_of((*rows)[3]).cluster == "vtrain");
  CHECK(source_of((*rows)[4]).framework == Framework::nemo);
  CHECK(diagnostics.count(kUnknownFramework) == 1);
}

TEST_CASE("notes tell releases, adapters and experts; a job that timed its collectives is one of nanotron's") {
  CHECK(noted("release=v24.11.1; experts=8 top_k=2", "experts") == "8");
  CHECK(noted("release=v24.11.1; experts=8 top_k=2", "top_k") == "2");
  CHECK(noted("more_experts=8", "experts").empty());
  CHECK(release_in("release=v24.11.1; experts=8")->month == 11);
  CHECK(release_in("26.06.01 pretraining")->year == 26);
  CHECK_FALSE(release_in("experts=8"));
  CHECK(says_adapters("lora"));
  CHECK(says_adapters("26.06 LoRA Performance"));
  CHECK_FALSE(says_adapters("pretraining"));
  Diagnostics diagnostics;
  const auto rows = backtest_rows(table_of("id,dataset,phase,gpu,metric,unit,notes,all_reduce_gb_per_s\n"
                                           "a,any,train,H100,iteration_time,s,release=v24.11.1,\n"
                                           "b,any,train,H100,iteration_time,s,26.06 pretraining,\n"
                                           "c,any,train,H100,iteration_time,s,,173.5\n"
                                           "d,any,train,H100,iteration_time,s,,0\n"),
                                  diagnostics);
  REQUIRE(rows);
  CHECK(source_of((*rows)[0]).framework == Framework::nemo);
  CHECK(source_of((*rows)[1]).framework == Framework::megatron_core);
  CHECK(source_of((*rows)[2]).framework == Framework::nanotron);
  CHECK((*rows)[2].bus.all_reduce == 173.5);
  CHECK(source_of((*rows)[3]).framework == Framework::nemo);
}

TEST_CASE("a model's name says how many matrices its MLP has, the notes its experts") {
  Diagnostics diagnostics;
  const auto rows =
      backtest_rows(table_of("id,dataset,phase,gpu,metric,unit,model,layers,hidden,heads,kv_heads,ffn,vocab,notes\n"
                             "a,any,train,H100,iteration_time,s,Nemotron 4 340B,12,18432,96,8,73728,256000,\n"
                             "b,any,train,H100,iteration_time,s,Nemotron 4 340B,12,1024,8,8,4096,256000,\n"
                             "c,any,train,H100,iteration_time,s,Nobody's,12,1024,8,8,4096,256000,experts=8 top_k=2\n"),
                    diagnostics);
  REQUIRE(rows);
  const auto of = [&](std::size_t row) { return *architecture_of(shipped(), source_of((*rows)[row]), (*rows)[row]); };
  CHECK(of(0).plain_mlp);
  CHECK(of(0).layers == 12);
  CHECK_FALSE(of(1).plain_mlp);  // another model that has the name
  CHECK(of(2).experts->count == 8);
  CHECK(of(2).experts->ffn == 4096);
}

TEST_CASE("a schedule stands beside the closed form that it is compared with, or in its place") {
  Diagnostics diagnostics;
  const auto rows = backtest_rows(
      table_of("id,dataset,phase,gpu,metric,unit,model,n_gpus,layers,hidden,heads,ffn,vocab,seq,gbs,mbs,tp,value,"
               "framework\n"
               "a,any,train,H100,iteration_time,s,GPT,8,4,1024,16,4096,32000,2048,8,1,8,2,megatron_core\n"
               "b,any,decode,H200,latency,s,llama,1,,,,,,,,,,,\n"),
      diagnostics);
  REQUIRE(rows);
  const StepModel three_seconds = [](const machine::Device&, const RowPlans&, Diagnostics&) { return 3.0; };
  const std::vector<Prediction> closed = predict(shipped(), *rows, diagnostics);
  const std::vector<Prediction> both = predict(shipped(), *rows, diagnostics, three_seconds, ScheduleUse::beside);
  REQUIRE(closed[0].value);
  CHECK(both[0].value == closed[0].value);
  REQUIRE(both[0].scheduled);
  CHECK(both[0].scheduled->value == 3.0);
  CHECK(both[0].scheduled->kind == "schedule megatron_core iteration_time");
  CHECK_FALSE(both[1].scheduled);
  CHECK(schedule_errors_by_dataset(*rows, both).at("any").mean_pct == doctest::Approx(50));
  CHECK(prediction_sheet(*rows, both).rows() == 2);
  const std::vector<Prediction> instead = predict(shipped(), *rows, diagnostics, three_seconds);
  CHECK(instead[0].value == 3.0);
  CHECK(errors_by_dataset(*rows, instead).at("any").mean_pct == doctest::Approx(50));
}
