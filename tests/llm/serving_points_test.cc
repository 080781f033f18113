#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "llm/backtest/measured_tables.h"
#include "llm/backtest/serving_points.h"
#include "llm/backtest/stack_fit.h"
#include "llm/diagnostics.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

constexpr std::string_view kHead =
    "id,model,gpu,stack,precision,devices,tensor,data,expert,concurrency,prompt,generate,ttft_ms,tpot_ms\n";

CsvTable points_table(const std::string& rows) {
  auto table = parse_csv(std::string(kHead) + rows, "p.csv");
  REQUIRE(table.ok());
  return std::move(*table);
}

/// What is predicted of one point.
Prediction answer(const std::string& row) {
  Diagnostics diagnostics;
  const auto scored = score_serving(points_table(row + "\n"), shipped(), diagnostics);
  REQUIRE(scored);
  return scored->predictions[0];
}
double tpot_ms(const std::string& row) {
  const Prediction prediction = answer(row);
  REQUIRE(prediction.value);
  return *prediction.value;
}

}  // namespace

TEST_CASE("a step reads the weights, and those of all experts only when there are tokens for them") {
  // 70.6e9 parameters of a byte at 4.8 TB/s are 14.5 ms; nothing is faster, and launches are not twice as much.
  const double alone = tpot_ms("a,Llama-3.1-70B,H200,vllm,fp8,1,1,1,1,1,1024,1024,,");
  CHECK(alone > 14.5);
  CHECK(alone < 29);
  CHECK(tpot_ms("a,Llama-3.1-70B,H200,vllm,bf16,1,1,1,1,1,1024,1024,,") > 1.6 * alone);
  CHECK(tpot_ms("a,Llama-3.1-70B,H200,vllm,fp8,8,8,1,1,1,1024,1024,,") < 0.5 * alone);
  const std::string experts = "a,DeepSeek-V3,B200,sglang,fp8,8,8,1,8,";
  CHECK(tpot_ms(experts + "64,1024,1024,,") > 1.5 * tpot_ms(experts + "1,1024,1024,,"));
  // A hub's organisation and what follows the size say nothing of the shape; R1 has that of V3.
  CHECK(tpot_ms("a,deepseek-ai/DeepSeek-R1-0528,B200,sglang,FP8,8,8,1,1,1,1024,1024,,") ==
        tpot_ms(experts + "1,1024,1024,,"));
}

TEST_CASE("prompts of others come between the tokens of one, the more the shorter the answers are") {
  const std::string server = "a,Llama-3.1-70B,H200,trtllm,fp8,4,4,1,1,";
  const double longer = tpot_ms(server + "32,8192,8192,,"), shorter = tpot_ms(server + "32,8192,1024,,");
  CHECK(shorter > 1.3 * longer);
  CHECK(*answer(server + "32,8192,1024,,").served->ttft_ms > *answer(server + "4,8192,1024,,").served->ttft_ms);
}

TEST_CASE("requests whose cache does not fit wait, and slow nobody down") {
  const std::string server = "a,Llama-3.1-70B,H200,trtllm,fp8,1,1,1,1,";
  const Prediction full = answer(server + "64,8192,1024,,"), overfull = answer(server + "128,8192,1024,,");
  CHECK(*full.value == *overfull.value);
  CHECK(*overfull.served->ttft_ms > 60e3);  // measured: 127.8 s
  CHECK(*answer(server + "32,8192,1024,,").value < *full.value);
  // Weights that do not fit by the count were measured all the same: no limit is known.
  const std::string tight = "a,GLM-5,H100,sglang,fp8,8,8,1,1,";
  CHECK(tpot_ms(tight + "64,1024,1024,,") > tpot_ms(tight + "4,1024,1024,,"));
}

TEST_CASE("intervals lie around the prediction") {
  const Prediction one = answer("a,Qwen3-235B-A22B,H100,sglang,fp8,8,8,1,8,16,1024,1024,,");
  REQUIRE(one.low);
  CHECK(*one.low < *one.value);
  CHECK(*one.high > *one.value);
  CHECK(*one.unseen_pct > 5);
}

