// A dimension is scaled through a whole recording, or nothing is: on the smallest traces that show it.
#include <doctest/doctest.h>

#include "replay/torch/small_host.h"

namespace {

using namespace orrery::replay::torch;
using namespace orrery::replay::torch::testing;
using Lines = std::vector<std::string>;

const std::string kAddmm =
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
const std::string kSum =
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
const std::string kArange =
    "aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)";
const std::string kEmbedding =
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
    "sparse=False) -> Tensor";
const std::string kCat = "aten::cat(Tensor[] tensors, int dim=0) -> Tensor";

EmitOptions scaling(const char* selector, const char* factor) {
  EmitOptions options;
  const auto request = parse_scale(selector, factor);
  REQUIRE(request.ok());
  options.scale = *request;
  return options;
}

std::string refusal(const SmallHost& host, const char* selector = "batch", const char* factor = "2") {
  const auto list = try_list_of(host, scaling(selector, factor));
  return list.ok() ? "" : list.error().message;
}

Values& matrix(Values& values, int storage, int rows, int columns) {
  return values.tensor(100 + storage, storage, "[" + std::to_string(rows) + "," + std::to_string(columns) + "]",
                       "[" + std::to_string(columns) + ",1]", rows * columns);
}
Values matrix(int storage, int rows, int columns) {
  Values values;
  return matrix(values, storage, rows, columns);
}

// x [6, 4] comes from the host, and goes through a layer with 4 inputs and 6 outputs: a size is no name.
SmallHost layer() {
  SmallHost host;
  Values copied = matrix(1, 6, 4);
  copied.tensor(50, 50, "[6,4]", "[4,1]", 24, "float", "cpu").plain("false", "Bool");
  host.work(host.op(kCopy, copied, matrix(1, 6, 4)), "Memcpy HtoD (Pinned -> Device)");
  Values product = Values().vector(2, 6);
  matrix(product, 1, 6, 4).tensor(103, 3, "[4,6]", "[1,4]", 24).plain("1", "Int").plain("1", "Int");
  host.work(host.op(kAddmm, product, matrix(4, 6, 6)));
  return host;
}

TEST_CASE("the batch is found in what is copied in, and followed; sizes that are only equal stay") {
  const OperationList list = list_of(layer(), scaling("batch", "2"));
  CHECK(lines_of(list, "tensors") == Lines{R"(["float32",[12,4],[4,1],0])", R"(["float32",[6],[1],0])",
                                           R"(["float32",[4,6],[1,4],0])", R"(["float32",[12,6],[6,1],0])"});
  CHECK(lines_of(list, "storages").back() == R"(["cuda",288,"made","float32",0,0,1])");
  CHECK((list.scaled.size_before == 6 && list.scaled.size_after == 12 && list.scaled.calls == 2));
  CHECK(lines_of(list_of(layer(), scaling("batch", "0.5")), "tensors")[3] == R"(["float32",[3,6],[6,1],0])");
}

TEST_CASE("by 1 every byte stays, also where nothing could follow") {
  CHECK(to_json(list_of(layer(), scaling("batch", "1"))) == to_json(list_of(layer())));
  SmallHost host;
  host.work(host.op("aten::nonzero(Tensor self) -> Tensor", matrix(1, 6, 4), matrix(2, 24, 2)));
  CHECK(to_json(list_of(host, scaling("batch", "1.0"))) == to_json(list_of(host)));
}

TEST_CASE("views follow by the memory that they are of, and sums lose it") {
  SmallHost host = layer();
  host.work(host.op(kRelu, Values().tensor(104, 4, "[3,2,6]", "[12,6,1]", 36),
                    Values().tensor(105, 5, "[3,2,6]", "[12,6,1]", 36)));
  Values summed = matrix(5, 6, 6);
  summed.plain("[0]", "GenericList[Int]").plain("true", "Bool");
  host.work(host.op(kSum, summed, matrix(6, 1, 6)));
  const Lines tensors = lines_of(list_of(host, scaling("batch", "2")), "tensors");
  CHECK(tensors[4] == R"(["float32",[6,2,6],[12,6,1],0])");
  CHECK(tensors.back() == R"(["float32",[1,6],[6,1],0])");
}

TEST_CASE("what is joined has the dimension as often") {
  SmallHost host = layer();
  const std::string part = R"([104,4,0,36,4,"cuda:0"])";
  Values parts;
  parts.add_list({part, part, part}, "[6,6]", "[6,1]", "Tensor(float)").plain("0", "Int");
  host.work(host.op(kCat, parts, matrix(5, 18, 6)));
  // Seen as three again: the batch is inside.
  host.work(host.op(kRelu, Values().tensor(105, 5, "[6,3,6]", "[6,36,1]", 108),
                    Values().tensor(106, 6, "[6,3,6]", "[18,6,1]", 108)));
  const Lines tensors = lines_of(list_of(host, scaling("batch", "2")), "tensors");
  CHECK(std::find(tensors.begin(), tensors.end(), R"(["float32",[36,6],[6,1],0])") != tensors.end());
  CHECK(std::find(tensors.begin(), tensors.end(), R"(["float32",[12,3,6],[6,72,1],0])") != tensors.end());
}

// Positions 0 to `count` - 1 are looked up in a table of so many rows, and added to x [2, count, 4].
SmallHost positions(int count, int rows) {
  SmallHost host;
  const std::string shape = "[2," + std::to_string(count) + ",4]", stride = "[" + std::to_string(4 * count) + ",4,1]";
  Values copied =
      Values().tensor(101, 1, shape, stride, 8 * count).tensor(50, 50, shape, stride, 8 * count, "float", "cpu");
  copied.plain("false", "Bool");
  host.work(host.op(kCopy, copied, Values().tensor(101, 1, shape, stride, 8 * count)));
  const std::string counted = "[" + std::to_string(count) + "]";
  const auto indices = [&](Values& values) -> Values& {
    return values.tensor(107, 7, counted, "[1]", count, "long int", "cuda:0", 0, 8);
  };
  Values range = Values().plain("0", "Int").plain(std::to_string(count), "Int").plain("1", "Int");
  Values out;
  host.work(host.op(kArange, indices(range), indices(out)));
  Values looked_up = matrix(8, rows, 4);
  indices(looked_up).plain("-1", "Int").plain("false", "Bool").plain("false", "Bool");
  host.work(host.op(kEmbedding, looked_up, matrix(9, count, 4)));
  Values added = Values().tensor(101, 1, shape, stride, 8 * count);
  matrix(added, 9, count, 4).plain("1", "Int");
  host.work(host.op("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", added,
                    Values().tensor(110, 10, shape, stride, 8 * count)));
  return host;
}

TEST_CASE("with the sequence grow the positions that are counted, and the table that has one row for each") {
  const OperationList list = list_of(positions(5, 5), scaling("sequence", "2"));
  CHECK(lines_of(list, "forms")[1].find(R"("args":[0,10,1])") != std::string::npos);
  const Lines tensors = lines_of(list, "tensors");
  CHECK(std::find(tensors.begin(), tensors.end(), R"(["float32",[5,4],[4,1],0])") == tensors.end());
  CHECK(lines_of(list, "storages").front() == R"(["cuda",320,"given","float32",0,0,1])");
  // A table that is large enough stays.
  const Lines larger = lines_of(list_of(positions(5, 32), scaling("sequence", "2")), "tensors");
  CHECK(std::find(larger.begin(), larger.end(), R"(["float32",[32,4],[4,1],0])") != larger.end());
  CHECK(refusal(positions(5, 8), "sequence").find("10 positions are looked up in a table of 8") != std::string::npos);
}

TEST_CASE("what cannot follow is named, and nothing is made") {
  SmallHost host = layer();
  host.work(host.op("aten::nonzero(Tensor self) -> Tensor", matrix(4, 6, 6),
                    Values().tensor(105, 5, "[36,2]", "[2,1]", 72, "long int", "cuda:0", 0, 8)));
  CHECK(refusal(host) ==
        "aten::nonzero (node 6) cannot follow where batch is scaled by 2: no rule says which of its sizes belong "
        "together");
  // Where it does not come there, it may stay.
  CHECK(refusal(host, "size:4").empty());

  SmallHost replaced = layer();
  replaced.work(1, "triton_kernel");
  CHECK(refusal(replaced) == "triton_kernel cannot be scaled: nothing says what it was called with");

  CHECK(refusal(layer(), "batch", "0.25").find("a size of 6 cannot be scaled by 0.25") == 0);
  CHECK(refusal(layer(), "size:7").find("no dimension of a size of 7") == 0);
  SmallHost nothing;
  nothing.work(nothing.op(kRelu, Values().vector(1), Values().vector(2)));
  CHECK(refusal(nothing).find("no data was found") == 0);
}

TEST_CASE("what is not called again must not be in between") {
  SmallHost host = layer();
  host.op("aten::mystery(Tensor self) -> Tensor", matrix(4, 6, 6),
          matrix(5, 6, 6));  // launches nothing that was recorded
  host.work(host.op(kRelu, matrix(5, 6, 6), matrix(6, 6, 6)));
  CHECK(refusal(host) ==
        "aten::mystery (node 6) cannot follow where batch is scaled by 2: it is not called again, and what it made is "
        "used");
}

TEST_CASE("memory that is also seen across the dimension is not scaled") {
  SmallHost host = layer();
  // 5 x 7 elements of 36: no rows of anything.
  host.work(host.op(kRelu, matrix(4, 5, 7), matrix(5, 5, 7)));
  CHECK(refusal(host).find("is also seen in ways that do not go with it") != std::string::npos);
}

TEST_CASE("a step whose data was not found is noticed") {
  SmallHost host;
  for (int step = 0; step < 2; ++step) {
    const int range = host.range("ProfilerStep#" + std::to_string(step));
    const int x = 10 * step + 1;
    if (step == 0) {
      Values copied = matrix(x, 6, 4);
      copied.tensor(50, 50, "[6,4]", "[4,1]", 24, "float", "cpu").plain("false", "Bool");
      host.work(host.op(kCopy, copied, matrix(x, 6, 4), range));
    } else {
      host.work(host.op(kRelu, Values().vector(90, 24), Values().vector(91, 24), range));
    }
    // In the second step it lies in memory otherwise.
    const Values given = step == 0 ? matrix(x, 6, 4) : Values().tensor(x, x, "[6,4]", "[1,6]", 24);
    for (int i = 0; i < 3; ++i) host.work(host.op(kRelu, given, matrix(x + 1 + i, 6, 4), range));
  }
  CHECK(refusal(host).find("its data was not found") != std::string::npos);
}

TEST_CASE("selectors and factors") {
  for (const char* selector :
       {"", "heads", "size:", "size:1", "size:x", "size:-4", "Batch", "size:99999999999999999999"})
    CHECK_FALSE(parse_scale(selector, "2").ok());
  for (const char* factor :
       {"", "0", "-1", "x", "2x", "1e3", "0.0", ".", "2.", "0.1234567", "1000001", "nan", "inf", "9999999999999"})
    CHECK_FALSE(parse_scale("batch", factor).ok());
  const auto request = parse_scale("size:2048", "0.75");
  REQUIRE(request.ok());
  CHECK((request->size == 2048 && request->factor.numerator == 3 && request->factor.denominator == 4));
  CHECK(request->factor.times(8) == 6);
  CHECK_FALSE(request->factor.times(6).has_value());
}

}  // namespace
