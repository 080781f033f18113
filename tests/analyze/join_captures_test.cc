#include "analyze/capture/join_captures.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "analyze/capture/work_origins.h"
#include "formats/kineto/reader.h"
#include "support/kineto_lines.h"
#include "support/temp_dir.h"

namespace orrery::analyze {
namespace {

using trace::Field;

trace::Trace read(std::string_view lines) {
  orrery::testing::TempDir dir;
  kineto::ReadOptions options;
  options.requested.operands = true;
  Diagnostics diagnostics;
  Result<trace::Trace> job =
      kineto::read_job({dir.write("trace.json", orrery::testing::kineto_json(lines))}, diagnostics, options);
  REQUIRE(job.ok());
  return std::move(*job);
}

/// Joins, and tells of each work, in order of start, "kernel: operators (innermost's shapes) module range".
struct Joined {
  Joined(std::string_view recording, const std::vector<std::string_view>& captures) : trace(read(recording)) {
    std::vector<trace::Trace> read_captures;
    for (const std::string_view capture : captures) read_captures.push_back(read(capture));
    const auto told = join_captures(trace, read_captures, diagnostics);
    REQUIRE(told.size() == 1);
    const trace::RankTrace& rank = trace.ranks.front();
    for (const JoinedWork& work : told.front()) {
      const trace::RankTrace& from = read_captures[work.capture].ranks[work.rank];
      calls.push_back(fmt::format("{}: {}", trace.name(rank, work.work),
                                  from.field(trace::Field::correlation).find(work.call).value_or(0)));
    }
    const trace::ContentOrder content(trace, rank);
    Diagnostics ignored;
    const causal::DeviceTimeline timeline = causal::make_device_timeline(trace, rank, content, ignored);
    WorkOrigins origins(trace, rank, timeline);
    for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
      const WorkOrigin origin = origins.of(w);
      std::string text(trace.name(rank, timeline.works[w].event));
      text += ":";
      for (const OperatorCall& call : origin.operators) text += " " + std::string(call.name);
      if (!origin.shapes().empty()) text += " " + std::string(origin.shapes());
      if (!origin.modules.empty()) text += " in " + std::string(origin.modules);
      if (!origin.range.empty()) text += " of " + std::string(origin.range);
      works.push_back(text);
    }
  }
  [[nodiscard]] bool said(std::string_view code) const {
    for (const Diagnostic& remark : diagnostics.sorted()) {
      if (remark.kind->code == code) return true;
    }
    return false;
  }

  Diagnostics diagnostics;
  trace::Trace trace;
  std::vector<std::string> works;
  std::vector<std::string> calls;  ///< which call of a capture each work is, by its correlation
};

/// A launch of gemm and relu.
constexpr std::string_view kReplay = R"(
    1       0    10  cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/7  20   5   kernel        nvjet_gemm       correlation=1  grid=[4,1,1]
    gpu0/7  26   3   kernel        relu             correlation=1  grid=[8,1,1]
)";

constexpr std::string_view kCapture = R"(
    1  0    100  user_annotation  capture_batch_1
    1  1    1    cuda_runtime     cudaStreamBeginCapture
    1  5    30   python_function  "nn.Module: Net_0"
    1  6    25   user_annotation  layer0
    1  10   20   cpu_op           aten::linear  "Input Dims=[[2,3],[3,4]]"
    1  11   15   cpu_op           aten::mm      "Input Dims=[[2,3],[3,4]]"
    1  12   5    cuda_runtime     cudaLaunchKernel  correlation=11
    1  40   10   cpu_op           aten::relu    "Input Dims=[[2,4]]"
    1  41   5    cuda_runtime     cudaLaunchKernel  correlation=12
    1  90   1    cuda_runtime     cudaStreamEndCapture
)";

TEST_CASE("works of a launch get what is around the captured launches") {
  const Joined joined(kReplay, {kCapture});
  CHECK(joined.works == std::vector<std::string>{"nvjet_gemm: aten::linear aten::mm [[2,3],[3,4]] in Net_0 of layer0",
                                                 "relu: aten::relu [[2,4]]"});
  CHECK(joined.calls == std::vector<std::string>{"nvjet_gemm: 11", "relu: 12"});
  CHECK_FALSE(joined.said("G101"));
}

