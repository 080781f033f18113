// Edits of a what-if, carried out in operation lists or refused: on the smallest traces that show it.
#include <doctest/doctest.h>

#include "replay/torch/scale/scaled_transfer.h"
#include "replay/torch/small_host.h"

namespace {

using namespace orrery;
using namespace orrery::replay::torch;
using namespace orrery::replay::torch::testing;
using Lines = std::vector<std::string>;

const std::string kReduceAll =
    "c10d::allreduce_(Tensor[] tensors, __torch__.ProcessGroup process_group, __torch__.ReduceOp reduce_op, bool "
    "async_op=True) -> "
    "(Tensor[], Work)";
const std::string kSendTo =
    "c10d::send(Tensor[] tensors, __torch__.ProcessGroup process_group, int dst, int tag) -> Work";
const std::string kTopk = "aten::argsort(Tensor self) -> Tensor";

EmitOptions editing(const Lines& edits, bool keeps_pace = false) {
  EmitOptions options;
  options.keeps_pace = keeps_pace;
  for (const std::string& edit : edits) {
    options.edits.push_back(analyze::parse_edit(edit));
    REQUIRE(!std::holds_alternative<analyze::EditError>(options.edits.back()));
  }
  return options;
}
Lines edited(const SmallHost& host, const Lines& edits) { return lines_of(list_of(host, editing(edits)), "sequence"); }
std::string refusal(const SmallHost& host, const std::string& edit) {
  const auto list = try_list_of(host, editing({edit}));
  return list.ok() ? "" : list.error().message;
}

Values reduced(int storage, bool is_async) {
  return Values()
      .vector(storage)
      .plain("\"<Object>\"", "Object")
      .plain("\"<Object>\"", "Object")
      .plain(is_async ? "true" : "false", "Bool");
}

// y = relu(x), which all ranks add up in the background; z = relu(x) meanwhile; then relu(y).
SmallHost with_collective() {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  host.op(kReduceAll, reduced(2, true), Values().vector(2));
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  host.work(host.op(kRelu, Values().vector(2), Values().vector(4)));
  return host;
}

TEST_CASE("communication that carries more has memory of its own, and its place in the order") {
  const OperationList list = list_of(with_collective(), editing({"comm * 2.5"}));
  CHECK(lines_of(list, "sequence") ==
        Lines{"[0,[0],[1]]", R"(["collective",{"kind":"all_reduce","group":0,"async":true,"id":0},[[1,2]],[[1,2]]])",
              "[0,[0],[3],[3]]", R"(["complete",0])", "[0,[1],[4],[1,4]]"});
  CHECK(lines_of(list, "tensors")[1] == R"(["float32",[20],[1],0])");
  CHECK(lines_of(list, "storages")[2] == R"(["cuda",80,"given","float32",0,0,1])");
  CHECK(list.edited.counts[0].communications == 1);
}

TEST_CASE("communication that is removed is not done, and nothing waits for it") {
  CHECK(edited(with_collective(), {"collective:all_reduce remove"}) ==
        Lines{"[0,[0],[1]]", "[0,[0],[2],[2]]", "[0,[1],[3],[1,3]]"});
  CHECK(edited(with_collective(), {"op:c10d::* remove"}) == edited(with_collective(), {"comm * 0"}));
  // Twice as much of half is as recorded, and then nothing needs memory of its own.
  CHECK(edited(with_collective(), {"comm * 2", "comm * 0.5"}) == lines_of(list_of(with_collective()), "sequence"));
}

TEST_CASE("sizes are rounded so that all who take part come to the same") {
  const auto tensor = [](std::int64_t elements, std::uint32_t use) {
    RecordedTensor made{};
    made.type = {"float32", 4, false};
    made.shape = {elements};
    made.stride = {1};
    made.use = use;
    return made;
  };
  CollectiveCall gather;
  gather.kind = "all_gather_into_tensor";
  gather.inputs = {tensor(5, 0)}, gather.outputs = {tensor(20, 1)};
  const auto more = scale_transfer(gather, 1.5, 4);
  REQUIRE(more);
  CHECK((more->inputs[0].shape[0] == 8 && more->outputs[0].shape[0] == 32));  // 7.5 a part, not 30 in all

  CollectiveCall exchange;
  exchange.kind = "all_to_all_single";
  exchange.inputs = {tensor(12, 0)}, exchange.outputs = {tensor(16, 1)};
  exchange.inputs[0].shape = {6, 2}, exchange.inputs[0].stride = {2, 1};
  exchange.in_splits = {1, 0, 2, 3};
  const auto less = scale_transfer(exchange, 0.25, 4);
  REQUIRE(less);
  CHECK(less->in_splits == std::vector<std::int64_t>{1, 0, 1, 2});  // elements, not rows; what was there stays
  CHECK((less->inputs[0].shape == std::vector<std::int64_t>{4} &&
         less->outputs[0].shape == std::vector<std::int64_t>{4}));
  CHECK(!scale_transfer(gather, 1e12, 4));
}

TEST_CASE("an operator that is removed is not called, and what it would have made is there") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  host.work(host.op(kMm, Values().vector(2).vector(2), Values().vector(3)), "gemm");
  host.work(host.op(kRelu, Values().vector(3), Values().vector(4)));
  const Lines without = {"[0,[0],[1]]", R"(["new",[2]])", R"(["free",[1]])", "[0,[2],[3],[2,3]]"};
  CHECK(edited(host, {"op:aten::mm remove"}) == without);
  CHECK(edited(host, {"kernel:gemm remove"}) == without);
  CHECK(edited(host, {"gpu:gemm stream 7 = 0"}) == without);
  CHECK(edited(host, {"kernel:gemm stream 8 remove"}) == lines_of(list_of(host), "sequence"));
  CHECK(edited(host, {"kernel * 1"}) == lines_of(list_of(host), "sequence"));
}

