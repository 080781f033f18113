#include "causal/rank_file.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "base/io/section_file.h"
#include "formats/kineto/reader.h"
#include "graph/graph_file.h"
#include "graph/longest_path.h"
#include "support/kineto_lines.h"
#include "support/temp_dir.h"

namespace orrery::causal {
namespace {

RankGraph step_of(const std::string& path, const WindowRequest& request = {}) {
  Diagnostics diagnostics;
  auto job = kineto::read_job({path}, diagnostics);
  REQUIRE(job.ok());
  auto step = make_rank_graph(*job, job->ranks[0], request, diagnostics);
  REQUIRE(step.ok());
  return std::move(*step);
}

RankGraph small_step() {
  const orrery::testing::TempDir folder;
  return step_of(folder.write("trace.json", R"({"traceEvents": [
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1, "tid": "main", "ts": 1000.5, "dur": 100},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": "main", "ts": 1010, "dur": 50},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": "main", "ts": 1020, "dur": 10, "args": {"correlation": 5}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1040, "dur": 90, "args": {"correlation": 5, "stream": 7, "device": 0}},
    {"ph": "X", "cat": "user_annotation", "name": "## forward ##", "pid": 1, "tid": "main", "ts": 1005, "dur": 60}]})"));
}

std::string bytes_of(const RankGraph& step) {
  const orrery::testing::TempDir folder;
  REQUIRE(save_rank_graph(step, folder.path("a.step")).ok());
  return orrery::testing::read_file(folder.path("a.step"));
}

void check_same(const RankGraph& a, const RankGraph& b) {
  CHECK(a.window.label == b.window.label);
  CHECK(a.window.why == b.window.why);
  CHECK(a.window.begin == b.window.begin);
  CHECK(a.window.end == b.window.end);
  CHECK(a.window.host_begin == b.window.host_begin);
  CHECK(a.window.host_end == b.window.host_end);
  CHECK(a.window.is_whole_trace == b.window.is_whole_trace);
  CHECK(a.window.main_lane == b.window.main_lane);
  CHECK(a.begin == b.begin);
  CHECK(a.end == b.end);
  CHECK(a.rank == b.rank);
  CHECK(a.epoch_us == b.epoch_us);
  CHECK(a.source_path == b.source_path);
  CHECK(a.typical_launch_delay == b.typical_launch_delay);
  CHECK(a.typical_kernel_gap == b.typical_kernel_gap);
  const graph::Solution solved_a = graph::solve(a.graph, a.end), solved_b = graph::solve(b.graph, b.end);
  REQUIRE(a.graph.node_count() == b.graph.node_count());
  for (graph::NodeId node = 0; node < a.graph.node_count(); ++node)
    CHECK(solved_a.finish(node) == solved_b.finish(node));
  REQUIRE(a.owners.size() == b.owners.size());
  for (std::size_t i = 0; i < a.owners.size(); ++i)
    CHECK(a.strings.text(a.owners[i].name) == b.strings.text(b.owners[i].name));
  REQUIRE(a.lanes.size() == b.lanes.size());
  for (std::size_t i = 0; i < a.lanes.size(); ++i)
    CHECK(a.strings.text(a.lanes[i].name) == b.strings.text(b.lanes[i].name));
  CHECK(a.annotations.size() == b.annotations.size());
  REQUIRE(a.strings.size() == b.strings.size());
}

// The numbers as they lie in the file; docs/formats/step.md.
enum Number {
  kWindowBegin,
  kWindowEnd,
  kHostBegin,
  kHostEnd,
  kMainLane,
  kIsWholeTrace,
  kBeginNode,
  kEndNode,
  kRank,
  kEpochUs,
  kLaunchDelay,
  kKernelGap,
  kNumbers
};

struct Numbers {
  std::int64_t values[kNumbers];
};

