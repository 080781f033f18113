#include "formats/pytorch_et/schema.h"

#include <doctest/doctest.h>

namespace {

using orrery::pytorch_et::parse_operator_schema;

TEST_CASE("a schema's name, overload, arguments and returns") {
  const auto schema = parse_operator_schema(
      "aten::sub_.Tensor(Tensor(a!) self, int[2] sizes=[1, 1], *, Scalar alpha=1, str mode=\"a\") -> Tensor(a!)");
  REQUIRE(schema);
  CHECK(schema->name == "aten::sub_");
  CHECK(schema->overload == "Tensor");
  REQUIRE(schema->arguments.size() == 4);
  CHECK(schema->arguments[0].type == "Tensor(a!)");
  CHECK(schema->arguments[0].is_written);
  CHECK(schema->arguments[1].name == "sizes");
  CHECK(schema->arguments[1].default_value == "[1, 1]");
  CHECK_FALSE(schema->arguments[1].is_keyword);
  CHECK(schema->arguments[2].is_keyword);
  CHECK(schema->arguments[2].name == "alpha");
  CHECK(schema->returns_alias);
  CHECK_FALSE(parse_operator_schema("aten::mm(Tensor self, Tensor mat2) -> Tensor")->returns_alias);
}

TEST_CASE("what is no schema") {
  CHECK_FALSE(parse_operator_schema(""));
  CHECK_FALSE(parse_operator_schema("broken("));
  CHECK_FALSE(parse_operator_schema("(x)"));
}

}  // namespace