TEST_CASE("integers that nobody computes are given: they may be indices") {
  SmallHost host;
  host.work(host.op(kTopk, Values().vector(1), Values().tensor(102, 2, "[8]", "[1]", 8, "long int", "cuda:0", 0, 8)));
  host.work(host.op(kRelu, Values().tensor(102, 2, "[8]", "[1]", 8, "long int", "cuda:0", 0, 8), Values().vector(3)));
  CHECK(lines_of(list_of(host, editing({"op:aten::argsort remove"})), "storages")[0] ==
        R"(["cuda",64,"given","int64",0,0,0])");
}

TEST_CASE("operators are called whole") {
  SmallHost host;
  const int linear =
      host.op("aten::linear(Tensor self, Tensor mat2) -> Tensor", Values().vector(1).vector(1), Values().vector(2));
  const int mm = host.op(kMm, Values().vector(1).vector(1), Values().vector(2), linear);
  host.work(mm, "gemm");
  host.work(mm, "reduce");
  // linear launched nothing itself: mm is called, and not without linear.
  CHECK(edited(host, {"op:aten::linear remove"}) == edited(host, {"op:aten::mm remove"}));
  CHECK(refusal(host, "kernel:gemm remove") ==
        "'kernel:gemm remove' cannot be carried out: aten::mm (node 3) is called whole, and also launched reduce, "
        "which is not selected; "
        "op:aten::mm remove leaves it out");
  CHECK(edited(host, {"kernel:gemm remove", "kernel:reduce remove"}) == edited(host, {"op:aten::mm remove"}));
  CHECK(refusal(host, "kernel * 0.5") ==
        "'kernel * 0.5' cannot be carried out: aten::mm (node 3) is called, and takes what it takes: it can only be "
        "removed");
  // Once linear launches something, too, mm is a part of it.
  host.work(linear, "bias");
  CHECK(refusal(host, "op:aten::mm remove") ==
        "'op:aten::mm remove' cannot be carried out: aten::mm (node 3) is part of aten::linear (node 2), which is "
        "called whole");
}

