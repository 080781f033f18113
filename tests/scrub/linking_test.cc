// Linking scrubbed traces gives the scrubbed linked trace: nothing that linking looks at is lost.
#include <doctest/doctest.h>
#include <simdjson.h>

#include "cli/captured_run.h"
#include "formats/chakra/reader.h"
#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

const std::string kPairs = std::string(ORRERY_SOURCE_DIR) + "/data/";

void link(const std::string& host, const std::string& device, const std::string& output, bool compatibly) {
  std::vector<std::string> arguments = {"link", "--host", host, "--device", device, "-o", output};
  if (compatibly) arguments.insert(arguments.end(), {"--compat", "chakra"});
  const cli::CapturedRun run = cli::run_captured(arguments);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
}

/// A host trace, a profiler trace and what linking makes of them, scrubbed together; and what linking makes of the
/// scrubbed ones.
struct Both {
  testing::Scrubbed scrubbed;
  std::string linked_afterwards;  ///< its path
};

Both scrub_and_link(const orrery::testing::TempDir& folder, const std::string& name, const std::string& linked,
                    bool compatibly) {
  const std::string host = kPairs + name + ".et.json.gz", device = kPairs + name + ".kineto.json.gz";
  link(host, device, folder.path(linked), compatibly);
  Both both{testing::scrub_files({host, device, folder.path(linked)}, folder.path("out")),
            folder.path("again." + linked)};
  link(both.scrubbed.paths[0], both.scrubbed.paths[1], both.linked_afterwards, compatibly);
  return both;
}

TEST_CASE("linking as chakra_trace_link does: the same before and after") {
  for (const char* name : {"ddp4.rank0", "gpt_small"}) {
    CAPTURE(name);
    const orrery::testing::TempDir folder;
    const Both both = scrub_and_link(folder, name, "linked.json", true);
    simdjson::dom::parser one, two;
    const simdjson::dom::array before = one.parse(both.scrubbed.outputs[2])["nodes"].value();
    const simdjson::dom::array after = two.load(both.linked_afterwards)["nodes"].value();
    REQUIRE(before.size() == after.size());
    REQUIRE(before.size() > 100);
    auto other = after.begin();
    for (const simdjson::dom::element node : before) {
      REQUIRE(simdjson::minify(node) == simdjson::minify(*other));
      ++other;
    }
  }
}

TEST_CASE("linking to a graph that replays: the same before and after") {
  for (const char* name : {"ddp4.rank0", "gpt_small"}) {
    CAPTURE(name);
    const orrery::testing::TempDir folder;
    const Both both = scrub_and_link(folder, name, "linked.0.et", false);
    Interner strings;
    const auto before = chakra::parse_protobuf(both.scrubbed.outputs[2], "before", strings);
    const auto after = chakra::parse_protobuf(testing::inflated(both.linked_afterwards), "after", strings);
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    REQUIRE(before->size() == after->size());
    CHECK(before->dependencies.edge_count() == after->dependencies.edge_count());
    for (std::size_t i = 0; i < before->size(); ++i) {
      CAPTURE(i);
      REQUIRE(strings.text(before->names[i]) == strings.text(after->names[i]));
      REQUIRE(before->kinds[i] == after->kinds[i]);
      REQUIRE(before->duration_ps(i) == after->duration_ps(i));
      REQUIRE(before->starts_ps[i] - before->starts_ps[0] == after->starts_ps[i] - after->starts_ps[0]);
      REQUIRE(before->bytes[i] == after->bytes[i]);
      REQUIRE(before->lanes[i] == after->lanes[i]);
      const auto node = static_cast<graph::NodeId>(i);
      std::vector<graph::NodeId> needs_before, needs_after;
      for (const graph::Slot slot : before->dependencies.incoming(node))
        needs_before.push_back(before->dependencies.source(slot));
      for (const graph::Slot slot : after->dependencies.incoming(node))
        needs_after.push_back(after->dependencies.source(slot));
      REQUIRE(needs_before == needs_after);
    }
  }
}

}  // namespace
}  // namespace orrery::scrub