/// A file with sound checksums and chosen contents: what only a hostile writer makes.
struct Sections {
  Numbers numbers{{0, 100, 0, 100, -1, 0, 0, 1, 3, 0, 5, 5}};
  std::vector<TimePs> time{0, 100};
  std::vector<std::uint32_t> node_lane{0, ~0u};
  std::vector<Owner> owners{{.name = 1,
                             .ordinal = 0,
                             .lane = 0,
                             .launch_lane = 0,
                             .start = 0,
                             .launch_start = 0,
                             .device = -1,
                             .stream = -1}};
  std::vector<LaneLabel> lanes{{.process = 0, .thread = 0, .name = 1}};
  std::vector<AnnotatedRange> annotations{{.name = 1, .lane = 0, .begin = 0, .end = 100}};
  std::vector<std::string> texts{"label", "why", "source", "", "name"};
  std::vector<std::uint8_t> types{static_cast<std::uint8_t>(EdgeKind::kernel)};
  std::vector<std::uint32_t> edge_tags{0};
  std::string left_out = {};

  [[nodiscard]] std::string bytes(std::string_view format = "step", std::uint32_t version = 1) const {
    const std::vector<std::uint32_t> rows{0, 0, 1}, sources{0};
    const std::vector<TimePs> weights{100};
    SectionWriter writer(format, version);
    const auto add = [&](const char(&tag)[5], const auto& values) {
      if (left_out != tag) writer.add(tag, values);
    };
    add("gRow", rows);
    add("gSrc", sources);
    add("gWgt", weights);
    add("gTyp", types);
    add("gETg", edge_tags);
    add("time", time);
    add("lane", node_lane);
    add("ownr", owners);
    add("lbls", lanes);
    add("anno", annotations);
    if (left_out != "text") writer.add_strings("text", texts.size(), [&](std::size_t i) { return texts[i]; });
    if (left_out != "numb") writer.add_value("numb", numbers);
    return writer.to_bytes();
  }

  /// Empty when the file is accepted.
  [[nodiscard]] std::string error() const {
    const auto step = load_rank_graph_from_bytes(bytes(), "hostile");
    if (step.ok()) return graph::solve(step->graph, step->end).length() == 100 ? "" : "wrong length";
    CHECK(step.error().file == "hostile");
    CHECK(step.error().offset != Error::kNoOffset);
    CHECK_FALSE(step.error().hint.empty());
    return step.error().message;
  }

  Sections& with(Number number, std::int64_t value) { return numbers.values[number] = value, *this; }
};

}  // namespace

TEST_CASE("a step comes back from its file, and saves to the same bytes again") {
  const orrery::testing::TempDir folder;
  const RankGraph step = small_step();
  REQUIRE(save_rank_graph(step, folder.path("a.step")).ok());
  const auto loaded = load_rank_graph(folder.path("a.step"));
  REQUIRE(loaded.ok());
  check_same(step, *loaded);
  CHECK(bytes_of(*loaded) == bytes_of(step));
  CHECK(graph::solve(loaded->graph, loaded->end).length() == loaded->window.span());
}

TEST_CASE("real steps and whole traces come back") {
  const std::string data = ORRERY_SOURCE_DIR "/data/";
  for (const char* name : {"gpt_small.kineto.json.gz", "ddp4.rank3.kineto.json.gz"}) {
    for (const WindowRequest& request :
         {WindowRequest{}, WindowRequest{.annotation = "", .first_instance = {}, .last_instance = {}}}) {
      CAPTURE(name);
      const RankGraph step = step_of(data + name, request);
      const std::string bytes = bytes_of(step);
      const auto loaded = load_rank_graph_from_bytes(bytes, "step");
      REQUIRE(loaded.ok());
      check_same(step, *loaded);
      CHECK((bytes_of(*loaded) == bytes));
    }
  }
}

TEST_CASE("one changed byte anywhere is noticed") {
  const std::string good = bytes_of(small_step());
  REQUIRE(load_rank_graph_from_bytes(good, "good").ok());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    CAPTURE(at);
    const auto loaded = load_rank_graph_from_bytes(bad, "bad");
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().file == "bad");
    CHECK(loaded.error().offset <= good.size());
  }
}

