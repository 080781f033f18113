#include "causal/causal_graph_file.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/io/section_file.h"
#include "causal/join/join_ranks.h"
#include "causal/rank_file.h"
#include "formats/kineto/reader.h"
#include "graph/graph_file.h"
#include "graph/longest_path.h"
#include "match/exchange_finder.h"
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

/// Four ranks, joined, with their steps.
CausalGraph job_of_four() {
  Diagnostics diagnostics;
  std::vector<std::string> paths;
  for (const char* const rank : {"0", "1", "2", "3"})
    paths.push_back(ORRERY_SOURCE_DIR "/data/ddp4.rank" + std::string(rank) + ".kineto.json.gz");
  const auto trace = kineto::read_job(paths, diagnostics);
  REQUIRE(trace.ok());
  std::vector<RankGraph> ranks;
  for (const trace::RankTrace& rank : trace->ranks) {
    auto step =
        make_rank_graph(*trace, rank, {.annotation = "", .first_instance = {}, .last_instance = {}}, diagnostics);
    REQUIRE(step.ok());
    ranks.push_back(std::move(*step));
  }
  auto job = join_ranks(*trace, match::find_exchanges(*trace), std::move(ranks), {}, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

std::string bytes_of(const CausalGraph& job) {
  const orrery::testing::TempDir folder;
  REQUIRE(save_causal_graph(job, folder.path("a.step")).ok());
  return orrery::testing::read_file(folder.path("a.step"));
}

/// As version 1 had it: one rank.
std::string bytes_of_version_1(const RankGraph& step) {
  SectionWriter writer("step", 1);
  add_step_sections(writer, step);
  return writer.to_bytes();
}

void check_same(const CausalGraph& a, const CausalGraph& b) {
  CHECK(a.label == b.label);
  CHECK(a.why == b.why);
  CHECK(a.begin_ps == b.begin_ps);
  CHECK(a.span == b.span);
  CHECK(a.is_whole_trace == b.is_whole_trace);
  CHECK(a.steps == b.steps);
  CHECK(a.missing == b.missing);
  CHECK(a.band == b.band);
  CHECK(a.clock == b.clock);
  CHECK(a.reach.worked == b.reach.worked);
  REQUIRE(a.ranks.size() == b.ranks.size());
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    const JobRank &x = a.ranks[r], &y = b.ranks[r];
    CHECK(x.rank == y.rank);
    CHECK(x.source_path == y.source_path);
    CHECK(x.epoch_us == y.epoch_us);
    CHECK(x.main_lane == y.main_lane);
    CHECK(x.step_begin == y.step_begin);
    CHECK(x.last_step_end == y.last_step_end);
    CHECK(x.host_end == y.host_end);
    CHECK(x.typical_launch_delay == y.typical_launch_delay);
    CHECK(x.recorded.knots().size() == y.recorded.knots().size());
    CHECK(x.annotations.size() == y.annotations.size());
    REQUIRE(x.lanes.size() == y.lanes.size());
    for (std::size_t i = 0; i < x.lanes.size(); ++i)
      CHECK(a.strings.text(x.lanes[i].name) == b.strings.text(y.lanes[i].name));
  }
  const graph::Solution solved_a = graph::solve(a.graph, a.end), solved_b = graph::solve(b.graph, b.end);
  REQUIRE(a.graph.node_count() == b.graph.node_count());
  for (graph::NodeId node = 0; node < a.graph.node_count(); ++node)
    REQUIRE(solved_a.finish(node) == solved_b.finish(node));
  REQUIRE(a.owners.size() == b.owners.size());
  for (std::size_t i = 0; i < a.owners.size(); ++i)
    REQUIRE(a.strings.text(a.owners[i].name) == b.strings.text(b.owners[i].name));
  REQUIRE(a.parts.size() == b.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) REQUIRE(a.parts[p].transfer == b.parts[p].transfer);
  REQUIRE(a.operations.size() == b.operations.size());
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

/// A file of version 1 with sound checksums and chosen contents: what only a hostile writer makes.
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
    const auto step = load_causal_graph_from_bytes(bytes(), "hostile");
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
  const CausalGraph step = causal_graph_of(small_step());
  REQUIRE(save_causal_graph(step, folder.path("a.step")).ok());
  const auto loaded = load_causal_graph(folder.path("a.step"));
  REQUIRE(loaded.ok());
  check_same(step, *loaded);
  CHECK(bytes_of(*loaded) == bytes_of(step));
  CHECK(graph::solve(loaded->graph, loaded->end).length() == loaded->span);
}

TEST_CASE("real steps and whole traces come back, also from files of version 1") {
  const std::string data = ORRERY_SOURCE_DIR "/data/";
  for (const char* name : {"gpt_small.kineto.json.gz", "ddp4.rank3.kineto.json.gz"}) {
    for (const WindowRequest& request :
         {WindowRequest{}, WindowRequest{.annotation = "", .first_instance = {}, .last_instance = {}}}) {
      CAPTURE(name);
      const RankGraph rank = step_of(data + name, request);
      const std::string old_bytes = bytes_of_version_1(rank);
      const CausalGraph step = causal_graph_of(step_of(data + name, request));
      for (const std::string& bytes : {bytes_of(step), old_bytes}) {
        auto loaded = load_causal_graph_from_bytes(bytes, "step");
        REQUIRE(loaded.ok());
        check_same(step, *loaded);
        // Files of version 1 do not say how long rows were.
        const bool is_old = bytes == old_bytes;
        CHECK(loaded->row_class.empty() == is_old);
        if (is_old)
          loaded->row_class.append(std::span<const std::uint8_t>(step.row_class.data(), step.row_class.size()));
        CHECK((bytes_of(*loaded) == bytes_of(step)));
      }
    }
  }
}

TEST_CASE("a job of several ranks comes back from one file") {
  const CausalGraph job = job_of_four();
  REQUIRE(job.ranks.size() == 4);
  REQUIRE(!job.parts.empty());
  REQUIRE(!job.steps.empty());
  const std::string bytes = bytes_of(job);
  const auto loaded = load_causal_graph_from_bytes(bytes, "job");
  REQUIRE(loaded.ok());
  check_same(job, *loaded);
  CHECK((bytes_of(*loaded) == bytes));
}

TEST_CASE("a job whose parts do not fit together is refused") {
  const CausalGraph job = job_of_four();
  const std::string good = bytes_of(job);
  const auto refused = [&](const std::function<void(CausalGraph&)>& change) {
    auto changed = load_causal_graph_from_bytes(good, "good");
    REQUIRE(changed.ok());
    change(*changed);
    const auto loaded = load_causal_graph_from_bytes(bytes_of(*changed), "hostile");
    if (loaded.ok()) return std::string();
    CHECK(loaded.error().offset != Error::kNoOffset);
    return loaded.error().message;
  };
  CHECK(refused([](CausalGraph&) {}).empty());
  CHECK(refused([](CausalGraph& j) { j.node_rank[0] = 4; }) == "not a rank");
  CHECK(refused([](CausalGraph& j) { j.node_rank[0] = kNoRank; }) == "a moment of no rank");
  CHECK(refused([](CausalGraph& j) { j.node_lane[0] = 1U << 20; }) == "not a lane");
  CHECK(refused([](CausalGraph& j) { j.time.pop_back(); }) == "one value per node is needed");
  CHECK(refused([](CausalGraph& j) { j.owners[0].lane = 1U << 20; }) == "not a text or lane");
  CHECK(refused([](CausalGraph& j) { j.class_name[0] = 1U << 30; }) == "not a text");
  CHECK(refused([](CausalGraph& j) { j.class_name.pop_back(); }) == "one value per owner is needed");
  CHECK(refused([](CausalGraph& j) { std::swap(j.ranks[0].rank, j.ranks[1].rank); }) == "ranks are out of order");
  CHECK_FALSE(refused([](CausalGraph& j) { j.ranks[1].first_owner = 0; }).empty());
  CHECK(refused([](CausalGraph& j) { j.ranks[0].first_node = 1; }) == "not an owner or node");
  CHECK(refused([](CausalGraph& j) { j.ranks[2].step_begin.pop_back(); }) == "one value per rank and step is needed");
  CHECK(refused([](CausalGraph& j) { j.ranks[2].step_begin[0] = INT64_MAX; }) == "a step is out of order or range");
  CHECK(refused([](CausalGraph& j) { j.ranks[0].host_end = INT64_MIN; }) == "a time is out of range");
  CHECK(refused([](CausalGraph& j) { j.span = 0; }) == "the window is empty or out of range");
  CHECK(refused([](CausalGraph& j) { j.end = ~0U; }) == "begin or end is not a node");
  CHECK(refused([](CausalGraph& j) { j.first_hub = ~0U; }) == "moments of communication are no nodes");
  CHECK(refused([](CausalGraph& j) { j.clock = static_cast<ClockSource>(4); }) == "not a source of clocks");
  CHECK(refused([](CausalGraph& j) { j.operations[0].what = ~0U; }) == "not a text");
  CHECK(refused([](CausalGraph& j) { j.operations[0].count = ~0U; }) == "not a participation");
  CHECK(refused([](CausalGraph& j) { j.operations[0].root = 1U << 30; }) == "not a participation");
  CHECK(refused([](CausalGraph& j) { j.parts[0].operation = 1; }) == "not its operation");
  CHECK(refused([](CausalGraph& j) { j.parts.pop_back(); }) == "one moment per participation is needed");
  CHECK(refused([](CausalGraph& j) { j.parts[0].arrival = ~0U; }) == "not a rank, node, owner or transfer");
  CHECK(refused([](CausalGraph& j) { j.parts[0].owner = ~0U; }) == "not a rank, node, owner or transfer");
}

TEST_CASE("one changed byte anywhere is noticed") {
  const std::string good = bytes_of(causal_graph_of(small_step()));
  REQUIRE(load_causal_graph_from_bytes(good, "good").ok());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    CAPTURE(at);
    const auto loaded = load_causal_graph_from_bytes(bad, "bad");
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().file == "bad");
    CHECK(loaded.error().offset <= good.size());
  }
}