TEST_CASE("work that stands for other work takes any time") {
  SmallHost host;
  host.work(host.op("mine::op(Tensor x, Thing y) -> Tensor", Values().vector(1).plain("\"<Object>\"", "Object"),
                    Values().vector(2)),
            "triton_a");
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  const auto first = [&](const std::string& edit) { return edited(host, {edit}).front(); };
  CHECK(first("kernel:triton* * 1") == R"(["work",1000,"triton_a",1])");
  CHECK(first("kernel:triton* * 2") == R"(["work",2000,"triton_a",1])");
  CHECK(first("gpu:triton* = 5us") == R"(["work",5000,"triton_a",1])");
  CHECK(first("kernel:triton* + 1us") == R"(["work",2000,"triton_a",1])");
  CHECK(first("kernel:triton* - 300ns") == R"(["work",700,"triton_a",1])");
  for (const char* removes : {"kernel:triton* remove", "kernel:triton* - 1ms", "op:mine::op remove"})
    CHECK(first(removes) == edited(host, {"kernel:triton* remove"}).front());
  CHECK(first("kernel:triton* remove").find("work") == std::string::npos);
}

SmallHost two_steps() {
  SmallHost host;
  for (const char* step : {"ProfilerStep#4", "ProfilerStep#5"}) {
    const int range = host.range(step);
    host.work(host.op(kRelu, Values().vector(1), Values().vector(2), range));
    const int inner = host.range("forward", range);
    host.work(host.op(kMm, Values().vector(1).vector(1), Values().vector(3), inner));
  }
  return host;
}

TEST_CASE("steps and annotations limit an edit") {
  const auto calls = [](const Lines& edits) { return list_of(two_steps(), editing(edits)).calls; };
  CHECK(calls({"kernel remove"}) == 0);
  CHECK(calls({"step:4 kernel remove"}) == 2);
  CHECK(calls({"kernel in forward remove"}) == 2);
  CHECK(calls({"step:5 kernel in forward remove"}) == 3);
  CHECK(calls({"op:aten::relu in forward remove"}) == 4);
  CHECK(calls({"rank:1-3 kernel remove"}) == 4);
  const OperationList nothing = list_of(two_steps(), editing({"step:7 kernel remove"}));
  CHECK((nothing.edited.counts[0].selects_nothing() && nothing.edited.steps == std::vector<std::int64_t>{4, 5}));
  CHECK(refusal(with_collective(), "kernel in forward remove") ==
        "'kernel in forward remove' cannot be carried out: the recording has no annotations");
  CHECK(refusal(with_collective(), "step:1 comm * 2") ==
        "'step:1 comm * 2' cannot be carried out: the recording has no steps");
}

