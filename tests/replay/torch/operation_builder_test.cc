// The rules by which a recording becomes an operation list, each on the smallest trace that shows it.
#include <doctest/doctest.h>

#include "replay/torch/small_host.h"

namespace {

using namespace orrery::replay::torch;
using namespace orrery::replay::torch::testing;
using Lines = std::vector<std::string>;

TEST_CASE("an operator that launched work is called, on what was given and what it made") {
  SmallHost host;
  host.work(host.op(kMm, Values().vector(1).vector(2), Values().vector(3)));
  host.work(host.op(kRelu, Values().vector(3), Values().vector(4)));
  const OperationList list = list_of(host);
  CHECK(lines_of(list, "sequence") == Lines{"[0,[0,1],[2]]", "[1,[2],[3],[2,3]]"});
  CHECK(lines_of(list, "storages")[0] == R"(["cuda",32,"given","float32",0,0,0])");
  CHECK(lines_of(list, "storages")[2] == R"(["cuda",32,"made","float32",0,0,1])");
  CHECK(list.called_time == list.device_time);
}

TEST_CASE("an address that is made again is another storage") {
  SmallHost host;
  for (int i = 0; i < 2; ++i) host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  CHECK(lines_of(list_of(host), "sequence") == Lines{"[0,[0],[1],[1]]", "[0,[0],[2],[2]]"});
}

TEST_CASE("a view is no storage of its own, and holds the one that it is of") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  host.op(kView, Values().vector(3), Values().vector(3));
  host.work(host.op(kRelu, Values().vector(1), Values().vector(4)));
  host.op(kView, Values().vector(3), Values().vector(3));
  CHECK(lines_of(list_of(host), "sequence") == Lines{"[0,[0],[1]]", "[0,[0],[2],[2]]", R"(["free",[1]])"});
}

TEST_CASE("a tensor that is put onto a storage does not make it") {
  SmallHost host;
  host.op("aten::set_.source_Storage(Tensor(a!) self, Storage source) -> Tensor(a!)",
          Values().vector(7, 0).plain("\"<Storage>\"", "Storage"), Values().vector(3));
  host.work(host.op(kRelu, Values().vector(3), Values().vector(4)));
  const OperationList list = list_of(host);
  CHECK(lines_of(list, "sequence") == Lines{"[0,[0],[1],[1]]"});
  CHECK(lines_of(list, "storages")[0] == R"(["cuda",32,"given","float32",0,0,0])");
}

TEST_CASE("what an operator without work made is made where it was, and the one around is not called") {
  SmallHost host;
  const int clone = host.op("aten::clone(Tensor self) -> Tensor", Values().vector(1), Values().vector(3));
  host.op(kEmpty, Values().plain("[8]", "GenericList[Int]"), Values().vector(3), clone);
  host.work(host.op(kCopy, Values().vector(3).vector(1).plain("false", "Bool"), Values().vector(3), clone));
  const OperationList list = list_of(host);
  CHECK(lines_of(list, "sequence") == Lines{R"(["new",[0]])", "[0,[0,1],[0]]", R"(["free",[0]])"});
  CHECK(lines_of(list, "forms") ==
        Lines{R"({"op":"aten::copy_","overload":"","args":[{"t":0},{"t":0},false],"outs":[0]})"});
}

TEST_CASE("of operators in one another that both launched, the outer one is called whole") {
  SmallHost host;
  const int outer = host.op("aten::sum(Tensor self) -> Tensor", Values().vector(1), Values().vector(3));
  host.work(outer);
  host.work(host.op("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
                    Values().vector(3).plain("1.000000", "Double"), Values().vector(3), outer));
  CHECK(lines_of(list_of(host), "sequence") == Lines{"[0,[0],[1],[1]]"});
}

TEST_CASE("of two forms of an operator, one in the other, the one that was given the number is called") {
  SmallHost host;
  const int outer = host.op("aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
                            Values().vector(1).plain("7", "Int"), Values().vector(3));
  host.work(host.op("aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor",
                    Values().vector(1).tensor(9, 2, "[]", "[]", 1, "long int", "cpu", 0, 8), Values().vector(3),
                    outer));
  const OperationList list = list_of(host);
  CHECK(lines_of(list, "forms") ==
        Lines{R"({"op":"aten::remainder","overload":"Scalar","args":[{"t":0},7],"outs":[0]})"});
  CHECK(lines_of(list, "sequence") == Lines{"[0,[0],[1],[1]]"});
}

