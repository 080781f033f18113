// What graphs launched is called as their captures say, each rule on the smallest pair of recordings that shows it.
#include <doctest/doctest.h>

#include "job/pairs/linked_job.h"
#include "replay/torch/small_host.h"

namespace {

using namespace orrery;
using namespace orrery::replay::torch;
using namespace orrery::replay::torch::testing;
using Lines = std::vector<std::string>;

/// A profiler trace of one thread, event by event; times are microseconds.
class SmallProfile {
 public:
  SmallProfile& op(const std::string& name, int begin, int length, const std::string& more = "") {
    return add("cpu_op", name, begin, length, 7, more);
  }
  /// One that the host trace has too, in row `row`.
  SmallProfile& row(const std::string& name, int begin, int length, int row) {
    return op(name, begin, length, R"("Record function id":)" + std::to_string(row));
  }
  SmallProfile& call(const std::string& name, int begin, int correlation) {
    return add("cuda_runtime", name, begin, 1, 7, R"("correlation":)" + std::to_string(correlation));
  }
  SmallProfile& kernel(const std::string& name, int begin, int correlation, int stream = 7) {
    return add("kernel", name, begin, 5, 0,
               R"("device":0,"stream":)" + std::to_string(stream) + R"(,"correlation":)" + std::to_string(correlation));
  }
  [[nodiscard]] std::string json() const { return R"({"traceEvents":[)" + events_ + "]}"; }

 private:
  SmallProfile& add(const std::string& category, const std::string& name, int begin, int length, int process,
                    const std::string& arguments) {
    events_ += (events_.empty() ? "" : ",\n") + (R"({"ph":"X","cat":")" + category + R"(","name":")" + name) +
               R"(","pid":)" + std::to_string(process) + R"(,"tid":7,"ts":)" + std::to_string(begin) + R"(,"dur":)" +
               std::to_string(length) + R"(,"args":{)" + arguments + "}}";
    return *this;
  }
  std::string events_;
};

std::string operands(const std::string& types, const std::string& shapes, const std::string& values,
                     const std::string& strides) {
  return R"("Input type":[)" + types + R"(],"Input Dims":[)" + shapes + R"(],"Concrete Inputs":[)" + values +
         R"(],"Input Strides":[)" + strides + "]";
}

/// A job that calls relu, and launches a graph of two kernels twice.
struct Job {
  SmallHost host;
  SmallProfile profile;
  Job() {
    host.op(kRelu, Values().vector(1), Values().vector(3));
    profile.row("aten::relu", 100, 10, 2).call("cudaLaunchKernel", 102, 1).kernel("relu_kernel", 110, 1);
    for (int i = 0; i < 2; ++i) {
      const int at = 200 + 100 * i;
      profile.call("cudaGraphLaunch", at, 5 + i).kernel("a_gemm", at + 10, 5 + i).kernel("add_kernel", at + 20, 5 + i);
    }
    host.op(kRelu, Values().vector(3), Values().vector(4));
    profile.row("aten::relu", 500, 10, 3).call("cudaLaunchKernel", 502, 9).kernel("relu_kernel", 510, 9);
  }
};

