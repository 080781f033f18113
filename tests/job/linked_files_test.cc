#include "job/pairs/linked_files.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/temp_dir.h"

namespace orrery::job {

using Form = LinkTarget::Form;

TEST_CASE("a name that ends as one file is one file, of one rank") {
  const LinkTarget et = link_target("out/x.et", false, 1);
  CHECK(et.form == Form::chakra);
  CHECK(target_file(et, 3) == "out/x.et");
  const LinkTarget json = link_target("x.json.gz", false, 1);
  CHECK(json.form == Form::linked_json);
  CHECK(target_file(json, 0) == "x.json.gz");
}

TEST_CASE("several ranks, or a name without an ending, are a file per rank") {
  CHECK(target_file(link_target("out/x.et", false, 2), 1) == "out/x.1.et");
  CHECK(target_file(link_target("out/x.json.gz", false, 2), 1) == "out/x.1.json");
  CHECK(target_file(link_target("out/x", false, 1), 0) == "out/x.0.et");
  const testing::TempDir dir;
  CHECK(target_file(link_target(dir.path(), false, 1), 4) == dir.path() + "/linked.4.et");
}

TEST_CASE("chakra_trace_link writes one linked host trace, whatever it is called, unless that ends in .et") {
  const LinkTarget target = link_target("linked", true, 1);
  CHECK(target.form == Form::linked_json);
  CHECK(target_file(target, 0) == "linked");
  CHECK(link_target("x.et", true, 1).form == Form::chakra);
  CHECK(link_target("-", true, 1).form == Form::linked_json);
  CHECK(link_target("-", false, 1).form == Form::chakra);
}

TEST_CASE("without a name nothing is written") {
  const LinkTarget none = link_target("", false, 4);
  CHECK(none.form == Form::none);
  CHECK(write_linked(none, {}).ok());
}

TEST_CASE("two traces of one rank would be one file: neither is written") {
  const testing::TempDir dir;
  LinkedJob job;
  job.trace.ranks.resize(2);
  job.trace.ranks[0].source.path = "a.json";
  job.trace.ranks[1].source.path = "b.json";
  job.ranks.resize(2);
  const Status written = write_linked(link_target(dir.path("x"), false, 2), job);
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "this is rank 0, and so is a.json");
  CHECK(written.error().file == "b.json");
  CHECK(std::filesystem::is_empty(dir.path()));
}

}  // namespace orrery::job
