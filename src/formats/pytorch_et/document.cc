#include "formats/pytorch_et/document.h"

#include <array>
#include <charconv>
#include <optional>

#include "base/inflate.h"
#include "base/json_unescape.h"
#include "formats/pytorch_et/diagnostics.h"
#include "formats/pytorch_et/row_parser.h"

namespace orrery::pytorch_et {
namespace {

constexpr const char* kDamagedHint = "the file is damaged or was not written to its end; record it again";
constexpr const char* kExpected = "expected a PyTorch execution trace (JSON with schema and nodes)";
constexpr const char* kKinetoHint = "it looks like a Kineto trace (device trace), not a PyTorch execution trace (host trace)";

// "1.1.1-chakra.0.0.4": the version of PyTorch's part, {1, 1, 1}.
std::optional<std::array<int, 3>> version_of(std::string_view schema) {
  std::array<int, 3> version{};
  const char* p = schema.data();
  const char* const end = p + schema.size();
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (i > 0 && (p == end || *p++ != '.')) return std::nullopt;
    const auto [after, error] = std::from_chars(p, end, version[i]);
    if (error != std::errc() || version[i] < 0) return std::nullopt;
    p = after;
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

  Status parse() {
    const char* p = trace_.content.data();
    if (trace_.content.starts_with("\xEF\xBB\xBF")) p += 3;  // a byte order mark
    p = walk_.skip_space(p);
    if (p >= walk_.end()) return error_at(p, "the file is empty", kExpected);
    if (*p != '{') return not_an_object(p);
    const char* const after = walk_.each_member(p, [&](std::string_view key, const char* value) { return take_member(key, value); });
    if (is_kineto_) return error_at(walk_.fault_at(), "there is no nodes list in this file", kKinetoHint);
    if (after == nullptr) return error_at(walk_.fault_at(), walk_.fault(), kDamagedHint);
    if (!saw_nodes_) return error_at(after, "there is no nodes list in this file", kExpected);
    rows_.finish();
    look_for_trailing_text(after);
    return check_schema(after);
  }

 private:
  [[nodiscard]] Status error_at(const char* p, std::string message, const char* hint) const {
    return Error{std::move(message), trace_.path, static_cast<std::uint64_t>(p - trace_.content.data()), hint};
  }

  [[nodiscard]] Status not_an_object(const char* p) const {
    const std::string_view rest(p, static_cast<std::size_t>(walk_.end() - p));
    if (*p == '[') return error_at(p, "there is no nodes list in this file", kKinetoHint);
    const bool packed = detect_compression(rest) != Compression::none;
    return error_at(p, "this is not JSON", packed ? "the file is compressed twice: unpack it once" : kExpected);
  }

  Status check_schema(const char* document_end) {
    constexpr std::array<int, 3> kFirst{1, 0, 1}, kLast{1, 1, 1};
    constexpr const char* kHint = "PyTorch writes 1.0.1 to 1.1.1";
    if (schema_at_ == nullptr) return error_at(document_end, "the file does not say which schema it has", kHint);
    const auto version = version_of(trace_.schema);
    if (!version || *version < kFirst) return error_at(schema_at_, "schema " + trace_.schema + " is not that of an execution trace", kHint);
    if (*version > kLast) diagnostics_.add(kNewerSchema, [&] { return trace_.path + ": " + trace_.schema; });
    return {};
  }

  const char* take_member(std::string_view key, const char* value) {
    if (key == "nodes" && *value == '[') return take_rows(value);
    if (key == "traceEvents" && !saw_nodes_) {
      is_kineto_ = true;
      return walk_.fail(value, "");
    }
    const char* const after = walk_.skip_value(value);
    if (after == nullptr) return nullptr;
    const std::string_view json(value, static_cast<std::size_t>(after - value));
    if (key == "schema") {
      schema_at_ = value;
      trace_.schema = text(json);
    } else if (key == "time") {
      trace_.time = text(json);
    } else if (key == "pid") {
      trace_.pid = number(json);
    } else if (key == "start_ts") {
      trace_.start_ts = number(json);
    } else if (key == "finish_ts") {
      trace_.finish_ts = number(json);
    }
    return after;
  }

  const char* take_rows(const char* p) {
    if (saw_nodes_) return walk_.fail(p, "a second list of nodes");
    saw_nodes_ = true;
    return walk_.each_element(p, [&](const char* row) { return rows_.parse(row); });
  }

  static std::string text(std::string_view json) {
    return json.starts_with('"') ? unescape_json(json.substr(1, json.size() - 2)) : std::string(json);
  }

  static std::int64_t number(std::string_view json) {
    if (json.starts_with('"')) json = json.substr(1, json.size() - 2);
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(json.data(), json.data() + json.size(), value);
    return error == std::errc() && after == json.data() + json.size() ? value : trace::kNoNumber;
  }

  void look_for_trailing_text(const char* p) {
    p = walk_.skip_space(p);
    while (p < walk_.end() && *p == '\0') p = walk_.skip_space(p + 1);  // some file systems and archives pad with zeros
    if (p >= walk_.end()) return;
    diagnostics_.add(kTextAfterEnd, [&] { return trace_.path + ": byte " + std::to_string(p - trace_.content.data()); });
  }

  trace::HostTrace& trace_;
  Diagnostics& diagnostics_;
  JsonWalk walk_;
  RowParser rows_;
  const char* schema_at_ = nullptr;  // its value
  bool saw_nodes_ = false;
  bool is_kineto_ = false;
};

}  // namespace

Status parse_document(trace::HostTrace& trace, Interner& strings, Diagnostics& diagnostics) {
  return DocumentParser(trace, strings, diagnostics).parse();
}

}  // namespace orrery::pytorch_et