TEST_CASE("without names a product must meet an operator that is one, and numbers must agree") {
  constexpr std::string_view kOther = R"(
    1  1    1    cuda_runtime     cudaStreamBeginCapture
    1  10   20   cpu_op           aten::relu
    1  12   5    cuda_runtime     cudaLaunchKernel  correlation=11
    1  40   10   cpu_op           aten::mm
    1  41   5    cuda_runtime     cudaLaunchKernel  correlation=12
    1  90   1    cuda_runtime     cudaStreamEndCapture
  )";
  const Joined other(kReplay, {kOther});
  CHECK(other.works == std::vector<std::string>{"nvjet_gemm:", "relu:"});
  CHECK(other.said("G101"));

  const std::string more =
      std::string(kCapture) + "    1  60   5    cuda_runtime     cudaLaunchKernel  correlation=13\n";
  const Joined longer(kReplay, {more});
  CHECK(longer.works.front() == "nvjet_gemm:");
  CHECK(longer.said("G101"));
}

TEST_CASE("an eager run is cut at its outermost annotations, whose names are no part of the program") {
  constexpr std::string_view kEager = R"(
    1       0   50  user_annotation  eager_batch_1
    1       10  20  cpu_op           aten::mm       "Input Dims=[[2,3],[3,4]]"
    1       12  5   cuda_runtime     cudaLaunchKernel  correlation=11
    1       40  9   cpu_op           aten::relu     "Input Dims=[[2,4]]"
    1       41  5   cuda_runtime     cudaLaunchKernel  correlation=12
    gpu0/7  20  5   kernel           nvjet_gemm     correlation=11  grid=[4,1,1]
    gpu0/7  50  3   kernel           relu           correlation=12  grid=[8,1,1]
  )";
  const Joined joined(kReplay, {kEager});
  CHECK(joined.works == std::vector<std::string>{"nvjet_gemm: aten::mm [[2,3],[3,4]]", "relu: aten::relu [[2,4]]"});
}

TEST_CASE("another launch of the graph is no eager run of it") {
  const Joined joined(kReplay, {kReplay});
  CHECK(joined.works == std::vector<std::string>{"nvjet_gemm:", "relu:"});
  CHECK(joined.said("G103"));
}

TEST_CASE("names in the capture find nodes that the recorder lost") {
  constexpr std::string_view kNamed = R"(
    1  1    1    cuda_runtime     hipStreamBeginCapture
    1  10   5    cpu_op           aten::fill_
    1  12   1    cuda_runtime     hipLaunchKernel  correlation=10  kernel=fill  grid=[1,1,1]
    1  20   5    cpu_op           aten::mm
    1  22   1    cuda_runtime     hipExtModuleLaunchKernel  correlation=11  kernel=nvjet_gemm  grid=[4,1,1]
    1  40   5    cpu_op           aten::relu
    1  41   1    cuda_runtime     hipLaunchKernel  correlation=12  kernel=relu  grid=[8,1,1]
    1  90   1    cuda_runtime     hipStreamEndCapture
  )";
  const Joined joined(kReplay, {kNamed});
  CHECK(joined.works == std::vector<std::string>{"nvjet_gemm: aten::mm", "relu: aten::relu"});
}

TEST_CASE("on two streams node numbers give the order; names find one; with neither nothing is joined") {
  const std::string kIds = R"(
    1       0    10  cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/9  20   5   kernel        relu             correlation=1  "graph node id=8589934593"
    gpu0/7  26   3   kernel        nvjet_gemm       correlation=1  "graph node id=8589934592"
  )";
  CHECK(Joined(kIds, {kCapture}).works ==
        std::vector<std::string>{"relu: aten::relu [[2,4]]",
                                 "nvjet_gemm: aten::linear aten::mm [[2,3],[3,4]] in Net_0 of layer0"});
  constexpr std::string_view kStreams = R"(
    1       0    10  cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/9  20   5   kernel        relu             correlation=1
    gpu0/7  26   3   kernel        nvjet_gemm       correlation=1
  )";
  CHECK(Joined(kStreams, {kCapture}).works == std::vector<std::string>{"relu:", "nvjet_gemm:"});
  constexpr std::string_view kNamed = R"(
    1  1    1    cuda_runtime     cudaStreamBeginCapture
    1  20   5    cpu_op           aten::mm
    1  22   1    cuda_runtime     hipLaunchKernel  correlation=11  kernel=nvjet_gemm
    1  40   5    cpu_op           aten::relu
    1  41   1    cuda_runtime     hipLaunchKernel  correlation=12  kernel=relu
    1  90   1    cuda_runtime     cudaStreamEndCapture
  )";
  CHECK(Joined(kStreams, {kNamed}).works == std::vector<std::string>{"relu: aten::relu", "nvjet_gemm: aten::mm"});
}