TEST_CASE("a point with a word that is not known is counted, and the others are answered") {
  Diagnostics diagnostics;
  const auto scored =
      score_serving(points_table("a,Llama-3.1-70B,H200,vllm,fp8,1,1,1,1,4,1024,1024,,\n"
                                 "b,Mystery-7,H200,vllm,fp8,1,1,1,1,4,1024,1024,,\n"
                                 "c,Llama-3.1-70B,Z9,vllm,fp8,1,1,1,1,4,1024,1024,,\n"
                                 "d,Llama-3.1-70B,H200,homemade,fp8,1,1,1,1,4,1024,1024,,\n"
                                 "e,Llama-3.1-70B,H200,vllm,fp5,1,1,1,1,4,1024,1024,,\n"
                                 "f,Llama-3.1-70B,H200,vllm,fp8,4,8,1,8,4,1024,1024,,\n"
                                 // Nobody measured it on that generation: what all stacks have in common.
                                 "g,Llama-3.1-8B,A100,TRT-LLM,bf16,1,1,1,1,4,1024,1024,,9\n"),
                    shipped(), diagnostics);
  REQUIRE(scored);
  CHECK(scored->predictions[0].value);
  for (std::size_t i = 1; i < 6; ++i) CHECK_FALSE(scored->predictions[i].value);
  CHECK(scored->predictions[6].value);
  CHECK(*scored->rows[6].measured == 9);
  for (const DiagnosticKind& kind :
       {kUnknownArchitecture, kUnknownDevice, kUnknownStack, kUnknownPrecision, kUnevenServer})
    CHECK(diagnostics.count(kind) == 1);
}

TEST_CASE("cells that are no counts or times are refused with line and column") {
  const auto refused = [](const std::string& row) {
    const auto points = serving_points(points_table(row + "\n"));
    REQUIRE_FALSE(points);
    return points.error().to_string();
  };
  CHECK(
      refused("a,M,H200,vllm,fp8,1,1,1,1,many,1024,1024,,").starts_with("p.csv: line 2, column 'concurrency': 'many'"));
  CHECK(refused("a,M,H200,vllm,fp8,1,,1,1,4,1024,1024,,").starts_with("p.csv: line 2, column 'tensor': ''"));
  CHECK(refused("a,M,H200,vllm,fp8,1,1,1,1,4,1024,0,,").starts_with("p.csv: line 2, column 'generate': '0'"));
  CHECK(refused("a,M,H200,vllm,fp8,1,1,1,1,4,1024,1024,,-3").starts_with("p.csv: line 2, column 'tpot_ms': '-3'"));
  const auto narrow = parse_csv("id,stack,concurrency\na,vllm,1\n", "p.csv");
  CHECK(is_serving_table(*narrow));
  CHECK(serving_points(*narrow).error().to_string().find("no column 'model'") != std::string::npos);
}

namespace {

/// Points of two models on one stack, timed by a server with these rates; each many times, so that they outweigh what
/// the constants are pulled to.
std::vector<ServingPoint> timed_points(const StackRates& truth) {
  std::string rows;
  for (const char* model : {"Llama-3.1-70B", "Qwen3-235B-A22B"}) {
    for (const int tensor : {2, 8}) {
      for (const int concurrency : {1, 8, 64}) {
        for (const char* lengths : {"1024,1024", "8192,1024", "1024,8192"})
          rows += fmt::format("p,{},B200,vllm,fp8,{},{},1,1,{},{},,\n", model, tensor, tensor, concurrency, lengths);
      }
    }
  }
  auto points = serving_points(points_table(rows));
  REQUIRE(points);
  Diagnostics diagnostics;
  for (ServingPoint& point : *points) {
    const auto known = known_point(shipped(), point, diagnostics);
    REQUIRE(known);
    point.tpot_ms = 1e3 * closed_loop(*known->device, shipped().stacks, truth, *known->model, known->loop).token_s;
  }
  std::vector<ServingPoint> repeated;
  for (int time = 0; time < 20; ++time) repeated.insert(repeated.end(), points->begin(), points->end());
  return repeated;
}

}  // namespace

