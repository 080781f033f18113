#include "graph/graph_file.h"

#include <utility>
#include <vector>

// Sections are the columns of the graph as they lie in memory. Columns that are all default are left out. Reading
// copies them and checks every invariant that sweeps rely on, so that no file can make one read out of bounds or run in
// circles.

namespace orrery::graph {
namespace {

constexpr SectionTag kRows = "gRow";
constexpr SectionTag kSources = "gSrc";
constexpr SectionTag kWeights = "gWgt";
constexpr SectionTag kTypes = "gTyp";
constexpr SectionTag kEdgeTags = "gETg";
constexpr SectionTag kEdgeIds = "gEId";
constexpr SectionTag kNodes = "gNod";
constexpr SectionTag kDurations = "gDur";
constexpr SectionTag kKinds = "gKnd";
constexpr SectionTag kNodeTags = "gNTg";
constexpr SectionTag kStartToStart = "gSTS";

const char* const kHint = "the file was not written by orrery, or by a version with a fault";

/// Reads the sections of one file; the first thing that is wrong is kept and what is read after it comes out empty.
class Reader {
 public:
  explicit Reader(const SectionFile& file) : file_(file) {}

  [[nodiscard]] bool ok() const { return status_.ok(); }
  [[nodiscard]] const Error& error() const { return status_.error(); }
  void fail(SectionTag tag, std::uint64_t byte, const char* message) {
    if (ok()) status_ = file_.error_at(tag, byte, "section '" + tag.text() + "': " + message, kHint);
  }

  template <typename T>
  Column<T> column(SectionTag tag) {
    Column<T> values;
    if (!ok()) return values;
    const auto section = file_.get<T>(tag);
    if (!section) return status_ = section.error(), std::move(values);
    values.reserve(section->size());
    values.append(*section);
    return values;
  }
  template <typename T>
  Column<T> column(SectionTag tag, std::size_t size) {
    Column<T> values = column<T>(tag);
    if (values.size() != size) fail(tag, 0, "has another number of values than there are nodes or edges");
    return values;
  }
  /// Empty when the file has no such section.
  template <typename T>
  Column<T> optional_column(SectionTag tag, std::size_t size) {
    return file_.has(tag) ? column<T>(tag, size) : Column<T>();
  }

 private:
  const SectionFile& file_;
  Status status_;
};

void check_times(Reader& reader, const Column<TimePs>& times, SectionTag tag) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < -kMaxWeightPs || times[i] > kMaxWeightPs)
      return reader.fail(tag, i * sizeof(TimePs), "a time is out of range");
  }
}

void check_permutation(Reader& reader, const Column<std::uint32_t>& numbers, SectionTag tag) {
  std::vector<bool> seen(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // Within range and never twice: then every number is there.
    if (numbers[i] >= numbers.size() || seen[numbers[i]])
      return reader.fail(tag, i * sizeof(std::uint32_t), "a number is too large or appears twice");
    seen[numbers[i]] = true;
  }
}

/// Invariants of the rows: they cover all edges without going back, every source lies before its target, and the edges
/// of a node are in the order in which they were added.
void check_rows(Reader& reader, const GraphColumns& columns) {
  const std::size_t node_count = columns.rows.size() - 1;
  if (columns.rows[0] != 0) return reader.fail(kRows, 0, "the first row does not begin at 0");
  for (std::size_t p = 0; p < node_count; ++p) {
    if (columns.rows[p] > columns.rows[p + 1])
      return reader.fail(kRows, (p + 1) * sizeof(Slot), "a row ends before it begins");
  }
  if (columns.rows.back() != columns.sources.size())
    return reader.fail(kRows, node_count * sizeof(Slot), "the rows do not cover all edges");
  const bool has_ids = !columns.edge_ids.empty();
  for (std::size_t p = 0; p < node_count; ++p) {
    for (Slot slot = columns.rows[p]; slot < columns.rows[p + 1]; ++slot) {
      // This one rule excludes cycles, so that a hostile file cannot make a sweep read what is not yet written.
      if (columns.sources[slot] >= p)
        return reader.fail(kSources, slot * sizeof(Position), "an edge does not go forwards");
      if (has_ids && slot > columns.rows[p] && columns.edge_ids[slot - 1] >= columns.edge_ids[slot]) {
        return reader.fail(kEdgeIds, slot * sizeof(EdgeId), "the edges of a node are out of order");
      }
    }
  }
}

}  // namespace