TEST_CASE("a file that ends early, or goes on, is noticed") {
  const std::string good = bytes_of(small_step());
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(load_rank_graph_from_bytes(std::string_view(good).substr(0, size), "cut").ok());
  CHECK_FALSE(load_rank_graph_from_bytes(good + '\0', "longer").ok());
}

TEST_CASE("foreign and newer files are told apart") {
  const orrery::testing::TempDir folder;
  const auto message = [&](const std::string& content) {
    return load_rank_graph(folder.write("x.step", content)).error().message;
  };
  CHECK(message("") == "is empty");
  CHECK(message(R"({"traceEvents": []})") == "is not an Orrery step file");
  CHECK(message(Sections{}.bytes("graph")) == "holds 'graph', not 'step'");
  CHECK(message(Sections{}.bytes("step", 2)) == "has version 2; this program reads versions up to 1");
  CHECK_FALSE(load_rank_graph(folder.path()).ok());
  CHECK_FALSE(load_rank_graph(folder.path("missing")).ok());
  CHECK_FALSE(save_rank_graph(small_step(), folder.path("no/such/folder/a.step")).ok());
}

TEST_CASE("sound checksums do not make contents sound") {
  CHECK(Sections{}.error() == "");
  for (const char* tag : {"gRow", "gSrc", "gWgt", "time", "lane", "ownr", "lbls", "anno", "text", "numb"}) {
    Sections sections;
    sections.left_out = tag;
    CHECK(sections.error() == "has no section '" + std::string(tag) + "'");
  }
  const auto changed = [](auto change) {
    Sections sections;
    change(sections);
    return sections.error();
  };
  CHECK(changed([](Sections& s) { s.time.pop_back(); }) == "one value per node is needed");
  CHECK(changed([](Sections& s) { s.node_lane.push_back(0); }) == "one value per node is needed");
  CHECK(changed([](Sections& s) { s.node_lane[0] = 1; }) == "not a lane");
  CHECK(changed([](Sections& s) { s.owners[0].name = 2; }) == "not a text or lane");
  CHECK(changed([](Sections& s) { s.owners[0].lane = 1; }) == "not a text or lane");
  CHECK(changed([](Sections& s) { s.owners[0].launch_lane = ~0u; }) == "not a text or lane");
  CHECK(changed([](Sections& s) { s.lanes[0].name = 2; }) == "not a text");
  CHECK(changed([](Sections& s) { s.lanes[0].process = ~0u; }) == "not a text");
  CHECK(changed([](Sections& s) { s.annotations[0].name = 2; }) == "not a text or lane");
  CHECK(changed([](Sections& s) { s.annotations[0].lane = 1; }) == "not a text or lane");
  CHECK(changed([](Sections& s) { s.edge_tags[0] = 1; }) == "an edge has an unknown kind or owner");
  CHECK(changed([](Sections& s) { s.edge_tags[0] = graph::kNoTag; }) == "");
  CHECK(changed([](Sections& s) { s.types[0] = kEdgeKinds; }) == "an edge has an unknown kind or owner");
  CHECK(changed([](Sections& s) { s.texts = {"label", "why"}; }) == "texts are missing");
  CHECK(changed([](Sections& s) { s.texts.push_back("name"); }) == "a text occurs twice");
  CHECK(changed([](Sections& s) { s.texts[3] = "x"; }) == "a text occurs twice");  // number 0 is always the empty text
  for (const Number node : {kBeginNode, kEndNode}) {
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{2}, INT64_MAX, INT64_MIN})
      CHECK(changed([&](Sections& s) { s.with(node, value); }) == "begin or end is not a node");
  }
  CHECK(changed([](Sections& s) { s.with(kWindowEnd, 0); }) == "the window is empty or out of range");
  CHECK(changed([](Sections& s) { s.with(kWindowEnd, INT64_MAX); }) == "the window is empty or out of range");
  CHECK(changed([](Sections& s) { s.with(kWindowBegin, INT64_MIN); }) == "the window is empty or out of range");
}

}  // namespace orrery::causal
