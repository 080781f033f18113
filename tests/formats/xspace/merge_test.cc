#include "formats/xspace/merge.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "formats/xspace/outline.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/space_writer.h"
#include "support/temp_dir.h"

namespace orrery::xspace {
namespace {

using namespace testing;
using orrery::testing::TempDir;

std::string node_space(std::int64_t start_unix_ns = kStartUnixNs) {
  const Line thread{
      "python3",
      -5,
      10,
      {{"launch", 1, 2, {number_stat("correlation_id", 7), number_stat("_c", 9), number_stat("group_id", 2)}},
       {"plain", 5, 6, {number_stat("other", 3)}}}};
  const Line stream{
      "Stream #1",
      1,
      10,
      {{"kernel", 3, 4, {number_stat("correlation_id", 7), number_stat("flow", 0x0400'0000'0000'0002 + (5 << 2))}}}};
  return write_space({{"/host:metadata"},
                      {"/device:GPU:0", {stream}, {}, 1},
                      {"/host:CPU", {thread}},
                      environment(start_unix_ns),
                      {"/clock_alignment"}});
}

struct Merged {
  Result<Contents> contents;
  Result<SpaceOutline> space;
  explicit Merged(const std::string& path) : contents(Contents::open(path)), space(read_outline(*contents)) {}
};

TEST_CASE("planes are called after their node and numbered as viewers need it") {
  const TempDir dir;
  const std::string out = dir.path("all.xplane.pb");
  REQUIRE(merge({{dir.write("a.pb", node_space()), 3}, {dir.write("b.pb", node_space()), 8}}, out).ok());
  const Merged merged(out);
  REQUIRE(merged.space.ok());
  std::vector<std::string> names;
  std::set<std::int64_t> ids;
  for (const PlaneOutline& plane : merged.space->planes) {
    names.emplace_back(plane.name);
    ids.insert(plane.id);
    if (plane.name.starts_with("/device:GPU")) CHECK(plane.id < 499);
  }
  CHECK(names == std::vector<std::string>{"/host:metadata", "/device:GPU:0 (node 3)", "/device:CUSTOM:node3/host:CPU",
                                          "Task Environment", "/host:metadata (node 8)", "/device:GPU:0 (node 8)",
                                          "/device:CUSTOM:node8/host:CPU"});
  CHECK(ids.size() == names.size());
  CHECK(merged.space->hostnames.size() == 2);
  CHECK(profile_start_unix_ns(*merged.space) == kStartUnixNs);
}

TEST_CASE("ids of different nodes differ, those of one node still belong together") {
  const TempDir dir;
  const std::string out = dir.path("all.xplane.pb");
  REQUIRE(merge({{dir.write("a.pb", node_space()), 0}, {dir.write("b.pb", node_space()), 1}}, out).ok());
  Interner strings;
  Diagnostics diagnostics;
  const Result<trace::RankTrace> rank = read_rank(out, strings, diagnostics);
  REQUIRE(rank.ok());
  REQUIRE(rank->event_count() == 6);  // kernel, launch, plain of each
  const auto correlation = [&](trace::EventIndex e) { return rank->field(trace::Field::correlation).find(e); };
  CHECK(correlation(0) == 7);
  CHECK(correlation(1) == 7);
  CHECK(correlation(3) == correlation(4));
  CHECK(correlation(3) != correlation(0));
  CHECK(rank->start[0] == rank->start[3]);
  CHECK(rank->activity(4) == trace::Activity::runtime_call);  // still a line of a host
  const Merged merged(out);
  std::vector<std::uint64_t> flows;
  for (const PlaneOutline& plane : merged.space->planes) {
    for (const std::string_view line : plane.lines) {
      WireReader events(line);
      WireField event, member;
      while (events.next(event)) {
        if (event.number != 4) continue;
        WireReader members(event.bytes);
        while (members.next(member)) {
          StatValue stat;
          if (member.number == 4 && read_stat(member.bytes, stat) && plane.stat_name(stat.metadata_id) == "flow")
            flows.push_back(stat.number);
        }
      }
    }
  }
  REQUIRE(flows.size() == 2);
  CHECK(flows[0] != flows[1]);
  CHECK((flows[0] & 3) == (flows[1] & 3));      // direction
  CHECK((flows[0] >> 58) == (flows[1] >> 58));  // category
}

TEST_CASE("files that do not count from the same moment are not merged, and nothing is left behind") {
  const TempDir dir;
  const std::string out = dir.path("all.xplane.pb");
  const Status status =
      merge({{dir.write("a.pb", node_space()), 0}, {dir.write("b.pb", node_space(kStartUnixNs + 1)), 1}}, out);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().hint.find("orrery align") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK_FALSE(merge({}, out).ok());
}

TEST_CASE("more devices than viewers can number are refused") {
  const TempDir dir;
  std::vector<Plane> planes;
  for (int i = 0; i < 300; ++i) planes.push_back({"/device:GPU:" + std::to_string(i)});
  const std::string node = dir.write("a.pb", write_space(planes));
  CHECK(merge({{node, 0}}, dir.path("one.pb")).ok());
  CHECK_FALSE(merge({{node, 0}, {node, 1}}, dir.path("two.pb")).ok());
}

}  // namespace
}  // namespace orrery::xspace
