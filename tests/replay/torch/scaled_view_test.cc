// An axis of memory is scaled: what becomes of the views of it.
#include "replay/torch/scale/scaled_view.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace orrery::replay::torch {
namespace {

using Numbers = std::vector<std::int64_t>;

RecordedTensor view(Numbers shape, Numbers stride, std::int64_t offset = 0) {
  RecordedTensor tensor{};
  tensor.type = {"float32", 4, false};
  tensor.shape = std::move(shape);
  tensor.stride = std::move(stride);
  tensor.offset = offset;
  REQUIRE(describe_again(tensor));
  return tensor;
}

// What the view is afterwards; "stays behind" if it cannot follow.
std::string scaled(RecordedTensor tensor, const Axis& axis, Factor factor = {2, 1}) {
  if (!can_follow(tensor, axis) || !scale_axis(tensor, axis, factor) || !describe_again(tensor)) return "stays behind";
  return tensor.descriptor;
}

// [8, 256, 512]: its batch, its sequence, its width.
const Axis kBatch{4 * 256 * 512, 8}, kSequence{4 * 512, 256}, kWidth{4, 512};

TEST_CASE("the axis itself grows, strides above it grow, strides below stay") {
  const RecordedTensor whole = view({8, 256, 512}, {131072, 512, 1});
  CHECK(scaled(whole, kBatch) == R"(["float32",[16,256,512],[131072,512,1],0])");
  CHECK(scaled(whole, kSequence) == R"(["float32",[8,512,512],[262144,512,1],0])");
  CHECK(scaled(whole, kWidth) == R"(["float32",[8,256,1024],[262144,1024,1],0])");
  CHECK(scaled(whole, kBatch, {1, 2}) == R"(["float32",[4,256,512],[131072,512,1],0])");
  CHECK(scaled(whole, kSequence, {3, 8}) == R"(["float32",[8,96,512],[49152,512,1],0])");
  CHECK(scaled(whole, kBatch, {1, 3}) == "stays behind");  // two and two thirds
}

TEST_CASE("dimensions that were joined or split follow by the part that is theirs") {
  CHECK(scaled(view({2048, 512}, {512, 1}), kBatch) == R"(["float32",[4096,512],[512,1],0])");
  CHECK(scaled(view({2048, 512}, {512, 1}), kSequence) == R"(["float32",[4096,512],[512,1],0])");
  const auto joined = part_of_axis(view({2048, 512}, {512, 1}), kBatch);
  REQUIRE(joined);
  CHECK((joined->dimension == 0 && joined->part == Part{256, 8}));
  CHECK(part_of_axis(view({2048, 512}, {512, 1}), kSequence)->part == Part{1, 256});
  CHECK(scaled(view({512, 2048}, {1, 512}), kBatch) == R"(["float32",[512,4096],[1,512],0])");  // transposed
  CHECK(scaled(view({1048576}, {1}), kWidth) == R"(["float32",[2097152],[1],0])");
  CHECK(scaled(view({2, 4, 256, 512}, {524288, 131072, 512, 1}), kBatch) ==
        R"(["float32",[4,4,256,512],[524288,131072,512,1],0])");
}

TEST_CASE("queries, keys and values in one memory: each begins where it did, further on") {
  const Axis batch{4 * 256 * 1536, 8}, heads{4 * 64, 8};
  CHECK(scaled(view({8, 8, 256, 64}, {393216, 64, 1536, 1}, 1024), batch) ==
        R"(["float32",[16,8,256,64],[393216,64,1536,1],1024])");
  CHECK(scaled(view({8, 8, 256, 64}, {393216, 64, 1536, 1}, 1024), heads) ==
        R"(["float32",[8,16,256,64],[786432,64,3072,1],2048])");
  // Joined by cat, the three lie one after the other: batch is inside.
  const Axis inside{4 * 131072, 8};
  CHECK(scaled(view({8, 256, 3, 8, 64}, {131072, 64, 1048576, 16384, 1}), inside) ==
        R"(["float32",[16,256,3,8,64],[131072,64,2097152,16384,1],0])");
}

TEST_CASE("a slice keeps its share, one element stays one") {
  CHECK(scaled(view({4, 256, 512}, {131072, 512, 1}, 4 * 131072), kBatch) ==
        R"(["float32",[8,256,512],[131072,512,1],1048576])");
  CHECK(scaled(view({8, 512}, {131072, 1}, 255 * 512), kSequence) == R"(["float32",[8,512],[262144,1],261120])");
}

TEST_CASE("sequences out of one token more") {
  const Axis tokens{4, 256, 1};
  CHECK(scaled(view({8, 257}, {257, 1}), tokens) == R"(["float32",[8,513],[513,1],0])");
  CHECK(scaled(view({8, 256}, {257, 1}), tokens) == R"(["float32",[8,512],[513,1],0])");
  CHECK(scaled(view({8, 256}, {257, 1}, 1), tokens, {1, 2}) == R"(["float32",[8,128],[129,1],1])");
  CHECK(scaled(view({8, 255}, {257, 1}), tokens) == "stays behind");
  CHECK(scaled(view({8, 256}, {257, 1}, 2), tokens) == "stays behind");
}

TEST_CASE("what has no such digits stays behind") {
  CHECK(scaled(view({254, 4}, {512, 512}), kSequence) == "stays behind");     // windows that overlap
  CHECK(scaled(view({8, 256}, {131073, 512}), kSequence) == "stays behind");  // rows that are no whole sequences
  CHECK(scaled(view({3, 2}, {300, 1}), Axis{4 * 200, 4}) == "stays behind");  // steps that are none of the axis
  RecordedTensor other = view({64}, {1});
  other.type.bytes = 8;
  CHECK_FALSE(can_follow(other, Axis{4, 128}));  // half an element
}

TEST_CASE("the axis of a part is the one whose part it is") {
  const RecordedTensor tokens = view({2048, 512}, {512, 1});
  CHECK(axes_of_part(tokens, {0, {256, 8}}, 0).front() == kBatch);
  const std::vector<Axis> of_slice = axes_of_part(view({8, 256}, {257, 1}), {1, {1, 256}}, 0);
  CHECK(of_slice == std::vector<Axis>{{4, 256}, {4, 256, 1}, {4, 257}});
  // Outermost: up to the end of the memory.
  CHECK(axes_of_part(view({4, 512}, {512, 1}), {0, {1, 4}}, 8 * 2048).back() == Axis{2048, 8});
}

TEST_CASE("any order of dimensions, any axis: as many elements more as the factor says, and none twice") {
  rc::check([] {
    const Numbers sizes = {*rc::gen::inRange(2, 5), *rc::gen::inRange(2, 5), *rc::gen::inRange(2, 5)};
    Numbers strides = {sizes[1] * sizes[2], sizes[2], 1};
    const auto chosen = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
    const Axis axis{4 * strides[chosen], sizes[chosen]};
    const auto first = static_cast<std::size_t>(*rc::gen::inRange(0, 3)),
               second = (first + static_cast<std::size_t>(*rc::gen::inRange(1, 3))) % 3;
    const std::size_t third = 3 - first - second;
    RecordedTensor tensor =
        view({sizes[first], sizes[second], sizes[third]}, {strides[first], strides[second], strides[third]});
    RC_ASSERT(can_follow(tensor, axis));
    const std::int64_t factor = *rc::gen::inRange(2, 4);
    RC_ASSERT(scale_axis(tensor, axis, {factor, 1}));
    RC_ASSERT(describe_again(tensor));
    RC_ASSERT(tensor.extent_bytes == 4 * factor * sizes[0] * sizes[1] * sizes[2]);  // without gaps, as before
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= size;
    RC_ASSERT(4 * elements == tensor.extent_bytes);
  });
}

}  // namespace
}  // namespace orrery::replay::torch