TEST_CASE("what cannot be called is work of the recorded duration, alike in one line") {
  SmallHost host;
  const int range = host.range("my code");
  host.work(range, "triton_a");
  host.work(range, "triton_a");
  const int custom = host.op("mine::op(Tensor self, __torch__.Thing thing) -> Tensor",
                             Values().vector(1).plain("\"<Object>\"", "Object"), Values().vector(2));
  host.work(custom, "kernel_b");
  const OperationList list = list_of(host);
  CHECK(lines_of(list, "sequence")[1] == R"(["work",2000,"triton_a",2])");
  CHECK(list.replaced.at("kernel_b").count == 1);
  CHECK(list.called_time == 0);
}

TEST_CASE("arguments are written by the schema: types, layouts, devices, numbers, what is not there") {
  SmallHost host;
  const std::string schema =
      "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None) -> Tensor";
  const Values inputs =
      Values().vector(1).plain("15", "Int").plain("0", "Int").plain("\"cuda:3\"", "Device").plain("\"<None>\"", "None");
  host.work(host.op(schema, inputs, Values().tensor(9, 2, "[8]", "[1]", 8, "c10::BFloat16", "cuda:0", 0, 2)));
  const Lines forms = lines_of(list_of(host), "forms");
  REQUIRE(forms.size() == 1);
  CHECK(forms[0].find(
            R"("kw":{"dtype":{"dtype":"bfloat16"},"layout":{"layout":"strided"},"device":{"device":"cuda"}})") !=
        std::string::npos);
}

TEST_CASE("memory that comes with the call is there before it") {
  SmallHost host;
  host.work(host.op("aten::arange.start_out(Scalar start, Scalar end, *, Tensor(a!) out) -> Tensor(a!)",
                    Values().plain("0", "Int").plain("8", "Int").tensor(5, 0, "[0]", "[1]", 0),
                    Values().tensor(5, 3, "[8]", "[1]", 8)));
  const OperationList list = list_of(host);
  CHECK(lines_of(list, "sequence") == Lines{R"(["new",[0]])", "[0,[0],[0],[0]]"});
  CHECK(lines_of(list, "tensors") == Lines{R"(["float32",[8],[1],0])"});
}

TEST_CASE("indices lie below the size of what they point into, and so does what they were copied from") {
  SmallHost host;
  const auto indices = [](Values& values, int storage) -> Values& {
    return values.tensor(50 + storage, storage, "[4]", "[1]", 4, "long int", "cuda:0", 0, 8);
  };
  Values copied, weight;
  indices(indices(copied, 2), 1).plain("false", "Bool");
  Values made;
  host.work(host.op(kCopy, copied, indices(made, 2)));
  weight.tensor(9, 3, "[100,2]", "[2,1]", 200);
  host.work(host.op("aten::embedding(Tensor weight, Tensor indices) -> Tensor", indices(weight, 2),
                    Values().tensor(8, 4, "[4,2]", "[2,1]", 8)));
  const Lines storages = lines_of(list_of(host), "storages");
  CHECK(storages[0] == R"(["cuda",32,"given","int64",100,0,1])");
  CHECK(storages[1] == R"(["cuda",32,"given","int64",100,0,0])");
}

TEST_CASE("what indices are computed from is 0 where it was there before, and what it is where the job computed it") {
  SmallHost host;
  const std::string remainder = "aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor";
  const auto integers = [](int storage) {
    return Values().tensor(100 + storage, storage, "[8]", "[1]", 8, "long int", "cuda:0", 0, 8);
  };
  const auto select = [&](int table, int rows, int storage) {
    host.work(host.op("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
                      Values()
                          .vector(table, 20)
                          .plain("0", "Int")
                          .tensor(100 + rows, rows, "[8]", "[1]", 8, "long int", "cuda:0", 0, 8),
                      Values().vector(storage)));
  };
  host.work(host.op(remainder, integers(1).plain("20", "Int"), integers(2)));
  select(5, 2, 6);
  host.work(host.op(remainder, integers(2).plain("4", "Int"), integers(3)));
  select(7, 3, 8);
  const Lines storages = lines_of(list_of(host), "storages");
  CHECK(storages[0] == R"(["cuda",64,"given","int64",1,0,0])");
  CHECK(storages[1] == R"(["cuda",64,"made","int64",20,0,1])");
}

