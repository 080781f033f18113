#include "formats/goal/reader.h"

#include "base/io/file_content.h"
#include "formats/goal/binary_layout.h"

namespace orrery::goal {
namespace {

bool has_cookie(std::string_view bytes, std::uint64_t cookie) {
  return bytes.size() >= sizeof cookie && load<std::uint64_t>(bytes.data()) == cookie;
}

}  // namespace

Result<workload::Workload> parse_workload(std::string_view bytes, const std::string& path) {
  // Both cookies contain zero bytes, which no text does.
  if (has_cookie(bytes, kCookie) || has_cookie(bytes, kConsumedCookie)) return parse_binary(bytes, path);
  return parse_text(bytes, path);
}

Result<workload::Workload> read_workload(const std::string& path) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  return parse_workload(content->bytes(), path);
}

}  // namespace orrery::goal