TEST_CASE("a delay is a pause of the host when a step begins") {
  const Lines delayed = edited(two_steps(), {"step:5 delay 4ms", "delay 1ms"});
  CHECK((delayed[0] == R"(["begin","ProfilerStep#4"])" && delayed[1] == R"(["pause",1000000])"));
  CHECK(std::count(delayed.begin(), delayed.end(), R"(["pause",5000000])") == 1);
  CHECK(refusal(with_collective(), "delay 1ms") == "'delay 1ms' cannot be carried out: the recording has no steps");
}

TEST_CASE("the host's own time can be scaled where it is kept") {
  const std::string once = to_json(list_of(two_steps(), editing({}, true))),
                    twice = to_json(list_of(two_steps(), editing({"cpu * 2"}, true)));
  CHECK(once.substr(once.find("\"pace\"")) != twice.substr(twice.find("\"pace\"")));
  CHECK(once.substr(0, once.find("\"pace\"")) == twice.substr(0, twice.find("\"pace\"")));
  CHECK(to_json(list_of(two_steps(), editing({"untraced * 2"}, true))) == twice);
}

TEST_CASE("what is left out is no time of the host's own") {
  SmallHost host;  // operators begin every 20 us and last 19
  for (int storage = 2; storage < 5; ++storage)
    host.work(host.op(kRelu, Values().vector(storage - 1), Values().vector(storage)));
  const auto pace = [&](const Lines& edits) {
    const std::string text = to_json(list_of(host, editing(edits, true)));
    return text.substr(text.find("\"pace\""));
  };
  host.work(host.op(kMm, Values().vector(4).vector(4), Values().vector(5)));
  host.work(host.op(kRelu, Values().vector(4), Values().vector(6)));
  CHECK(pace({}) == "\"pace\":[0,1000,1000,1000,1000]}\n");
  // Its place is taken by memory that is made and freed; the gaps on both sides of it stay.
  CHECK(pace({"op:aten::mm remove"}) == "\"pace\":[0,1000,1000,1000,0,1000]}\n");
}

TEST_CASE("what cannot be done to real hardware is refused, with the reason") {
  const SmallHost host = two_steps();
  const std::pair<const char*, const char*> kRefused[] = {
      {"gap:launch = 0", "delays are those of the machine that it runs on"},
      {"all * 0.5", "delays are those of the machine that it runs on"},
      {"profiler remove", "a replay is measured without a profiler"},
      {"fails at 1s restart 2s", "not ended and started again"},
      {"network bandwidth * 2", "the network is the one that it runs on"},
      {"kernel device 0 remove", "each rank has one device"},
      {"op * 0.5", "operators are called, and take what they take"},
      {"cpu * 0.5", "with --pace recorded"},
      {"python remove", "the time between calls is one piece here"},
      {"comm + 5us", "communication takes what the network takes"},
  };
  for (const auto& [edit, why] : kRefused) {
    INFO(edit);
    CHECK(refusal(host, edit).find("'" + std::string(edit) + "' cannot be carried out: ") == 0);
    CHECK(refusal(host, edit).find(why) != std::string::npos);
  }
  CHECK(refusal(with_collective(), "comm:nccl* * 2").find("what was done for c10d::allreduce_ has no name") !=
        std::string::npos);
  CHECK(refusal(with_collective(), "group:dp comm * 2").find("the group of c10d::allreduce_ was not recorded") !=
        std::string::npos);
}

// The same job of several ranks, or why there is none.
std::string refusal_of_ranks(const std::vector<SmallHost>& hosts, const std::string& edit) {
  orrery::testing::TempDir folder;
  Diagnostics diagnostics;
  std::vector<std::string> files;
  for (std::size_t r = 0; r < hosts.size(); ++r)
    files.push_back(folder.write("host." + std::to_string(r) + ".json", hosts[r].json()));
  const auto job = emit_linked(files, editing({edit}), diagnostics);
  return job.ok() ? "" : job.error().message;
}

TEST_CASE("all who take part in a communication are edited alike") {
  const std::vector<SmallHost> job(2, with_collective());
  CHECK(refusal_of_ranks(job, "comm * 2") == "");
  CHECK(refusal_of_ranks(job, "rank:0-1 comm * 2") == "");
  CHECK(refusal_of_ranks(job, "rank:1 comm * 1") == "");
  CHECK(refusal_of_ranks(job, "rank:1 comm * 2") ==
        "'rank:1 comm * 2' cannot be carried out: all_reduce 0 of ranks 0, 1 would be as recorded on rank 0 and 2 "
        "times as much on rank 1, "
        "and "
        "all who take part have to do the same");
  CHECK(refusal_of_ranks(job, "rank:0 comm remove").find("left out on rank 0 and as recorded on rank 1") !=
        std::string::npos);

  const std::string kReceive =
      "c10d::recv_(Tensor[] tensors, __torch__.ProcessGroup process_group, int src, int tag) -> Work";
  const auto message = [](int peer) {
    return Values().vector(2).plain("\"<Object>\"", "Object").plain(std::to_string(peer), "Int").plain("5", "Int");
  };
  std::vector<SmallHost> pair(2);
  for (SmallHost& host : pair) host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  pair[0].op(kSendTo, message(1), Values());
  pair[1].op(kReceive, message(0), Values().vector(2));
  CHECK(refusal_of_ranks(pair, "p2p * 2") == "");
  CHECK(refusal_of_ranks(pair, "rank:1 p2p remove").find("message 0 from rank 0 to rank 1") != std::string::npos);
}

}  // namespace