TEST_CASE("rows and columns that were found together are bounded each by what it points into") {
  SmallHost host;
  const auto found = [](Values& values, int offset) -> Values& {
    return values.tensor(200 + offset, 2, "[5]", "[1]", 5, "long int", "cuda:0", offset, 8);
  };
  Values table = Values().tensor(9, 1, "[100,3]", "[3,1]", 300), one = table, both = table;
  // nonzero's two columns lie one after the other in one storage; index(self, [row, column]).
  const std::string row = R"([200,2,0,5,8,"cuda:0"])", column = R"([205,2,5,5,8,"cuda:0"])";
  both.add_list({row, column}, "[5]", "[1]", "Tensor(long int)");
  host.work(host.op("aten::nonzero(Tensor self) -> Tensor", Values().vector(7),
                    Values().tensor(8, 2, "[5,2]", "[1,5]", 10, "long int", "cuda:0", 0, 8)));
  host.work(host.op("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", both, Values().vector(3, 5)));
  Values select = Values().tensor(9, 1, "[100,3]", "[3,1]", 300).plain("0", "Int");
  host.work(host.op("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", found(select, 0),
                    Values().tensor(9, 4, "[5,3]", "[3,1]", 15)));
  const OperationList list = list_of(host);
  REQUIRE(list.bounded_parts.size() == 2);
  CHECK(list.bounded_parts[0] == std::array<std::int64_t, 4>{1, 0, 5, 100});
  CHECK(list.bounded_parts[1] == std::array<std::int64_t, 4>{1, 5, 5, 3});
  CHECK(list.storages[1].bound == 3);
}

TEST_CASE("integers whose values decide the work are planned, where they are used and where they were copied from") {
  SmallHost host;
  const auto integers = [](Values& values, int storage, int count, int offset = 0,
                           const char* device = "cuda:0") -> Values& {
    return values.tensor(100 * storage + offset, storage, "[" + std::to_string(count) + "]", "[1]", count, "long int",
                         device, offset, 8);
  };
  // Offsets of two bags of four lie one after the other on the host; they are copied to the device together.
  Values copied, there;
  integers(copied, 2, 9), integers(copied, 1, 9, 0, "cpu");
  integers(there, 2, 9);
  host.work(host.op("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
                    copied.plain("false", "Bool"), there));
  const std::string bag =
      "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
      "bool sparse=False, "
      "Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, "
      "Tensor, Tensor)";
  const auto look_up = [&](int offset, int offsets, const char* includes_last) {
    Values inputs = Values().tensor(9, 3, "[50,16]", "[16,1]", 800);
    integers(inputs, 4, 20);
    integers(inputs, 2, offsets, offset)
        .plain("false", "Bool")
        .plain("0", "Int")
        .plain("false", "Bool")
        .plain(R"("<None>")", "None");
    inputs.plain(includes_last, "Bool").plain("-1", "Int");
    host.work(host.op(bag, inputs, Values().tensor(9, 5, "[4,16]", "[16,1]", 64)));
  };
  look_up(0, 4, "false");
  look_up(4, 5, "true");
  // As many as were found of a mask that was there.
  host.work(host.op("aten::nonzero(Tensor self) -> Tensor",
                    Values().tensor(70, 7, "[12]", "[1]", 12, "bool", "cuda:0", 0, 1),
                    Values().tensor(80, 8, "[5,1]", "[1,5]", 5, "long int", "cuda:0", 0, 8)));
  const OperationList list = list_of(host);
  std::vector<std::string> planned;
  for (const PlannedIntegers& part : list.planned_integers) {
    const Storage& storage = list.storages[part.storage];
    planned.push_back((storage.is_on_host ? "cpu " : "cuda ") + std::to_string(part.first) + " " +
                      std::to_string(part.count) + " " + part.kind + " " + std::to_string(part.total) + "/" +
                      std::to_string(part.parts));
  }
  std::sort(planned.begin(), planned.end());
  CHECK(planned == std::vector<std::string>{"cpu 0 4 offsets 20/4", "cpu 4 5 offsets 20/4", "cuda 0 12 lengths 5/12",
                                            "cuda 0 4 offsets 20/4", "cuda 4 5 offsets 20/4"});
  CHECK(to_json(list).find(R"("offsets",20,4])") != std::string::npos);
}