TEST_CASE("a file that ends early, or goes on, is noticed") {
  const std::string good = bytes_of(causal_graph_of(small_step()));
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(load_causal_graph_from_bytes(std::string_view(good).substr(0, size), "cut").ok());
  CHECK_FALSE(load_causal_graph_from_bytes(good + '\0', "longer").ok());
}

TEST_CASE("foreign and newer files are told apart") {
  const orrery::testing::TempDir folder;
  const auto message = [&](const std::string& content) {
    return load_causal_graph(folder.write("x.step", content)).error().message;
  };
  CHECK(message("") == "is empty");
  CHECK(message(R"({"traceEvents": []})") == "is not an Orrery step file");
  CHECK(message(Sections{}.bytes("graph")) == "holds 'graph', not 'step'");
  CHECK(message(Sections{}.bytes("step", 3)) == "has version 3; this program reads versions up to 2");
  CHECK_FALSE(load_causal_graph(folder.path()).ok());
  CHECK_FALSE(load_causal_graph(folder.path("missing")).ok());
  CHECK_FALSE(save_causal_graph(causal_graph_of(small_step()), folder.path("no/such/folder/a.step")).ok());
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
  for (const Number time : {kHostBegin, kHostEnd, kLaunchDelay, kKernelGap}) {
    for (const std::int64_t value : {INT64_MIN, INT64_MAX})
      CHECK(changed([&](Sections& s) { s.with(time, value); }) == "a time is out of range");
  }
}

TEST_CASE("files that do not say which steps they have, have those called like their window") {
  Sections sections;
  sections.texts = {"name", "why", "source", "", "name"};
  const auto step = load_causal_graph_from_bytes(sections.bytes(), "old");
  REQUIRE(step.ok());
  CHECK(step->steps == std::vector<std::string>{"name"});
  sections.texts[0] = "other";
  CHECK(load_causal_graph_from_bytes(sections.bytes(), "old")->steps.empty());
}

}  // namespace orrery::causal