/// Two captures that look alike, of one label or of two.
std::string two_captures(const std::string& first, const std::string& second) {
  const auto one = [](const std::string& label, const std::string& op, int at) {
    const auto line = [&](int offset, int length, const std::string& rest) {
      return "    1  " + std::to_string(at + offset) + "  " + std::to_string(length) + "  " + rest + "\n";
    };
    return line(0, 90, "user_annotation " + label) + line(1, 1, "cuda_runtime hipStreamBeginCapture") +
           line(10, 20, "cpu_op " + op) +
           line(12, 5, "cuda_runtime hipLaunchKernel correlation=" + std::to_string(at + 1) + " kernel=layer") +
           line(80, 1, "cuda_runtime hipStreamEndCapture");
  };
  return one(first, "aten::first", 100) + one(second, "aten::second", 300);
}

constexpr std::string_view kTwice = R"trace(
    1       0    50  user_annotation  "execute_8_context_0(sq0sk0sqsq0sqsk0)_generation_8(sq8sk80sqsq8sqsk80)"
    1       1    10  cuda_runtime  hipGraphLaunch  correlation=1
    gpu0/7  20   5   kernel        layer           correlation=1
    1       60   50  user_annotation  "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk80sqsq4sqsk80)"
    1       61   10  cuda_runtime  hipGraphLaunch  correlation=2
    gpu0/7  80   5   kernel        layer           correlation=2
)trace";

TEST_CASE("of several that fit the number in the step's name decides") {
  const std::string captures = two_captures("capture_4_FULL", "capture_8_FULL");
  CHECK(Joined(kTwice, {captures}).works == std::vector<std::string>{"layer: aten::second", "layer: aten::first"});
}

TEST_CASE("pieces of one capture that look alike are told by their order, and that is no guess") {
  constexpr std::string_view kPieces = R"(
    1       1    10  cuda_runtime  hipGraphLaunch  correlation=1
    gpu0/7  20   5   kernel        layer           correlation=1
    1       61   10  cuda_runtime  hipGraphLaunch  correlation=2
    gpu0/7  80   5   kernel        layer           correlation=2
  )";
  const std::string same = two_captures("capture_8_PIECEWISE", "capture_8_PIECEWISE");
  const Joined pieces(kPieces, {same});
  CHECK(pieces.works == std::vector<std::string>{"layer: aten::first", "layer: aten::second"});
  CHECK_FALSE(pieces.said("G102"));
  // Of two captures with names of their own only their order is left, and it is said.
  const std::string different = two_captures("capture_a", "capture_b");
  const Joined guess(kPieces, {different});
  CHECK(guess.works == std::vector<std::string>{"layer: aten::first", "layer: aten::first"});
  CHECK(guess.said("G102"));
}

TEST_CASE("what is around the launch of a graph is not what its works belong to") {
  constexpr std::string_view kInside = R"(
    1       0    30  cpu_op        aten::whole
    1       1    10  cuda_runtime  cudaGraphLaunch   correlation=1
    1       15   10  cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  20   5   kernel        a                 correlation=1
    gpu0/7  30   5   kernel        b                 correlation=2
  )";
  CHECK(Joined(kInside, {}).works == std::vector<std::string>{"a:", "b: aten::whole"});
}

TEST_CASE("a capture within another is one of its own, and one without an end goes on") {
  constexpr std::string_view kNested = R"(
    1  1    1    cuda_runtime  cudaStreamBeginCapture
    1  10   5    cpu_op        aten::outer
    1  11   1    cuda_runtime  hipLaunchKernel  correlation=1  kernel=outer
    1  20   1    cuda_runtime  cudaStreamBeginCapture
    1  30   5    cpu_op        aten::inner
    1  31   1    cuda_runtime  hipLaunchKernel  correlation=2  kernel=inner
    1  40   1    cuda_runtime  cudaStreamEndCapture
  )";
  constexpr std::string_view kBoth = R"(
    1       0    5  cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/7  10   5  kernel        inner            correlation=1
    1       20   5  cuda_runtime  cudaGraphLaunch  correlation=2
    gpu0/7  30   5  kernel        outer            correlation=2
  )";
  CHECK(Joined(kBoth, {kNested}).works == std::vector<std::string>{"inner: aten::inner", "outer: aten::outer"});
}