TEST_CASE("the host's own pace is what no thread spent on operators") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  host.work(host.op(kRelu, Values().vector(1), Values().vector(4), 1, 2));
  host.work(host.op(kRelu, Values().vector(1), Values().vector(5)));
  EmitOptions options;
  options.keeps_pace = true;
  const std::string json = to_json(*try_list_of(host, options));
  // Rows are 20 us apart and 19 long: thread 1 waits for thread 2 in between, and that is no time of its own.
  CHECK(json.substr(json.find("\"pace\"")) == "\"pace\":[0,0,1000,0,1000]}\n");
}

TEST_CASE("a gradient is held until the optimizer lets go of it") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)));
  const int step = host.range("Optimizer.step#AdamW.step");
  host.work(host.op(kMm, Values().vector(2).vector(3), Values().vector(4), step));
  host.work(host.op(kRelu, Values().vector(1), Values().vector(5)));
  host.range("Optimizer.zero_grad#AdamW.zero_grad");
  host.work(host.op(kRelu, Values().vector(1), Values().vector(6)));
  const Lines sequence = lines_of(list_of(host), "sequence");
  // Storage 1 is the gradient: read by the third entry, freed with the range.
  CHECK(sequence[0] == "[0,[0],[1]]");
  CHECK(sequence[2] == "[1,[2,1],[3],[3]]");
  CHECK(sequence[6] == R"(["end"])");
  CHECK(sequence[7] == R"(["free",[1]])");
}

TEST_CASE("kernels prove whether products were allowed to round to tf32; those of cuDNN do not") {
  const auto uses_tf32 = [](const std::string& schema, const std::string& kernel) {
    SmallHost host;
    host.work(host.op(schema, Values().vector(1).vector(2), Values().vector(3)), kernel);
    return list_of(host).uses_tf32;
  };
  CHECK(uses_tf32(kMm, "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x128x32"));
  CHECK(uses_tf32(kMm, "cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4"));
  CHECK_FALSE(uses_tf32(kMm, "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x128x8"));
  CHECK_FALSE(uses_tf32("aten::_cudnn_rnn(Tensor input, Tensor weight) -> Tensor",
                        "cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4"));
}

TEST_CASE("a stream that uses what another wrote waits for it") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)), "kernel_a", 7);
  host.work(host.op(kRelu, Values().vector(1), Values().vector(3)), "kernel_a", 7);
  host.work(host.op(kRelu, Values().vector(2), Values().vector(4)), "kernel_a", 9);
  const OperationList list = list_of(host);
  CHECK(list.streams == std::vector<std::int64_t>{7, 9});
  CHECK(lines_of(list, "sequence") == Lines{"[0,[0],[1]]", R"(["record",0])", "[0,[0],[2],[2]]", R"(["stream",1])",
                                            R"(["wait",0])", "[0,[1],[3],[1,3]]"});
  CHECK(list.waits_from_data == 1);
}

TEST_CASE("what is alive at once is counted") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1, 1000), Values().vector(2, 1000)));
  host.work(host.op(kRelu, Values().vector(2, 1000), Values().vector(3, 1000)));
  host.work(host.op(kRelu, Values().vector(3, 1000), Values().vector(4, 1000)));
  CHECK(list_of(host).peak_bytes == 12000);
}

TEST_CASE("a storage that does not fit what was last seen at its address is another one") {
  SmallHost host;
  host.work(host.op(kRelu, Values().vector(1), Values().vector(2)));
  host.work(host.op(kRelu, Values().vector(2, 16), Values().vector(3)));
  CHECK(lines_of(list_of(host), "sequence")[1] == "[1,[2],[3],[3]]");
  SmallHost expanded;  // more elements than memory: one row, many times
  expanded.work(expanded.op(kRelu, Values().vector(1), Values().vector(2)));
  expanded.work(expanded.op(kRelu, Values().tensor(7, 2, "[4,8]", "[0,1]", 32), Values().vector(3)));
  CHECK(lines_of(list_of(expanded), "sequence")[1] == "[1,[1],[2],[1,2]]");
}

}  // namespace
