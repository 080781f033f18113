#include "formats/pytorch_et/reader.h"

#include <algorithm>
#include <optional>

#include "base/io/file_content.h"
#include "formats/pytorch_et/document.h"

namespace orrery::pytorch_et {
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
    return Error{"two rows have the id " + std::to_string(trace.id[*row]) + ", so it is not clear which of them calls others", path,
                 trace.object[*row].begin, "were two traces joined?"};
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
