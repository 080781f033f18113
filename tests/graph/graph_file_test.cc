#include "graph/graph_file.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cctype>
#include <fstream>
#include <string>
#include <vector>

#include "bare_graph_file.h"
#include "base/io/section_file.h"
#include "graph/longest_path.h"
#include "plain_graph.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

std::string bytes_of(const Graph& graph) {
  SectionWriter writer(kGraphFormat, kGraphVersion);
  add_graph_sections(writer, graph);
  return writer.to_bytes();
}

Graph full_graph() {
  GraphBuilder builder;
  builder.add_node(5, 1, 10);
  builder.add_node(6, 2);
  builder.add_node(7);
  builder.add_edge(2, 0, 1, 100, 7);
  builder.add_edge(0, 1, 2, 200);
  builder.add_edge(2, 1, 3, -300);
  return *std::move(builder).build();
}

void check_same_graph(const Graph& a, const Graph& b) {
  REQUIRE(a.node_count() == b.node_count());
  REQUIRE(a.edge_count() == b.edge_count());
  for (NodeId node = 0; node < a.node_count(); ++node) {
    CHECK(a.position(node) == b.position(node));
    CHECK(a.duration(node) == b.duration(node));
    CHECK(a.kind(node) == b.kind(node));
    CHECK(a.tag(node) == b.tag(node));
    CHECK(a.incoming(node).size() == b.incoming(node).size());
  }
  for (Slot slot = 0; slot < a.edge_count(); ++slot) {
    CHECK(a.source(slot) == b.source(slot));
    CHECK(a.target(slot) == b.target(slot));
    CHECK(a.weight(slot) == b.weight(slot));
    CHECK(a.type(slot) == b.type(slot));
    CHECK(a.edge_tag(slot) == b.edge_tag(slot));
    CHECK(a.edge_id(slot) == b.edge_id(slot));
  }
}

/// The sections of a small graph, one of them replaced: what a hostile but well-formed file would hold.
struct Sections {
  std::vector<std::uint32_t> rows{0, 0, 1, 2};
  std::vector<std::uint32_t> sources{0, 1};
  std::vector<TimePs> weights{10, 20};
  std::vector<std::uint32_t> edge_ids = {};
  std::vector<std::uint32_t> nodes = {};
  std::vector<TimePs> durations = {};
  std::vector<std::uint8_t> kinds = {};

  [[nodiscard]] std::string error() const {
    SectionWriter writer(kGraphFormat, kGraphVersion);
    writer.add("gRow", rows);
    writer.add("gSrc", sources);
    writer.add("gWgt", weights);
    if (!edge_ids.empty()) writer.add("gEId", edge_ids);
    if (!nodes.empty()) writer.add("gNod", nodes);
    if (!durations.empty()) writer.add("gDur", durations);
    if (!kinds.empty()) writer.add("gKnd", kinds);
    const auto graph = load_graph_from_bytes(writer.to_bytes(), "hostile");
    if (graph.ok()) return solve(*graph).length() == 30 ? "" : "wrong";
    CHECK(graph.error().file == "hostile");
    CHECK(graph.error().offset != Error::kNoOffset);
    CHECK_FALSE(graph.error().hint.empty());
    return graph.error().message;
  }
};

}  // namespace

TEST_CASE("a graph comes back from its file") {
  const orrery::testing::TempDir dir;
  const Graph graph = full_graph();
  REQUIRE(save_graph(graph, dir.path("full.graph")).ok());
  const auto loaded = load_graph(dir.path("full.graph"));
  REQUIRE(loaded.ok());
  check_same_graph(graph, *loaded);
  CHECK(finishes(solve(graph)) == finishes(solve(*loaded)));
}

TEST_CASE("an empty graph comes back too") {
  const auto loaded = load_graph_from_bytes(bytes_of(Graph()));
  REQUIRE(loaded.ok());
  CHECK(loaded->node_count() == 0);
}

TEST_CASE("random graphs come back, and save to the same bytes again") {
  CHECK(rc::check([] {
    const Graph graph = random_graph(20).build();
    const std::string bytes = bytes_of(graph);
    const auto loaded = load_graph_from_bytes(bytes);
    RC_ASSERT(loaded.ok());
    RC_ASSERT(bytes_of(*loaded) == bytes);
    require_same(solve(graph), solve(*loaded));
  }));
}

TEST_CASE("other sections may lie beside the graph's") {
  const Graph graph = full_graph();
  SectionWriter writer("linked", 3);
  const std::vector<std::uint32_t> names{4, 5, 6};
  writer.add("name", names);
  add_graph_sections(writer, graph);
  const std::string bytes = writer.to_bytes();
  const auto file = SectionFile::from_bytes(bytes, "linked", "linked", 3);
  REQUIRE(file.ok());
  const auto loaded = read_graph_sections(*file);
  REQUIRE(loaded.ok());
  check_same_graph(graph, *loaded);
  CHECK(file->get<std::uint32_t>("name")->size() == 3);
}

TEST_CASE("one changed byte anywhere is noticed") {
  const std::string good = bytes_of(full_graph());
  REQUIRE(load_graph_from_bytes(good).ok());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      CAPTURE(at);
      CHECK_FALSE(load_graph_from_bytes(bad).ok());
    }
  }
}

TEST_CASE("a file that ends early, or goes on, is noticed") {
  const orrery::testing::TempDir dir;
  const std::string good = bytes_of(full_graph());
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(load_graph_from_bytes(good.substr(0, size)).ok());
  CHECK_FALSE(load_graph_from_bytes(good + std::string(1, '\0')).ok());
  const auto cut = load_graph(dir.write("cut.graph", good.substr(0, 300)));
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().file == dir.path("cut.graph"));
  CHECK(cut.error().offset == 300);
}

