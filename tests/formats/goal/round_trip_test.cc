#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <string>

#include "formats/goal/reader.h"
#include "formats/goal/writer.h"
#include "workload/program_builder.h"

using namespace orrery;

namespace {

/// Any schedule GOAL can say, as the writer would say it.
std::string random_schedule() {
  const int ranks = *rc::gen::inRange(1, 5);
  std::string text = fmt::format("num_ranks {}\n", ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("\nrank {} {{\n", rank);
    const int operations = *rc::gen::inRange(0, 8);
    for (int i = 1; i <= operations; ++i) {
      const int kind = *rc::gen::inRange(0, 3);
      text += kind == 0 ? fmt::format("l{}: calc {}", i, *rc::gen::inRange(0, 1'000'000))
                        : fmt::format("l{}: {} {}b {} {} tag {}", i, kind == 1 ? "send" : "recv",
                                      *rc::gen::inRange(0, 1 << 20), kind == 1 ? "to" : "from",
                                      *rc::gen::inRange(kind == 1 ? 0 : -1, ranks), *rc::gen::inRange(-1, 9));
      const int cpu = *rc::gen::inRange(0, 3), nic = kind == 0 ? 0 : *rc::gen::inRange(0, 3);
      if (cpu != 0) text += fmt::format(" cpu {}", cpu);
      if (nic != 0) text += fmt::format(" nic {}", nic);
      text += '\n';
    }
    const int dependencies = operations < 2 ? 0 : *rc::gen::inRange(0, 10);
    for (int i = 0; i < dependencies; ++i) {
      const int later = *rc::gen::inRange(2, operations + 1);
      text += fmt::format("l{} {} l{}\n", later, *rc::gen::arbitrary<bool>() ? "requires" : "irequires",
                          *rc::gen::inRange(1, later));
    }
    text += "}\n";
  }
  return text;
}

}  // namespace

TEST_CASE("text comes back as it was") {
  CHECK(rc::check([] {
    const std::string text = random_schedule();
    const auto workload = goal::parse_workload(text, "x.goal");
    RC_ASSERT(workload.ok());
    const auto again = goal::to_text(*workload);
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == text);
  }));
}

TEST_CASE("what GOAL cannot say is an error") {
  auto workload = goal::parse_workload("num_ranks 1\nrank 0 {\nx: calc 1\n}\n", "x.goal");
  REQUIRE(workload.ok());
  workload->programs[0].kinds[0] = workload::ActivityKind::collective;
  const auto text = goal::to_text(*workload);
  REQUIRE_FALSE(text.ok());
  CHECK(text.error().message == "rank 0, node 0 (all_reduce x) cannot be written as GOAL");
}

TEST_CASE("wide tags are numbered above the others, and nanoseconds of a rank add up") {
  using workload::ActivityKind;
  workload::Workload workload;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    workload::ProgramBuilder builder;
    for (std::uint64_t id = 1; id <= 3; ++id)
      builder.add({.id = id, .kind = ActivityKind::compute, .duration_ps = 1'400});
    const auto flags = static_cast<std::uint8_t>(workload::activity::kHasBytes | workload::activity::kHasPeer |
                                                 workload::activity::kHasTag);
    std::uint64_t id = 4;
    for (const std::int64_t tag : {std::int64_t{7}, std::int64_t{1} << 41, std::int64_t{1} << 40, workload::kAnyTag}) {
      builder.add({.id = id++,
                   .kind = rank == 0 ? ActivityKind::send : ActivityKind::recv,
                   .flags = flags,
                   .bytes = 8,
                   .peer = static_cast<std::int32_t>(1 - rank),
                   .tag = tag});
    }
    auto program = std::move(builder).build();
    REQUIRE(program.ok());
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(std::move(*program));
  }
  const auto text = goal::to_text(workload);
  REQUIRE(text.ok());
  CHECK(text->substr(0, text->find("rank 1")) ==
        "num_ranks 2\n\nrank 0 {\nl1: calc 1\nl2: calc 2\nl3: calc 1\nl4: send 8b to 1 tag 7\nl5: send 8b to 1 tag "
        "9\nl6: send 8b to 1 tag "
        "8\n"
        "l7: send 8b to 1 tag -1\n}\n\n");
}
