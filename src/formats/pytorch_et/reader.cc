#include "formats/pytorch_et/reader.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/diagnostics.h"
#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "base/json/json_document.h"
#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "base/result.h"
#include "formats/pytorch_et/diagnostics.h"
#include "formats/pytorch_et/row_parser.h"
#include "trace/host_trace.h"

// The text is kept whole, since rows refer to it. A parser of JSON documents calls back for every member and every row;
// at the end the schema is checked, since it may stand behind the rows, and that no id comes twice.

namespace orrery::pytorch_et {

// The document around the rows: {"schema": "1.1.1-chakra.0.0.4", "pid": 1306, "time": ..., "start_ts": ..., "nodes": [
// ... ], "finish_ts": ...}.

/// Parses `trace.content`, which is complete and followed by 64 readable bytes, into the rest of `trace`. One pass;
/// members in any order.
Status parse_document(trace::HostTrace& trace, Interner& strings, Diagnostics& diagnostics);

namespace {

constexpr const char* kDamagedHint = "the file is damaged or was not written to its end; record it again";
constexpr const char* kNoNodes = "there is no nodes list in this file";
constexpr const char* kExpected = "expected a PyTorch execution trace (JSON with schema and nodes)";
constexpr const char* kKinetoHint =
    "it looks like a Kineto trace (device trace), not a PyTorch execution trace (host trace)";

// "1.1.1-chakra.0.0.4": the version of PyTorch's part, {1, 1, 1}.
std::optional<std::array<int, 3>> version_of(std::string_view schema) {
  std::array<int, 3> version{};
  for (std::size_t i = 0; i < version.size(); ++i) {
    // What follows the third number ("-chakra.0.0.4") is the version of the nodes' schema, which goes with it.
    if (i > 0 && !schema.starts_with('.')) return std::nullopt;
    if (i > 0) schema.remove_prefix(1);
    if (!take_number(schema, version[i]) || version[i] < 0) return std::nullopt;
  }
  return version;
}

class DocumentParser {
 public:
  DocumentParser(trace::HostTrace& trace, Interner& strings, Diagnostics& diagnostics)
      : trace_(trace),
        diagnostics_(diagnostics),
        walk_(trace.content.data() + trace.content.size()),
        rows_(trace, strings, diagnostics, walk_) {}

  /// Rows refer to the text, so it is all there: one window.
  Status parse() {
    const char* const begin = trace_.content.data();
    JsonDocument<DocumentParser> document(*this);
    const Result<const char*> parsed = document.parse({begin, walk_.end(), 0, true});
    if (!parsed) return parsed.error();
    const std::uint64_t end = document.end_offset();
    if (!saw_nodes_) return Error{kNoNodes, trace_.path, end, kExpected};
    rows_.finish();
    look_for_trailing_text(begin + end);
    return check_schema(end);
  }

  // What JsonDocument asks and tells.

  [[nodiscard]] bool is_record_list(std::string_view key) const {
    return key == "nodes" || (key == "traceEvents" && !saw_nodes_);
  }

  Status on_list(std::string_view key, std::uint64_t offset) {
    if (key != "nodes") return Error{kNoNodes, trace_.path, offset, kKinetoHint};
    if (saw_nodes_) return Error{"a second list of nodes", trace_.path, offset, kDamagedHint};
    saw_nodes_ = true;
    return {};
  }
  static Status on_list_end() { return {}; }

  Result<const char*> take_record(const char* p, const Window& /*window*/) {
    const char* const after = rows_.parse(p);
    if (after == nullptr) return error_at(walk_.fault_at(), walk_.fault(), kDamagedHint);
    return after;
  }

  Status on_member(const JsonMember& member, std::uint64_t offset) {
    if (member.key == "schema") {
      schema_at_ = offset;
      trace_.schema = text(member.value);
    } else if (member.key == "time") {
      trace_.time = text(member.value);
    } else if (member.key == "pid") {
      trace_.pid = number(member.value);
    } else if (member.key == "start_ts") {
      trace_.start_ts = number(member.value);
    } else if (member.key == "finish_ts") {
      trace_.finish_ts = number(member.value);
    }
    return {};
  }

  [[nodiscard]] Error fault(JsonFault fault, std::uint64_t offset) const {
    const char* hint = fault == JsonFault::empty || fault == JsonFault::no_json ? kExpected : kDamagedHint;
    const bool is_packed =
        fault == JsonFault::no_json && detect_compression(trace_.content.substr(offset)) != Compression::none;
    if (is_packed) hint = "the file is compressed twice: unpack it once";
    return {std::string(to_string(fault)), trace_.path, offset, hint};
  }

 private:
  [[nodiscard]] Error error_at(const char* p, std::string message, const char* hint) const {
    return {std::move(message), trace_.path, static_cast<std::uint64_t>(p - trace_.content.data()), hint};
  }