TEST_CASE("rates that made the points are found again, and the file that is written reads back") {
  StackRates truth = shipped().stacks.start;
  truth.layer_us = 60;
  truth.memory_share = 0.65;
  truth.prompt_matrix_share = 0.4;
  Diagnostics diagnostics;
  const auto points = timed_points(truth);
  const auto fit = fit_stacks(shipped(), points, diagnostics);
  REQUIRE(fit);
  const StackRates* found = find_stack(fit->constants, "vllm", "blackwell");
  REQUIRE(found != nullptr);
  CHECK(found->layer_us == doctest::Approx(60).epsilon(0.1));
  CHECK(found->memory_share == doctest::Approx(0.65).epsilon(0.1));
  double start = 0, fitted = 0;
  for (const FittedPoint& point : fit->points) {
    start += std::abs(point.start_ms / point.measured_ms - 1);
    fitted += std::abs(point.fitted_ms / point.measured_ms - 1);
  }
  CHECK(fitted < 0.2 * start);
  const std::string path = "stacks_test.yaml";
  const std::string text = stacks_yaml(*fit, "some/where/p.csv", "nobody, CC0");
  CHECK(text.find("Points: 720 of p.csv: nobody, CC0") != std::string::npos);
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs(text.c_str(), file);
  std::fclose(file);
  const auto read = read_stacks(path);
  std::remove(path.c_str());
  REQUIRE_MESSAGE(read.ok(), (read ? "" : read.error().to_string()));
  CHECK(read->common.layer_us == fit->constants.common.layer_us);
  CHECK(read->stacks.size() == fit->constants.stacks.size());
  CHECK(read->unseen.high_ratio == fit->constants.unseen.high_ratio);
  // A stack that nobody measured before gets an entry of its own.
  auto others = points;
  for (ServingPoint& point : others) point.stack = "homemade";
  others.resize(36);
  const auto wider = fit_stacks(shipped(), others, diagnostics);
  REQUIRE(wider);
  // Few points move little.
  CHECK(wider->constants.common.layer_us < 50);
  CHECK(find_stack(wider->constants, "homemade", "blackwell") == &wider->constants.stacks.back());
  // With one model none can be left out.
  others.resize(3);
  CHECK(fit_stacks(shipped(), others, diagnostics).error().to_string().find("too few measured models") !=
        std::string::npos);
}

TEST_CASE("rows that cite NIM are loops whose first token lies between evenly spread and all together") {
  const auto row = [](const char* metric, int requests) {
    const auto table =
        parse_csv(fmt::format("id,dataset,phase,gpu,metric,unit,model,seq,decode_len,gbs,tp,precision,source\n"
                              "r,any,infer,A100-80GB-SXM,{},ms,Llama-3.3-70B,200,200,{},8,bf16,docs.nvidia.com/nim\n",
                              metric, requests),
                  "r.csv");
    Diagnostics diagnostics;
    const auto rows = backtest_rows(*table, diagnostics);
    REQUIRE(rows);
    return predict(shipped(), *rows, diagnostics)[0];
  };
  const Prediction alone = row("ttft", 1), many = row("ttft", 25);
  CHECK(alone.kind == "served ttft");
  CHECK(alone.rests_on == "data/frameworks/serving_stacks.yaml");
  CHECK(*alone.value == doctest::Approx(47.7).epsilon(0.05));  // measured
  CHECK(*many.value > *alone.value);
  CHECK(*many.low < 1.2 * *alone.value);
  CHECK(*many.high > 528);  // measured: all together
  // 25 requests of 200 tokens, each of which takes its first token and 199 more.
  const double each_s = (*many.value + 199 * *row("itl", 25).value) * 1e-3;
  CHECK(*row("throughput", 25).value == doctest::Approx(25 * 200 / each_s));
}
