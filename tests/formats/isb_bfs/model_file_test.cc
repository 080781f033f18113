#include "formats/isb_bfs/model_file.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/temp_dir.h"

namespace orrery::isb_bfs {
namespace {

ModelFile parsed(std::string_view text, Content content, const std::string& path = "exec.model") {
  auto file = parse_model_file(text, path, content);
  if (!file) FAIL(file.error().to_string());
  return std::move(*file);
}

TEST_CASE("every type is evaluated as the motif does it") {
  const ModelFile file = parsed(
      "1 2 1 CONSTANT 2.5\n2 3 1 BILINEAR 1 2 3 -200\n3 4 2 EXPONENTIAL 0.001 0.01 0.1 1\n\n4 5 1 TRACE 1.0 2.0 3.0\n",
      Content::exec);
  REQUIRE(file.models.size() == 4);
  CHECK(evaluate(file, file.models[0], 4, 16) == 2.5);
  CHECK(evaluate(file, file.models[1], 4, 16) ==
        4 * 16 + 2 * 4 + 3 * 16 - 200);  // negative: only polynomials are held at zero
  CHECK(evaluate(file, file.models[2], 4, 16) == doctest::Approx(std::exp(0.001 * 64 + 0.04 + 1.6 + 1)));
  CHECK(file.models[2].threads == 2);
  CHECK(evaluate(file, file.models[3], 4, 16, 0) == 1);
  CHECK(evaluate(file, file.models[3], 4, 16, 4) == 2);
  CHECK(evaluate_scaled(file, file.models[0], 4, 16) == 2500);
  CHECK(evaluate_scaled(file, file.models[2], 4, 16) == std::nearbyint(1000 * evaluate(file, file.models[2], 4, 16)));
}

TEST_CASE("polynomials are told by the name of the file, and are never negative") {
  const std::string text = "callsite threads_per_rank 0,0 1,0 0,1 2,0\n1 1 8.0 0.0 0.0 0.0\n2 1 0.0 -100 2 1\n";
  const ModelFile file = parsed(text, Content::msg, "folder/msg_poly.model");
  CHECK(evaluate(file, file.models[0], 4, 16) == 8);
  CHECK(evaluate(file, file.models[1], 4, 16) == 0);
  CHECK(evaluate(file, file.models[1], 1000, 16) == 2000 - 1600 + 256);
  CHECK(!parse_model_file(text, "poly/msg.model", Content::msg));
}

TEST_CASE("what is written reads back to the same bits") {
  const testing::TempDir dir;
  ModelFile file =
      parsed("1 2 1 EXPONENTIAL -0.005056415928899995 0.07997186925309079 0.38161516099266257 -2.715939790199473\n",
             Content::exec);
  CHECK(to_text(file) ==
        "1 2 1 EXPONENTIAL -0.005056415928899995 0.07997186925309079 0.38161516099266257 -2.715939790199473\n");
  const std::string path = dir.path("exec.model");
  REQUIRE(write_model_file(file, path));
  const auto again = read_model_file(path, Content::exec);
  REQUIRE(again);
  CHECK(*again == file);
  CHECK(!write_model_file(file, dir.path("exec_poly.model")));
  ModelFile poly = parsed("callsite_source callsite_destination threads_per_rank 0,0 1,0\n1 2 1 3.25 -1\n",
                          Content::exec, "exec_poly.model");
  CHECK(parsed(to_text(poly), Content::exec, "exec_poly.model") == poly);
  CHECK(!write_model_file(poly, path));
}

TEST_CASE("what is no model is refused with its line") {
  const auto message_of = [](std::string_view text, Content content, const std::string& path = "f.model") {
    const auto file = parse_model_file(text, path, content);
    REQUIRE(!file);
    CHECK(file.error().file == path);
    return file.error().message;
  };
  CHECK(message_of("", Content::exec) == "holds no model");
  CHECK(message_of("1 2 1 CONSTANT 1\nx 2 1 CONSTANT 1\n", Content::exec).find("line 2") == 0);
  CHECK(message_of("1 2 1 LINEAR 1\n", Content::exec).find("unknown type 'LINEAR'") != std::string::npos);
  CHECK(message_of("1 2 1 EXPONENTIAL 1 2 3\n", Content::exec).find("3 numbers where 4") != std::string::npos);
  CHECK(message_of("1 2 1 TRACE\n", Content::exec).find("0 numbers") != std::string::npos);
  CHECK(message_of("1 1 BILINEAR 1 2 3 4\n", Content::msg).find("not for messages") != std::string::npos);
  CHECK(message_of("1 2 1 CONSTANT nan\n", Content::exec).find("'nan'") != std::string::npos);
  CHECK(message_of("1 1 8.0\n", Content::msg, "poly.model").find("exponents") != std::string::npos);
  CHECK(message_of("a 0,0 1,99\n1 1 8 8\n", Content::msg, "poly.model").find("'1,99'") != std::string::npos);
}

}  // namespace
}  // namespace orrery::isb_bfs
