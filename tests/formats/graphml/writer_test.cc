#include "formats/graphml/writer.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"
#include "workload/program_builder.h"

using namespace orrery;
using workload::ActivityKind;
using workload::Dependency;

TEST_CASE("nodes and edges with their data; texts are escaped") {
  workload::Workload workload;
  workload::ProgramBuilder builder;
  builder.add({.id = 1,
               .name = workload.strings.intern("a<\"&\x01"),
               .kind = ActivityKind::compute,
               .flags = workload::activity::kOnHost,
               .start_ps = 2 * kPsPerUs});
  builder.add({.id = 2,
               .kind = ActivityKind::collective,
               .flags = workload::activity::kHasBytes,
               .duration_ps = kPsPerUs,
               .bytes = 8,
               .group_name = workload.strings.intern("tp")});
  builder.depend(1, Dependency::control);
  workload.programs.push_back(std::move(*std::move(builder).build()));
  workload.program_of_rank.push_back(0);
  const testing::TempDir folder;
  REQUIRE(graphml::write_rank(workload, 0, folder.path("x.graphml")).ok());
  const std::string text = testing::read_file(folder.path("x.graphml"));
  CHECK(text.find("    <node id=\"1\"><data key=\"label\">a&lt;&quot;&amp;</data><data "
                  "key=\"kind\">compute</data><data key=\"device\">false"
                  "</data><data key=\"duration_us\">0</data><data key=\"start_us\">2</data></node>\n") !=
        std::string::npos);
  CHECK(
      text.find(
          "<data key=\"bytes\">8</data><data key=\"collective\">all_reduce</data><data key=\"group\">tp</data></node>\n"
          "    <edge source=\"1\" target=\"2\"><data key=\"dependency\">control</data></edge>\n  "
          "</graph>\n</graphml>\n") != std::string::npos);
}