/// relu runs in the body of a conditional node: the device launched it.
constexpr std::string_view kConditional = R"(
    1         0    10  cuda_runtime  cudaGraphLaunch  correlation=1
    gpu0/7    20   5   kernel        nvjet_gemm       correlation=1  grid=[4,1,1]
    gpu0/142  26   3   kernel        relu             correlation=0  grid=[8,1,1]
    gpu0/7    30   5   kernel        nvjet_gemm       correlation=1  grid=[4,1,1]
)";

TEST_CASE("the body of a conditional node is work of the graph around it, and of the capture around its own") {
  // The recorder does not know the call that begins the capture of a body.
  constexpr std::string_view kBody = R"(
    1  1    1    cuda_runtime     cudaStreamBeginCapture
    1  10   5    cpu_op           aten::mm
    1  12   1    cuda_runtime     cudaLaunchKernel  correlation=11
    1  20   1    cuda_runtime     INVALID
    1  30   5    cpu_op           aten::relu
    1  31   1    cuda_runtime     cudaLaunchKernel  correlation=12
    1  40   1    cuda_runtime     cudaStreamEndCapture
    1  50   5    cpu_op           aten::linear
    1  51   1    cuda_runtime     cudaLaunchKernel  correlation=13
    1  90   1    cuda_runtime     cudaStreamEndCapture
  )";
  const Joined joined(kConditional, {kBody});
  CHECK(joined.works ==
        std::vector<std::string>{"nvjet_gemm: aten::mm", "relu: aten::relu", "nvjet_gemm: aten::linear"});
}

TEST_CASE("a child graph is what was captured last before it was added") {
  constexpr std::string_view kChild = R"(
    1  1    1    cuda_runtime     cudaStreamBeginCapture
    1  10   5    cpu_op           aten::relu
    1  12   1    cuda_runtime     cudaLaunchKernel  correlation=11
    1  20   1    cuda_runtime     cudaStreamEndCapture
    1  30   1    cuda_runtime     cudaStreamBeginCapture
    1  40   5    cpu_op           aten::mm
    1  41   1    cuda_runtime     cudaLaunchKernel  correlation=12
    1  50   1    cuda_runtime     cudaGraphAddChildGraphNode  correlation=13
    1  60   1    cuda_runtime     cudaStreamEndCapture
  )";
  const Joined joined(kReplay, {kChild});
  CHECK(joined.works == std::vector<std::string>{"nvjet_gemm: aten::mm", "relu: aten::relu"});
}

TEST_CASE("work without a launch is of no graph if two run around it, or others launch work on its stream") {
  const auto calls = [](std::string_view lines) {
    const trace::Trace trace = read(lines);
    const trace::RankTrace& rank = trace.ranks.front();
    Diagnostics ignored;
    std::vector<bool> has_call;
    for (const causal::DeviceWork& work :
         causal::make_device_timeline(trace, rank, trace::ContentOrder(trace, rank), ignored).works)
      has_call.push_back(work.call != causal::kNoEvent);
    return has_call;
  };
  CHECK(calls(kConditional) == std::vector<bool>{true, true, true});
  const std::string two = std::string(kConditional) +
                          "    1       11  5   cuda_runtime  cudaGraphLaunch  correlation=2\n"
                          "    gpu0/8  21  2   kernel        f                correlation=2\n"
                          "    gpu0/8  32  2   kernel        f                correlation=2\n";
  CHECK(calls(two) == std::vector<bool>{true, true, false, true, true});
  const std::string shared = std::string(kConditional) +
                             "    1         41  5   cuda_runtime  cudaLaunchKernel  correlation=2\n"
                             "    gpu0/142  50  2   kernel        f                 correlation=2\n";
  CHECK(calls(shared) == std::vector<bool>{true, false, true, true});
  // Behind the graph nothing says that it is part of it.
  const std::string behind = std::string(kReplay) + "    gpu0/142  28  5   kernel  late  correlation=0\n";
  CHECK(calls(behind) == std::vector<bool>{true, true, false});
}

}  // namespace
}  // namespace orrery::analyze