TEST_CASE("bytes at an odd address are no problem") {
  const std::string shifted = "x" + bytes_of(full_graph());
  CHECK(load_graph_from_bytes(std::string_view(shifted).substr(1)).ok());
}

TEST_CASE("sound checksums do not make contents sound") {
  CHECK(Sections{}.error().empty());
  CHECK(Sections{.rows = {}}.error() == "section 'gRow': has no entry, or too many");
  CHECK(Sections{.rows = {1, 1, 1, 2}}.error() == "section 'gRow': the first row does not begin at 0");
  CHECK(Sections{.rows = {0, 2, 1, 2}}.error() == "section 'gRow': a row ends before it begins");
  CHECK(Sections{.rows = {0, 0, 1, 1}}.error() == "section 'gRow': the rows do not cover all edges");
  CHECK(Sections{.rows = {0, 0, 1, 900'000}}.error() == "section 'gRow': the rows do not cover all edges");
  CHECK(Sections{.sources = {1, 1}}.error() == "section 'gSrc': an edge does not go forwards");
  CHECK(Sections{.sources = {0, 2}}.error() == "section 'gSrc': an edge does not go forwards");
  CHECK(Sections{.sources = {0, 4'000'000'000}}.error() == "section 'gSrc': an edge does not go forwards");
  CHECK(Sections{.weights = {1}}.error() ==
        "section 'gWgt': has another number of values than there are nodes or edges");
  CHECK(Sections{.weights = {1, INT64_MIN}}.error() == "section 'gWgt': a time is out of range");
  CHECK(Sections{.durations = {1, 2, kMaxWeightPs + 1}}.error() == "section 'gDur': a time is out of range");
  CHECK(Sections{.edge_ids = {1, 0}}.error().empty());
  CHECK(Sections{.edge_ids = {1, 1}}.error() == "section 'gEId': a number is too large or appears twice");
  CHECK(Sections{.edge_ids = {0, 2}}.error() == "section 'gEId': a number is too large or appears twice");
  CHECK(Sections{.rows = {0, 0, 0, 2}, .sources = {0, 1}, .edge_ids = {1, 0}}.error() ==
        "section 'gEId': the edges of a node are out of order");
  CHECK(Sections{.nodes = {2, 0, 1}}.error().empty());
  CHECK(Sections{.nodes = {2, 0, 2}}.error() == "section 'gNod': a number is too large or appears twice");
  CHECK(Sections{.nodes = {0, 1}}.error() ==
        "section 'gNod': has another number of values than there are nodes or edges");
  CHECK(Sections{.kinds = {1}}.error() == "section 'gKnd': has another number of values than there are nodes or edges");
}

TEST_CASE("a section that is missing or of another type is an error") {
  SectionWriter writer(kGraphFormat, kGraphVersion);
  const std::vector<std::uint32_t> rows{0};
  writer.add("gRow", rows);
  CHECK(load_graph_from_bytes(writer.to_bytes()).error().message == "has no section 'gSrc'");
  SectionWriter other(kGraphFormat, kGraphVersion);
  const std::vector<std::uint64_t> wide{0};
  other.add("gRow", wide);
  CHECK(load_graph_from_bytes(other.to_bytes()).error().message ==
        "section 'gRow' holds values of 8 bytes instead of 4");
}

TEST_CASE("files of other kinds and newer versions are told apart") {
  const orrery::testing::TempDir dir;
  CHECK(load_graph(dir.path("missing")).error().message.find("cannot open") == 0);
  CHECK(load_graph(dir.write("empty")).error().message == "is empty");
  CHECK(load_graph(dir.write("trace.json", "{\"traceEvents\": []}")).error().message == "is not an Orrery graph file");
  SectionWriter newer(kGraphFormat, kGraphVersion + 1);
  CHECK(load_graph_from_bytes(newer.to_bytes()).error().message ==
        "has version 2; this program reads versions up to 1");
  SectionWriter other("traces", 1);
  CHECK(load_graph_from_bytes(other.to_bytes()).error().message == "holds 'traces', not 'graph'");
}

TEST_CASE("the example in docs/formats/graph.md is what is written") {
  GraphBuilder builder;
  builder.add_node(5);
  builder.add_node(7);
  builder.add_edge(0, 1, 0, 100);
  const std::string bytes = bytes_of(*std::move(builder).build());
  REQUIRE(bytes.size() == 400);
  std::string expected(400, '\0');
  std::ifstream doc(ORRERY_SOURCE_DIR "/docs/formats/graph.md");
  int rows = 0;
  for (std::string line; std::getline(doc, line);) {
    // "    00000010  01 00 00 00 04 03 02 01  01 00 ...   remark"
    if (line.size() < 16 || line.compare(0, 9, "    00000") != 0) continue;
    std::size_t at = std::stoul(line.substr(4, 8), nullptr, 16);
    for (std::size_t column = 14; column + 1 < line.size() && column < 14 + 16 * 3 + 1; ++at) {
      if (line[column] == ' ') ++column;
      if (std::isxdigit(static_cast<unsigned char>(line[column])) == 0) break;
      expected[at] = static_cast<char>(std::stoul(line.substr(column, 2), nullptr, 16));
      column += 3;
    }
    ++rows;
  }
  CHECK(rows == 16);
  CHECK(bytes == expected);
}