  Status check_schema(std::uint64_t document_end) {
    constexpr std::array<int, 3> kFirst{1, 0, 1}, kLast{1, 1, 1};
    constexpr const char* kHint = "PyTorch writes 1.0.1 to 1.1.1";
    if (!schema_at_) return Error{"the file does not say which schema it has", trace_.path, document_end, kHint};
    const auto version = version_of(trace_.schema);
    if (!version || *version < kFirst)
      return Error{"schema " + trace_.schema + " is not that of an execution trace", trace_.path, *schema_at_, kHint};
    // A later one may have more members, which are passed over; what is read has been there since 1.0.1.
    if (*version > kLast) diagnostics_.add(kNewerSchema, [&] { return trace_.path + ": " + trace_.schema; });
    return {};
  }

  static std::string text(std::string_view json) {
    return json.starts_with('"') ? unescape_json(json.substr(1, json.size() - 2)) : std::string(json);
  }

  static std::int64_t number(std::string_view json) {
    if (json.starts_with('"')) json = json.substr(1, json.size() - 2);
    return parse_number<std::int64_t>(json).value_or(trace::kNoNumber);
  }

  void look_for_trailing_text(const char* p) {
    p = walk_.skip_space(p);
    while (p < walk_.end() && *p == '\0') p = walk_.skip_space(p + 1);  // some file systems and archives pad with zeros
    if (p >= walk_.end()) return;
    diagnostics_.add(kTextAfterEnd,
                     [&] { return trace_.path + ": byte " + std::to_string(p - trace_.content.data()); });
  }

  trace::HostTrace& trace_;
  Diagnostics& diagnostics_;
  JsonWalk walk_;
  RowParser rows_;
  std::optional<std::uint64_t> schema_at_;  // where its value is
  bool saw_nodes_ = false;
};

}  // namespace

Status parse_document(trace::HostTrace& trace, Interner& strings, Diagnostics& diagnostics) {
  return DocumentParser(trace, strings, diagnostics).parse();
}

namespace {

// The whole text stays in memory: rows refer to it.
Status load_text(const std::string& path, trace::HostTrace& trace) {
  Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  const auto kept = std::make_shared<const FileContent>(std::move(*content));
  kept->populate();
  trace.path = path;
  trace.file_bytes = kept->file_bytes();
  trace.content = kept->bytes();
  trace.text_owner = kept;
  return {};
}

// The first row whose id another row before it has.
std::optional<std::size_t> find_repeated_id(const Column<std::uint64_t>& ids) {
  // max_element of nothing is no element.
  if (ids.empty()) return std::nullopt;
  const std::uint64_t largest = *std::max_element(ids.begin(), ids.end());
  // At most 64 bits per row and a little: less than the ids themselves.
  if (largest / 64 <= ids.size() + 1024) {  // ids are counted up: a bit each is little
    Column<std::uint64_t> seen(largest / 64 + 1, 0);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const std::uint64_t bit = std::uint64_t{1} << ids[row] % 64;
      if ((seen[ids[row] / 64] & bit) != 0) return row;
      seen[ids[row] / 64] |= bit;
    }
    return std::nullopt;
  }
  struct IdOfRow {
    std::uint64_t id;
    std::size_t row;
    bool operator<(const IdOfRow& other) const { return id != other.id ? id < other.id : row < other.row; }
  };
  Column<IdOfRow> sorted(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) sorted[row] = {ids[row], row};
  std::sort(sorted.begin(), sorted.end());
  std::optional<std::size_t> first;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].id == sorted[i - 1].id && (!first || sorted[i].row < *first)) first = sorted[i].row;
  }
  return first;
}

}  // namespace

Result<trace::HostTrace> read_host_trace(const std::string& path, Interner& strings, Diagnostics& diagnostics) {
  trace::HostTrace trace;
  if (const Status loaded = load_text(path, trace); !loaded) return loaded.error();
  if (const Status parsed = parse_document(trace, strings, diagnostics); !parsed) return parsed.error();
  if (const auto row = find_repeated_id(trace.id)) {
    return Error{
        "two rows have the id " + std::to_string(trace.id[*row]) + ", so it is not clear which of them calls others",
        path, trace.object[*row].begin, "were two traces joined?"};
  }
  return trace;
}

bool looks_like_host_trace(std::string_view first_bytes) {
  const std::size_t begin = first_bytes.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  if (begin == std::string_view::npos || first_bytes[begin] != '{') return false;
  // A Kineto trace may have "nodes" in an argument of an event: what comes before its list of events decides.
  const std::size_t nodes = first_bytes.find("\"nodes\"");
  return nodes != std::string_view::npos && first_bytes.find("\"schema\"") != std::string_view::npos &&
         first_bytes.substr(0, nodes).find("\"traceEvents\"") == std::string_view::npos;
}

}  // namespace orrery::pytorch_et
