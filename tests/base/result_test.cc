#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>

namespace orrery {
namespace {

Result<std::unique_ptr<int>> half(int value) {
  if (value % 2 != 0) return Error{.message = "is odd", .file = "numbers", .offset = 7, .hint = "add one"};
  return std::make_unique<int>(value / 2);
}

Status check_even(int value) {
  if (auto result = half(value); !result) return result.error();
  return {};
}

}  // namespace

TEST_CASE("a result holds a value or an error") {
  const auto good = half(8);
  REQUIRE(good.ok());
  CHECK(**good == 4);
  const auto bad = half(7);
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().message == "is odd");
}

TEST_CASE("a status is fine until it has an error") {
  CHECK(check_even(2).ok());
  CHECK(check_even(3).error().file == "numbers");
}

TEST_CASE("an error in words: where, what, what to do") {
  CHECK(half(7).error().to_string() == "numbers: byte 7: is odd (add one)");
  CHECK(Error{"plain"}.to_string() == "plain");
  CHECK(Error{"at the start", "f", 0}.to_string() == "f: byte 0: at the start");
}

}  // namespace orrery
