// Collectives and messages of operation lists.
#include <doctest/doctest.h>

#include "replay/torch/small_host.h"

namespace {

using namespace orrery::replay::torch;
using namespace orrery::replay::torch::testing;
using Lines = std::vector<std::string>;

const std::string kAllReduce =
    "c10d::allreduce_(Tensor[] tensors, __torch__.ProcessGroup process_group, __torch__.ReduceOp reduce_op, bool "
    "async_op=True) -> "
    "(Tensor[], Work)";
const std::string kSend =
    "c10d::send(Tensor[] tensors, __torch__.ProcessGroup process_group, int dst, int tag) -> Work";

Values all_reduce_of(int storage, bool is_async) {
  return Values()
      .vector(storage)
      .plain("\"<Object>\"", "Object")
      .plain("\"<Object>\"", "Object")
      .plain(is_async ? "true" : "false", "Bool");
}

TEST_CASE("a collective in the background is over before what it wrote is used") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  host.op(kAllReduce, all_reduce_of(2, true), Values().vector(2));
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  host.work(host.op(kRelu, Values().vector(2), Values().vector(4)));
  const OperationList list = list_of(host);
  CHECK(list.collectives == 1);
  CHECK(lines_of(list, "sequence") ==
        Lines{"[0,[0],[1]]", R"(["collective",{"kind":"all_reduce","group":0,"async":true,"id":0},[[0,1]],[[0,1]]])",
              "[0,[0],[2],[2]]", R"(["complete",0])", "[0,[1],[3],[1,3]]"});
}

TEST_CASE("what is being sent is kept until it is sent") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  host.op(kSend, Values().vector(2).plain("\"<Object>\"", "Object").plain("3", "Int").plain("5", "Int"), Values());
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  CHECK(lines_of(list_of(host), "sequence") ==
        Lines{"[0,[0],[1]]",
              R"(["collective",{"kind":"send","group":0,"peer":3,"tag":5,"async":true,"id":0},[[0,1]],[]])",
              "[0,[0],[2],[2]]", R"(["complete",0])", R"(["free",[1]])"});
}

TEST_CASE("without communication, and nothing but it") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  host.op(kAllReduce, all_reduce_of(2, false), Values().vector(2));
  EmitOptions compute, communication;
  compute.compute_only = true;
  communication.communication_only = true;
  CHECK(lines_of(list_of(host, compute), "sequence") == Lines{"[0,[0],[1]]", R"(["free",[1]])"});
  CHECK(lines_of(list_of(host, communication), "sequence") ==
        Lines{R"(["new",[0]])",
              R"(["collective",{"kind":"all_reduce","group":0,"async":false,"id":0},[[0,0]],[[0,0]]])",
              R"(["free",[0]])"});
}

TEST_CASE("communication is never part of other communication, whatever the recorder says") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  const int outer = host.op(kAllReduce, all_reduce_of(1, false), Values().vector(1));
  host.op(kAllReduce, all_reduce_of(2, false), Values().vector(2), outer);
  CHECK(list_of(host).collectives == 2);
}

}  // namespace
