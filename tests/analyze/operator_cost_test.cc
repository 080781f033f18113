#include "analyze/roofline/operator_cost.h"

#include <doctest/doctest.h>

#include "analyze/capture/operand_lists.h"

namespace orrery::analyze {
namespace {

constexpr std::string_view kBf16 = R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","",""])";

std::optional<OperatorCost> cost(std::string_view name, std::string_view shapes, std::string_view types = kBf16,
                                 std::string_view values = {}) {
  return cost_of({.name = name, .number = 0, .shapes = shapes, .types = types, .values = values}, nullptr);
}

TEST_CASE("products: two operations per element and term, every operand once") {
  const auto mm = cost("aten::mm", "[[16,512],[512,1536]]");
  REQUIRE(mm);
  CHECK(mm->kind == OperatorKind::gemm);
  CHECK(mm->flops == 2.0 * 16 * 512 * 1536);
  CHECK(mm->bytes == 2.0 * (16 * 512 + 512 * 1536 + 16 * 1536));
  // The bias is read, and is no product.
  const auto addmm = cost("aten::addmm", "[[512],[141,512],[512,512],[],[]]");
  REQUIRE(addmm);
  CHECK(addmm->flops == 2.0 * 141 * 512 * 512);
  CHECK(addmm->bytes == 814080);
  const auto linear = cost("aten::linear", "[[1,141,512],[512,512],[512]]");
  REQUIRE(linear);
  CHECK(linear->flops == addmm->flops);
  CHECK(linear->bytes == addmm->bytes);
  const auto bmm = cost("aten::bmm", "[[8,4,16],[8,16,32]]");
  REQUIRE(bmm);
  CHECK(bmm->flops == 2.0 * 8 * 4 * 16 * 32);
  CHECK_FALSE(cost("aten::mm", "[[16,512],[511,1536]]"));
}

TEST_CASE("attention: pairs of queries and keys, fewer where it is causal") {
  constexpr std::string_view kShapes = "[[8,4,128,64],[8,4,128,64],[8,4,128,64],[],[]]";
  const auto full = cost("aten::_scaled_dot_product_flash_attention", kShapes, kBf16, R"(["","","","0.","False"])");
  const auto causal = cost("aten::_scaled_dot_product_flash_attention", kShapes, kBf16, R"(["","","","0.","True"])");
  REQUIRE(full);
  REQUIRE(causal);
  CHECK(full->flops == 2.0 * 32 * 128 * 128 * 128);
  CHECK(causal->flops == 2.0 * 32 * (128 * 128 - 128 * 127 / 2) * 128);
  CHECK(full->bytes == 4 * 2.0 * 8 * 4 * 128 * 64);
  // What an engine looks back at only its step says.
  constexpr std::string_view kEngine = "[[32,64,64],[32,8,64],[32,8,64],[32,64,64]]";
  CHECK_FALSE(cost("vllm::unified_attention_with_output", kEngine));
  const RequestLengths lengths{.generation_query_keys = 55086, .kv_tokens = 55086};
  const auto engine = cost_of(
      {.name = "vllm::unified_attention_with_output", .number = 0, .shapes = kEngine, .types = kBf16, .values = {}},
      &lengths);
  REQUIRE(engine);
  CHECK(engine->flops == 902529024);
  CHECK(engine->bytes == 113340416);
}

TEST_CASE("convolutions: arguments stand in another order in each") {
  constexpr std::string_view kShapes = "[[2,3,32,32],[8,3,3,3],[8]]";
  const double flops = 2.0 * 2 * 8 * 16 * 16 * 3 * 9;
  const auto plain =
      cost("aten::convolution", kShapes, kBf16, R"(["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"])");
  REQUIRE(plain);
  CHECK(plain->kind == OperatorKind::conv);
  CHECK(plain->flops == flops);
  const auto cudnn = cost("aten::cudnn_convolution", kShapes, kBf16,
                          R"(["","","[1, 1]","[2, 2]","[1, 1]","1","False","False","True"])");
  REQUIRE(cudnn);
  CHECK(cudnn->flops == flops);
  const auto transposed = cost("aten::convolution", "[[2,8,16,16],[8,3,4,4],[]]", kBf16,
                               R"(["","","","[2, 2]","[1, 1]","[1, 1]","True","[0, 0]","1"])");
  REQUIRE(transposed);
  CHECK(transposed->flops == 2.0 * 2 * 8 * 16 * 16 * 3 * 16);
  CHECK(transposed->bytes == 2.0 * (2 * 8 * 16 * 16 + 8 * 3 * 16 + 2 * 3 * 32 * 32));
}

TEST_CASE("element-wise operators broadcast; copies only move") {
  const auto add = cost("aten::add", "[[16,512],[512],[]]");
  REQUIRE(add);
  CHECK(add->flops == 16 * 512);
  CHECK(add->bytes == 2.0 * (16 * 512 + 512 + 16 * 512));
  const auto copy = cost("aten::copy_", "[[32,72],[32,72],[]]", R"(["int","int","Scalar"])");
  REQUIRE(copy);
  CHECK(copy->flops == 0);
  CHECK(copy->bytes == 18432);
}

TEST_CASE("what no formula fits has no price: unknown operators, shapes that are none, sizes beyond all devices") {
  CHECK_FALSE(cost("aten::index", "[[16,512],[4]]"));
  CHECK_FALSE(cost("aten::mm", "\"nonsense\""));
  CHECK_FALSE(cost("aten::mm", "[[16,-512],[-512,16]]"));
  CHECK_FALSE(cost("aten::mm", "[[9223372036854775807,9223372036854775807],[9223372036854775807,2]]"));
  CHECK_FALSE(cost("aten::mm", "[[16,512],[512,16]]", R"(["",""])"));
}

TEST_CASE("lists of operands") {
  const auto operands = parse_shapes("[[32, 2880], [], [[2,3],[4]]]");
  REQUIRE(operands);
  CHECK(operands->size() == 3);
  CHECK((*operands)[0].shape() == Shape{32, 2880});
  CHECK((*operands)[2].shapes.size() == 2);
  CHECK_FALSE(parse_shapes("[[1,2]"));
  CHECK_FALSE(parse_shapes("[1,2]"));
  CHECK_FALSE(parse_shapes("[[1,\"a\"]]"));
  CHECK(parse_texts(R"(["a\"b", ""])") == std::vector<std::string>{"a\"b", ""});
  CHECK(without_blanks("[[1, 2], [\"a b\"]]") == "[[1,2],[\"a b\"]]");
  CHECK(bytes_of_operand("[[2,3],[]]", R"(["float",""])", 0) == 24);
  CHECK_FALSE(bytes_of_operand("[[2,3],[]]", R"(["float",""])", 1));
}

}  // namespace
}  // namespace orrery::analyze
