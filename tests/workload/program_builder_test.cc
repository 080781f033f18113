#include "workload/program_builder.h"

#include <doctest/doctest.h>

using namespace orrery;
using namespace orrery::workload;

namespace {

Activity compute(std::uint64_t id, TimePs duration = 1) {
  return {.id = id, .kind = ActivityKind::compute, .duration_ps = duration};
}

std::vector<std::uint64_t> sources(const Program& program, std::size_t activity) {
  std::vector<std::uint64_t> ids;
  for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(activity)))
    ids.push_back(program.ids[program.dependencies.source(slot)]);
  return ids;
}

}  // namespace

TEST_CASE("activities come in any order and are kept by id, with their dependencies") {
  ProgramBuilder builder;
  builder.add(compute(70, 7));
  builder.depend(10, Dependency::data);
  builder.depend(30, Dependency::control);
  builder.depend(10, Dependency::control);  // counts once
  builder.add(compute(10, 1));
  builder.add({.id = 30, .kind = ActivityKind::send, .flags = activity::kHasTag, .bytes = 5, .peer = 2, .tag = 9});
  builder.depend(10, Dependency::data);
  const Result<Program> program = std::move(builder).build();
  REQUIRE(program.ok());
  CHECK(std::vector<std::uint64_t>(program->ids.begin(), program->ids.end()) == std::vector<std::uint64_t>{10, 30, 70});
  CHECK(sources(*program, 2) == std::vector<std::uint64_t>{10, 30});
  CHECK(program->dependencies.type(program->dependencies.incoming(2)[1]) ==
        static_cast<std::uint8_t>(Dependency::control));
  CHECK(program->duration_ps(2) == 7);
  CHECK(program->tags[1] == 9);
  CHECK(program->has(1, activity::kHasTag));
  CHECK_FALSE(program->has(2, activity::kHasTag));
}

TEST_CASE("what is wrong with the ids is said with the ids") {
  const auto message = [](auto fill) {
    ProgramBuilder builder;
    fill(builder);
    const Result<Program> program = std::move(builder).build();
    return program ? std::string() : program.error().message;
  };
  CHECK(message([](ProgramBuilder& b) { b.add(compute(4)), b.add(compute(4)); }) == "two nodes have the id 4");
  CHECK(message([](ProgramBuilder& b) { b.add(compute(4)), b.depend(5, Dependency::data); }) ==
        "node 4 depends on node 5, which does not exist");
  CHECK(message([](ProgramBuilder& b) { b.add(compute(4)), b.add(compute(9)), b.depend(8, Dependency::data); }) ==
        "node 9 depends on node 8, which does not exist");
  CHECK(message([](ProgramBuilder& b) {
          b.add(compute(4)), b.depend(9, Dependency::data), b.add(compute(7)), b.add(compute(9)),
              b.depend(4, Dependency::control);
        }) == "the dependencies form a cycle: 4 -> 9 -> 4");
  CHECK(message([](ProgramBuilder& b) { b.add(compute(4)), b.depend(4, Dependency::data); }) ==
        "the dependencies form a cycle: 4 -> 4");
  CHECK(message([](ProgramBuilder&) {}) == "");
}

TEST_CASE("control dependencies that form a circle give way to those of data, where somebody counts them") {
  const auto filled = [] {
    ProgramBuilder builder;
    builder.add(compute(4)), builder.depend(9, Dependency::control);
    builder.add(compute(9)), builder.depend(4, Dependency::data), builder.depend(4, Dependency::control);
    return builder;
  };
  CHECK_FALSE(filled().build().ok());
  DanglingControl left_out;
  const Result<Program> program = filled().build(&left_out);
  REQUIRE(program.ok());
  CHECK(left_out.circular == 2);
  CHECK(sources(*program, 0).empty());
  CHECK(sources(*program, 1) == std::vector<std::uint64_t>{4});
  ProgramBuilder by_data;
  by_data.add(compute(4)), by_data.depend(9, Dependency::data);
  by_data.add(compute(9)), by_data.depend(4, Dependency::data);
  CHECK_FALSE(std::move(by_data).build(&left_out).ok());
}

TEST_CASE("activities are repeated behind another one, with what they are and their dependencies on one another") {
  ProgramBuilder builder;
  builder.add(compute(10, 1));
  builder.add({.id = 11, .kind = ActivityKind::send, .flags = activity::kHasTag, .bytes = 5, .peer = 2, .tag = 9});
  builder.depend(10, Dependency::data);
  builder.add(compute(12, 3));
  builder.depend(10, Dependency::control);
  builder.depend(11, Dependency::data);
  builder.add(compute(13, 4));
  builder.repeat(1, 2, 10, 13);
  builder.repeat(1, 2, 10, 15);
  builder.add(compute(18, 5));
  const Result<Program> program = std::move(builder).build();
  REQUIRE(program.ok());
  REQUIRE(program->size() == 9);
  CHECK(program->ids[7] == 17);
  CHECK(sources(*program, 4) == std::vector<std::uint64_t>{13});
  CHECK(sources(*program, 5) == std::vector<std::uint64_t>{13, 14});
  CHECK(sources(*program, 6) == std::vector<std::uint64_t>{15});
  CHECK(sources(*program, 7) == std::vector<std::uint64_t>{15, 16});
  CHECK(program->dependencies.type(program->dependencies.incoming(7)[0]) ==
        static_cast<std::uint8_t>(Dependency::control));
  CHECK(program->tags[6] == 9);
  CHECK(program->tags[7] == 0);
  CHECK(program->peers[4] == 2);
  CHECK(program->has(6, activity::kHasTag));
  CHECK(program->duration_ps(5) == 3);
  CHECK(program->duration_ps(8) == 5);
}