void add_graph_sections(SectionWriter& writer, const Graph& graph) {
  const GraphColumns& columns = graph.columns();
  const auto add_unless_empty = [&](SectionTag tag, const auto& values) {
    if (!values.empty()) writer.add(tag, values);
  };
  writer.add(kRows, columns.rows);
  writer.add(kSources, columns.sources);
  writer.add(kWeights, columns.weights);
  add_unless_empty(kTypes, columns.types.values());
  add_unless_empty(kEdgeTags, columns.edge_tags.values());
  add_unless_empty(kEdgeIds, columns.edge_ids);
  add_unless_empty(kNodes, columns.nodes);
  add_unless_empty(kDurations, columns.durations.values());
  add_unless_empty(kKinds, columns.kinds.values());
  add_unless_empty(kNodeTags, columns.node_tags.values());
  if (columns.start_to_start_type)
    writer.add(kStartToStart, std::span<const std::uint8_t>(&*columns.start_to_start_type, 1));
}

Result<Graph> read_graph_sections(const SectionFile& file) {
  Reader reader(file);
  GraphColumns columns;
  columns.rows = reader.column<Slot>(kRows);
  columns.sources = reader.column<Position>(kSources);
  if (!reader.ok()) return reader.error();
  const std::size_t edges = columns.sources.size();
  // Numbers of nodes and edges have 32 bits, and the largest stands for none.
  if (columns.rows.empty() || columns.rows.size() > kNoNode || edges >= kNoSlot) {
    reader.fail(kRows, 0, "has no entry, or too many");
    return reader.error();
  }
  const std::size_t nodes = columns.rows.size() - 1;

  // Everything has as many values as there are nodes or edges, so that no column can be read beyond its end.
  columns.weights = reader.column<TimePs>(kWeights, edges);
  columns.types = OptionalColumn<std::uint8_t>(reader.optional_column<std::uint8_t>(kTypes, edges));
  columns.edge_tags = OptionalColumn<std::uint32_t, kNoTag>(reader.optional_column<std::uint32_t>(kEdgeTags, edges));
  columns.edge_ids = reader.optional_column<EdgeId>(kEdgeIds, edges);
  columns.nodes = reader.optional_column<NodeId>(kNodes, nodes);
  Column<TimePs> durations = reader.optional_column<TimePs>(kDurations, nodes);
  columns.kinds = OptionalColumn<std::uint8_t>(reader.optional_column<std::uint8_t>(kKinds, nodes));
  columns.node_tags = OptionalColumn<std::uint32_t, kNoTag>(reader.optional_column<std::uint32_t>(kNodeTags, nodes));
  if (const Column<std::uint8_t> type = reader.optional_column<std::uint8_t>(kStartToStart, 1); !type.empty()) {
    if (type[0] == 0) reader.fail(kStartToStart, 0, "type 0 cannot be start-to-start");
    columns.start_to_start_type = type[0];
  }
  if (!reader.ok()) return reader.error();

  check_times(reader, columns.weights, kWeights);
  check_times(reader, durations, kDurations);
  check_permutation(reader, columns.edge_ids, kEdgeIds);
  check_permutation(reader, columns.nodes, kNodes);
  check_rows(reader, columns);
  if (!reader.ok()) return reader.error();

  columns.durations = OptionalColumn<TimePs>(std::move(durations));
  // The inverse is not stored: it follows, and could contradict.
  columns.positions.resize_uninitialized(columns.nodes.size());
  for (std::size_t p = 0; p < columns.nodes.size(); ++p) columns.positions[columns.nodes[p]] = static_cast<Position>(p);
  return Graph(std::move(columns));
}

}  // namespace orrery::graph
