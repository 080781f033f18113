// Restores a graph from hostile bytes and uses it. The first byte chooses: the rest is the file itself, or the contents
// of its sections, packed with sound checksums so that the checks behind them are reached.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/section_file.h"
#include "graph/edits.h"
#include "graph/graph_file.h"
#include "graph/longest_path.h"
#include "graph/slack.h"
#include "graph/solve_many.h"

namespace {

using namespace orrery;
using namespace orrery::graph;

/// One section of `count` values, or as many as are left.
template <typename T>
void add_section(SectionWriter& writer, SectionTag tag, std::string_view& input, std::vector<std::vector<T>>& keep,
                 std::size_t count) {
  std::vector<T> values(std::min(count, input.size() / sizeof(T)));
  if (!values.empty()) std::memcpy(values.data(), input.data(), values.size() * sizeof(T));
  input.remove_prefix(values.size() * sizeof(T));
  keep.push_back(std::move(values));
  writer.add(tag, keep.back());
}

/// The first bytes tell the counts and which of the optional sections there are.
std::string pack(std::string_view input) {
  if (input.size() < 4) return {};
  const std::size_t nodes = static_cast<unsigned char>(input[0]), edges = static_cast<unsigned char>(input[1]);
  const unsigned optional = static_cast<unsigned char>(input[2]);
  input.remove_prefix(4);
  SectionWriter writer("graph", 1);
  std::vector<std::vector<std::uint32_t>> numbers;
  std::vector<std::vector<std::int64_t>> times;
  std::vector<std::vector<std::uint8_t>> bytes;
  numbers.reserve(8), times.reserve(8), bytes.reserve(8);
  add_section(writer, "gRow", input, numbers, nodes + 1);
  add_section(writer, "gSrc", input, numbers, edges);
  add_section(writer, "gWgt", input, times, edges);
  if (optional & 1) add_section(writer, "gDur", input, times, nodes);
  if (optional & 2) add_section(writer, "gNod", input, numbers, nodes);
  if (optional & 4) add_section(writer, "gEId", input, numbers, edges);
  if (optional & 8) add_section(writer, "gTyp", input, bytes, edges);
  if (optional & 16) add_section(writer, "gKnd", input, bytes, nodes);
  if (optional & 32) add_section(writer, "gNTg", input, numbers, nodes);
  if (optional & 64) add_section(writer, "gETg", input, numbers, edges);
  if (optional & 128) add_section(writer, "gSTS", input, bytes, 1);
  return writer.to_bytes();
}

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<TimePs> finishes(const Solution& solution) {
  std::vector<TimePs> by_node;
  for (NodeId node = 0; node < solution.graph().node_count(); ++node) by_node.push_back(solution.finish(node));
  return by_node;
}

void use(const Graph& graph, std::string_view input) {
  const Solution solution = solve(graph);
  require(solution.path().nodes.empty() == (graph.node_count() == 0));
  const Slack slack(solution);
  require(slack.edges().size() == graph.edge_count());
  Edits edits(graph);
  for (std::size_t i = 0; i + 4 <= input.size() && i < 64 && graph.node_count() > 0; i += 4) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(input[i + k]); };
    const NodeId node = byte(1) % graph.node_count();
    const Slot slot = graph.edge_count() == 0 ? kNoSlot : byte(2) % graph.edge_count();
    if (byte(0) % 2 == 0) edits.set_duration(node, static_cast<TimePs>(byte(3)) << (byte(2) % 60));
    else if (slot == kNoSlot) continue;
    else edits.set_weight(slot, static_cast<TimePs>(byte(3)) << (byte(1) % 60));
    const Solution again = solve(edits);
    const std::vector<Edits> scenarios{edits, Edits(graph), edits};
    const std::vector<Solution> many = solve_many(scenarios);
    require(finishes(many[2]) == finishes(again) && finishes(many[1]) == finishes(solution));
    (void)Slack(solve(edits, again.end())).edges();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const bool packed = input[0] % 2 == 1;
  input.remove_prefix(1);
  const std::string bytes = packed ? pack(input) : std::string(input);
  const auto file = SectionFile::from_bytes(bytes, "fuzz", "graph", 1);
  if (!file.ok()) return 0;
  const auto graph = read_graph_sections(*file);
  if (graph.ok()) use(*graph, input);
  return 0;
}
