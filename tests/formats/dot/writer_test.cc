#include "formats/dot/writer.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"
#include "workload/program_builder.h"

using namespace orrery;
using workload::ActivityKind;
using workload::Dependency;

TEST_CASE("boxes with what they are, and arrows by kind; names are escaped") {
  workload::Workload workload;
  workload::ProgramBuilder builder;
  builder.add({.id = 1,
               .name = workload.strings.intern("a \"b\"\\\n"),
               .kind = ActivityKind::compute,
               .flags = workload::activity::kOnHost});
  builder.add({.id = 2,
               .kind = ActivityKind::collective,
               .flags = workload::activity::kHasBytes,
               .duration_ps = 1'500'000,
               .bytes = 8});
  builder.depend(1, Dependency::data);
  builder.add({.id = 4, .kind = ActivityKind::compute});
  builder.depend(1, Dependency::control);
  builder.depend(2, Dependency::start);
  workload.programs.push_back(std::move(*std::move(builder).build()));
  workload.program_of_rank.push_back(0);
  const testing::TempDir folder;
  REQUIRE(dot::write_rank(workload, 0, folder.path("x.dot")).ok());
  CHECK(testing::read_file(folder.path("x.dot")) ==
        "digraph \"rank 0\" {\n  node [shape=box]\n"
        "  1 [label=\"a \\\"b\\\"\\\\\\n\\ncompute\"]\n"
        "  2 [label=\"all_reduce, 8 bytes, 1.5 µs\", style=filled]\n  1 -> 2\n"
        "  4 [label=\"compute\", style=filled]\n  1 -> 4 [style=dashed]\n  2 -> 4 [style=dotted]\n}\n");
}
