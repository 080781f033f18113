#include <array>
#include <optional>

#include "formats/nsys/export.h"
#include "trace/names/range_name.h"

// NVTX_EVENTS has a row for each range and mark, and rows that name domains. Texts are in the row, or numbers of
// StringIds: registered texts are used again and again, and each is looked at once.

namespace orrery::nsys {
namespace {

using trace::Field;

constexpr std::string_view kRangeTable = "NVTX_EVENTS";
enum RangeColumn {
  kRangeStart,
  kRangeEnd,
  kRangeType,
  kRangeText,
  kRangeTextId,
  kRangeThread,
  kRangeEndThread,
  kRangeDomain,
  kRangePayload
};
constexpr std::array<std::string_view, 9> kRangeColumns = {
    "start", "end", "eventType", "text", "textId", "globalTid", "endGlobalTid", "domainId", "binaryData"};

enum EventType : std::int64_t { kMark = 34, kPushPop = 59, kStartEnd = 60, kDomainName = 75 };

constexpr std::string_view kSchemaTable = "NVTX_PAYLOAD_SCHEMA_ENTRIES";
enum SchemaColumn { kSchemaDomain, kSchemaId, kSchemaType, kSchemaName, kSchemaOffset };
constexpr std::array<std::string_view, 5> kSchemaColumns = {"domainId", "schemaId", "type", "name", "offset"};

constexpr std::string_view kNodeTable = "CUDA_GRAPH_NODE_EVENTS";
enum NodeColumn { kNodeId, kNodeOriginal, kNodeStart, kNodeThread };
constexpr std::array<std::string_view, 4> kNodeColumns = {"graphNodeId", "originalGraphNodeId", "start", "globalTid"};

/// What a range becomes.
struct RangeReading {
  StringId name = 0;
  bool is_operator = false;
  bool is_nccl = false;  // it is called as a function of NCCL
  std::optional<std::int64_t> operation, sequence;
  StringId sizes = 0;
};

class RangeReader {
 public:
  RangeReader(Export& reading, const PayloadSchemas& schemas) : reading_(reading), schemas_(schemas) {}

  void add(const SqliteRows& row) {
    const std::int64_t type = row.integer(kRangeType, 0);
    if (type == kDomainName) return add_domain(row);
    if (type != kMark && type != kPushPop && type != kStartEnd) return;
    if (!row.is_integer(kRangeStart)) return reading_.leave_out(kRangeTable, row.rows());
    Process& process = reading_.process_of_row(row, kRangeThread, kRangeTable);
    const RangeReading range = read(row);
    const std::int64_t thread = row.integer(kRangeThread, 0);
    const bool has_end = row.is_integer(kRangeEnd) && type != kMark;
    const bool crosses = type == kStartEnd && row.integer(kRangeEndThread, thread) != thread;
    const trace::LaneIndex lane = process.thread_lane(thread_of(thread), crosses ? Process::kCrossingRow : 0);
    const std::int64_t start_ns = row.integer(kRangeStart, 0);
    if (!has_end && type != kMark)
      reading_.diagnostics.add(kOpenRange, [&] { return reading_.where(kRangeTable, row.rows()); });
    const RowKind kind = !has_end ? RowKind::mark : range.is_operator ? RowKind::operation : RowKind::annotation;
    const bool is_added =
        has_end ? process.rows.add(start_ns, row.integer(kRangeEnd, 0), range.name, lane, process.category(kind))
                : process.rows.add_instant(start_ns, range.name, lane, process.category(kind));
    if (!is_added) return reading_.leave_out(kRangeTable, row.rows());
    if (range.operation) process.rows.set(Field::external_id, *range.operation);
    if (range.sequence) process.rows.set(Field::sequence_number, *range.sequence);
    if (range.sizes != 0) process.rows.set(Field::shapes_text, range.sizes);
    if (has_end && range.is_nccl) add_nccl(process, row);
  }

 private:
  RangeReading read(const SqliteRows& row) {
    if (!row.is_integer(kRangeTextId)) return made_of(row.bytes(kRangeText));
    const std::size_t place = reading_.texts.find(row.integer(kRangeTextId, 0));
    if (place == TextTable::kNone) {
      // A text beside the number of none is better than nothing.
      if (const std::string_view text = row.bytes(kRangeText); !text.empty()) return made_of(text);
      reading_.diagnostics.add(kUnknownText, [&] { return reading_.where(kRangeTable, row.rows()); });
      return {};
    }
    if (known_.empty()) known_.resize(reading_.texts.size());
    if (!known_[place]) known_[place] = made_of(reading_.texts.text(place));
    return *known_[place];
  }

  [[nodiscard]] RangeReading made_of(std::string_view text) const {
    const trace::RangeName range = trace::read_range_name(text);
    RangeReading reading{.name = reading_.strings.intern(range.name),
                         .is_operator = range.is_operator,
                         .is_nccl = !range.is_operator && range.name.starts_with("nccl") &&
                                    range.name.find(':') == std::string_view::npos,
                         .operation = range.operation,
                         .sequence = range.sequence};
    if (reading_.options.operands && !range.sizes.empty()) reading.sizes = reading_.strings.intern(range.sizes);
    return reading;
  }

  void add_domain(const SqliteRows& row) {
    std::string_view name = row.bytes(kRangeText);
    const std::size_t place = reading_.texts.find(row.integer(kRangeTextId, -1));
    if (name.empty() && place != TextTable::kNone) name = reading_.texts.text(place);
    Process& process = reading_.process_of_row(row, kRangeThread, kRangeTable);
    process.domains.try_emplace(row.integer(kRangeDomain, 0), name);
  }

  void add_nccl(Process& process, const SqliteRows& row) {
    NcclRange range{process.rows.last(), row.integer(kRangeDomain, 0), {}};
    if (const std::string_view payload = row.bytes(kRangePayload); !payload.empty()) {
      if (const std::optional<match::CallArguments> arguments = schemas_.read(range.domain, payload))
        range.arguments = *arguments;
      else reading_.diagnostics.add(kNoSchema, [&] { return reading_.where(kRangeTable, row.rows()); });
    }
    process.nccl_ranges.push_back(range);
  }

  Export& reading_;
  const PayloadSchemas& schemas_;
  std::vector<std::optional<RangeReading>> known_;  // by place in the table of texts
};

Status read_graph_nodes(Export& reading) {
  return reading.walk(kNodeTable, kNodeColumns, [&](const SqliteRows& row) {
    if (!row.is_integer(kNodeId) || !row.is_integer(kNodeThread)) return;
    Process& process = reading.processes.of(row.integer(kNodeThread, 0));
    // Of several rows of a node the first is the one that made it.
    process.nodes.try_emplace(
        row.integer(kNodeId, 0),
        GraphNode{row.integer(kNodeOriginal, 0), row.integer(kNodeStart, 0), thread_of(row.integer(kNodeThread, 0))});
  });
}

}  // namespace

Status read_ranges(Export& reading) {
  PayloadSchemas schemas;
  Status read = reading.walk(kSchemaTable, kSchemaColumns, [&](const SqliteRows& row) {
    schemas.add(row.integer(kSchemaDomain, 0), row.integer(kSchemaId, 0), row.integer(kSchemaType, 0),
                row.bytes(kSchemaName), row.integer(kSchemaOffset, 0));
  });
  if (!read) return read;
  if (read = read_graph_nodes(reading); !read) return read;
  RangeReader ranges(reading, schemas);
  return reading.walk(kRangeTable, kRangeColumns, [&](const SqliteRows& row) { ranges.add(row); });
}

}  // namespace orrery::nsys