/// The capture of that graph: a product, and a sum of what came out.
struct Capture {
  SmallHost host;
  SmallProfile profile;
};
Capture captured() {
  Capture capture;
  const int outer = capture.host.op("aten::matmul(Tensor self, Tensor other) -> Tensor", Values().vector(1).vector(2),
                                    Values().vector(3));
  capture.host.op(kMm, Values().vector(1).vector(2), Values().vector(3), outer);
  capture.host.op("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                  Values().vector(3).vector(1).plain("1", "Int"), Values().vector(4));
  capture.profile.call("cudaStreamBeginCapture", 90, 20)
      .row("aten::matmul", 100, 50, 2)
      .row("aten::mm", 110, 30, 3)
      .call("cudaLaunchKernel", 120, 21)
      .row("aten::add", 200, 20, 4)
      .call("cudaLaunchKernel", 210, 22)
      .call("cudaStreamEndCapture", 300, 23);
  return capture;
}

Result<EmittedJob> try_emit(const Job& job, const std::string& capture_host, const SmallProfile& capture,
                            const EmitOptions& options = {}) {
  orrery::testing::TempDir folder;
  Diagnostics diagnostics;
  job::LinkJobOptions reading;
  reading.operands = true;
  auto read = job::read_pairs(
      {{folder.write("job.et.json", job.host.json()), folder.write("job.kineto.json", job.profile.json())}}, reading,
      diagnostics);
  REQUIRE(read);
  const std::string host = capture_host.empty() ? "" : folder.write("capture.et.json", capture_host);
  auto other = job::read_pairs({{host, folder.write("capture.kineto.json", capture.json())}}, reading, diagnostics);
  REQUIRE(other);
  Captures captures;
  captures.traces.push_back(std::move(other->trace));
  captures.hosts.push_back(std::move(other->hosts));
  return emit_pairs(*read, captures, options, diagnostics);
}

OperationList emitted(const Job& job, const std::string& capture_host, const SmallProfile& capture) {
  auto done = try_emit(job, capture_host, capture);
  REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
  return std::move(done->ranks[0]);
}

TEST_CASE("what a graph launched is called as its capture's host trace has it, where it was launched") {
  const Capture capture = captured();
  const OperationList list = emitted(Job(), capture.host.json(), capture.profile);
  CHECK(lines_of(list, "forms") ==
        Lines{R"({"op":"aten::relu","overload":"","args":[{"t":0}],"outs":[0]})",
              R"({"op":"aten::mm","overload":"","args":[{"t":0},{"t":0}],"outs":[0]})",
              R"({"op":"aten::add","overload":"Tensor","args":[{"t":0},{"t":0}],"kw":{"alpha":1},"outs":[0]})"});
  // Storages 2 and 3 are the capture's, and are there throughout; what it makes is made anew by every launch.
  CHECK(lines_of(list, "sequence") == Lines{"[0,[0],[1]]", R"(["graph"])", "[1,[2,3],[4]]", "[2,[4,2],[5],[4,5]]",
                                            R"(["graph_end"])", R"(["graph"])", "[1,[2,3],[6]]", "[2,[6,2],[7],[6,7]]",
                                            R"(["graph_end"])", "[0,[1],[8],[1,8]]"});
  CHECK(lines_of(list, "storages")[2] == R"(["cuda",32,"given","float32",0,0,0])");
  CHECK(list.called_time == list.device_time);
}

TEST_CASE("without a host trace of the capture its operators are called by what the profiler wrote down") {
  const std::string two = R"("float","float")", sizes = "[4,8],[8,4]", none = R"("","")", steps = "[8,1],[1,8]";
  SmallProfile capture;
  capture.call("cudaStreamBeginCapture", 90, 20)
      .op("aten::mm", 110, 30, operands(two, sizes, none, steps))
      .call("cudaLaunchKernel", 120, 21)
      .op("aten::add_", 200, 20,
          operands(R"("float","double","Scalar","")", "[4,4],[],[],[]", R"("","","1.","")", "[4,1],[],[],[]"))
      .call("cudaLaunchKernel", 210, 22)
      .call("cudaStreamEndCapture", 300, 23);
  const OperationList list = emitted(Job(), "", capture);
  CHECK(lines_of(list, "forms")[1] == R"({"op":"aten::mm","overload":null,"args":[{"t":1},{"t":2}],"outs":[]})");
  CHECK(lines_of(list, "forms")[2] ==
        R"({"op":"aten::add_","overload":null,"args":[{"t":3},{"t":4},1.0,null],"outs":[]})");
  CHECK(lines_of(list, "tensors")[2] == R"(["float32",[8,4],[1,8],0])");
  // Both launches use the same tensors; the number that was wrapped into a tensor is on the host.
  CHECK(lines_of(list, "sequence") == Lines{"[0,[0],[1]]", R"(["graph"])", "[1,[2,3]]", "[2,[4,5]]", R"(["graph_end"])",
                                            R"(["graph"])", "[1,[2,3]]", "[2,[4,5]]", R"(["graph_end"])",
                                            "[0,[1],[6],[1,6]]"});
  CHECK(lines_of(list, "storages")[4] == R"(["cuda",64,"given","float32",0,0,1])");
  CHECK(lines_of(list, "storages")[5] == R"(["cpu",8,"given","float64",0,0,0])");
}

TEST_CASE("what the profiler does not say of an operator stays work of the recorded duration") {
  SmallProfile capture;
  capture.call("cudaStreamBeginCapture", 90, 20)
      .op("aten::mm", 110, 30, operands(R"("float","float")", "[4,8],[8,4]", R"("","")", "[8,1],[4,1]"))
      .call("cudaLaunchKernel", 120, 21)
      .op("aten::cat", 200, 20, operands(R"("TensorList","Scalar")", "[[4],[4]],[]", R"("","0")", "[[1],[1]],[]"))
      .call("cudaLaunchKernel", 210, 22)
      .call("cudaStreamEndCapture", 300, 23);
  const OperationList list = emitted(Job(), "", capture);
  CHECK(lines_of(list, "sequence")[3] == R"(["work",5000,"add_kernel",1])");
  CHECK(list.replaced.at("add_kernel").count == 2);
  capture = SmallProfile();
  capture.call("cudaStreamBeginCapture", 90, 20)
      .op("aten::mm", 110, 30, operands(R"("float","float")", "[4,8],[8,4]", R"("","")", "[8,1],[4,1]"))
      .call("cudaLaunchKernel", 120, 21)
      .op("aten::index", 200, 20, operands(R"("float","")", "[4,4],[]", R"("","")", "[4,1],[]"))
      .call("cudaLaunchKernel", 210, 22)
      .call("cudaStreamEndCapture", 300, 23);
  CHECK(emitted(Job(), "", capture).replaced.at("add_kernel").count == 2);
}

TEST_CASE("a capture that fits nothing changes nothing") {
  SmallProfile capture;
  capture.call("cudaStreamBeginCapture", 90, 20)
      .op("aten::relu", 110, 30, operands(R"("float")", "[4]", R"("")", "[1]"))
      .call("cudaLaunchKernel", 120, 21)
      .call("cudaStreamEndCapture", 300, 23);
  const OperationList list = emitted(Job(), "", capture);
  CHECK(list.calls == 2);
  CHECK(list.replaced.at("a_gemm").count == 2);
}

TEST_CASE("what communicates in a graph stays work: with whom is not told") {
  Capture capture = captured();
  SmallHost host;
  host.op(kMm, Values().vector(1).vector(2), Values().vector(3));
  host.op("c10d::allreduce_(Tensor[] tensors) -> ()", Values().vector(3), Values());
  SmallProfile profile;
  profile.call("cudaStreamBeginCapture", 90, 20)
      .row("aten::mm", 110, 30, 2)
      .call("cudaLaunchKernel", 120, 21)
      .row("c10d::allreduce_", 200, 20, 3)
      .call("cudaLaunchKernel", 210, 22)
      .call("cudaStreamEndCapture", 300, 23);
  const OperationList list = emitted(Job(), host.json(), profile);
  CHECK(list.collectives == 0);
  CHECK(list.replaced.at("add_kernel").count == 2);
}

TEST_CASE("what the profiler says of a capture cannot be scaled") {
  SmallProfile capture;
  capture.call("cudaStreamBeginCapture", 90, 20)
      .op("aten::mm", 110, 30, operands(R"("float","float")", "[4,8],[8,4]", R"("","")", "[8,1],[4,1]"))
      .call("cudaLaunchKernel", 120, 21)
      .call("cudaStreamEndCapture", 300, 23);
  EmitOptions options;
  options.scale = *parse_scale("batch", "2");
  const auto done = try_emit(Job(), "", capture, options);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().message.find("cannot be scaled") != std::string::npos);
}

}  // namespace
