// Steps, prices and provenance of the table `works`, held against what the analyses say.
#include <doctest/doctest.h>

#include "query/small_database.h"

namespace {

using namespace orrery;
using Rows = std::vector<std::string>;

/// Two products in one step of an engine, the second by two kernels of 20 and 10 us, then what no operator launched.
constexpr std::string_view kTwoProducts = R"({"traceEvents": [
  {"ph":"X","cat":"user_annotation","name":"step[EXTEND bs=2 toks=90]","pid":1,"tid":1,"ts":0,"dur":40},
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":9,"args":{"Input Dims":[[32,64],[64,16]],"Input type":["float","float"]}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":1}},
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":11,"dur":19,"args":{"Input Dims":[[32,64],[64,16]],"Input type":["float","float"]}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":12,"dur":2,"args":{"correlation":2}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":22,"dur":2,"args":{"correlation":3}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":52,"dur":2,"args":{"correlation":4}},
  {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":5,"dur":10,"args":{"correlation":1,"device":0,"stream":7}},
  {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":20,"args":{"correlation":2,"device":0,"stream":7}},
  {"ph":"X","cat":"kernel","name":"splitK","pid":0,"tid":7,"ts":50,"dur":10,"args":{"correlation":3,"device":0,"stream":7}},
  {"ph":"X","cat":"kernel","name":"triton_poi_fused_add_relu_0","pid":0,"tid":7,"ts":70,"dur":10,"args":{"correlation":4,"device":0,"stream":7}}
]})";

class Works {
 public:
  explicit Works(std::optional<machine::Device> device = {}, std::string_view provenance = {}) {
    kineto::ReadOptions options;
    options.requested.operands = true;
    Result<trace::Trace> read =
        kineto::read_job({dir_.write("trace.json", std::string(kTwoProducts))}, remarks_, options);
    REQUIRE(read);
    trace_ = std::move(*read);
    query::Recording recording{.trace = trace_, .remarks = remarks_};
    recording.device = [this, device] { return ++device_asked, device; };
    if (!provenance.empty()) {
      auto table = std::make_shared<analyze::KernelProvenance>();
      std::string text(provenance);
      text.append(64, '\0');
      REQUIRE(table->add(std::string_view(text).substr(0, provenance.size()), "p.json").ok());
      recording.provenance.push_back(std::move(table));
    }
    Result<query::Database> opened = query::Database::open(recording);
    REQUIRE(opened);
    database_.emplace(std::move(*opened));
  }

  Rows ask(std::string_view sql) {
    const Result<query::Answer> answer = database_->ask(sql);
    REQUIRE_MESSAGE(answer.ok(), (answer ? "" : answer.error().to_string()));
    Rows rows;
    for (std::size_t row = 0; row < answer->rows(); ++row) {
      std::string text;
      for (std::size_t c = 0; c < answer->columns().size(); ++c)
        text += (c == 0 ? "" : "|") + testing::SmallDatabase::text_of(answer->at(row, c));
      rows.push_back(text);
    }
    return rows;
  }
  int device_asked = 0;

 private:
  testing::TempDir dir_;
  Diagnostics remarks_;
  trace::Trace trace_;
  std::optional<query::Database> database_;
};

/// 1 TFLOP/s outside of matrix units and 1 GB/s: everything is bound by memory.
machine::Device small_device() {
  machine::Device device;
  device.vector_peak_tflops[machine::DataType::fp32] = 1;
  device.memory.bandwidth_gb_per_s = 1;
  return device;
}

TEST_CASE("works know the step that launched them, and what its name says") {
  Works works;
  CHECK(works.ask("SELECT name, step, phase, requests FROM works") ==
        Rows{"gemm|0|prefill|2", "gemm|0|prefill|2", "splitK|0|prefill|2", "triton_poi_fused_add_relu_0|||"});
  // The two say the same where both speak of an engine's or the profiler's steps.
  CHECK(works.ask("SELECT count(*) FROM works w JOIN events e ON e.id = w.event WHERE w.step IS NOT e.step") ==
        Rows{"0"});
  testing::SmallDatabase profiled;
  CHECK(profiled.ask("SELECT w.name, w.step, w.phase, e.step FROM works w JOIN events e ON e.id = w.event") ==
        Rows{"gemm|0||0", "add|1||1", "gemm|1||1"});
}

TEST_CASE("kinds, FLOPs and bytes need no device, and works of a call share them by their time") {
  Works works;
  // 2 * 32 * 64 * 16 FLOPs, 4 * (32 * 64 + 64 * 16 + 32 * 16) bytes.
  CHECK(works.ask("SELECT kind, CAST(flops AS INTEGER), bytes, roof_ps FROM works") ==
        Rows{"gemm|65536|14336|", "gemm|43690|9557|", "gemm|21846|4779|", "|||"});
  CHECK(works.ask("SELECT CAST(sum(flops) AS INTEGER), sum(bytes) FROM works") == Rows{"131072|28672"});
}

TEST_CASE("roofs of works add up to the roofs of their calls, and the device is asked for when one needs it") {
  Works works(small_device());
  CHECK(works.ask("SELECT count(*), max(step) FROM works") == Rows{"4|0"});
  CHECK(works.device_asked == 0);
  CHECK(works.ask("SELECT roof_ps FROM works") == Rows{"14336000", "9557333", "4778667", ""});
  CHECK(works.ask("SELECT sum(roof_ps) FROM works") == Rows{"28672000"});
  CHECK(works.device_asked == 1);
}

TEST_CASE("what the compiler wrote replaces what a name lets guess") {
  Works guessed;
  const std::string_view sql = "SELECT name, fused, source_lines FROM works WHERE stream = 7 AND name <> 'gemm'";
  CHECK(guessed.ask(sql) == Rows{"splitK||", "triton_poi_fused_add_relu_0|[\"add\",\"relu\"]|"});
  Works told({}, R"({"triton_poi_fused_add_relu_0:1": {"post_grad_nodes": ["add_3", "maximum_default"],
                     "stack_traces": ["  File \"m.py\", line 4, in f\n    relu(a + b)\n"], "pre_grad_nodes": []}})");
  CHECK(told.ask(sql) ==
        Rows{"splitK||", "triton_poi_fused_add_relu_0|[\"add\",\"maximum\"]|[\"m.py:4: relu(a + b)\"]"});
  // A file that knows nodes of other kernels only, or only lines, leaves the guess.
  Works lines({}, R"({"triton_poi_fused_add_relu_0": ["  File \"m.py\", line 4, in f\n"], "other": ["mul"]})");
  CHECK(lines.ask(sql) == Rows{"splitK||", "triton_poi_fused_add_relu_0|[\"add\",\"relu\"]|[\"m.py:4\"]"});
}

}  // namespace
