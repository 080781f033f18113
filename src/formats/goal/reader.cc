#include "formats/goal/reader.h"

#include "base/input.h"
#include "formats/goal/binary_layout.h"

namespace orrery::goal {
namespace {

constexpr std::size_t kMaxInflatedBytes = std::size_t{8} << 30;

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
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (detect_compression(file->bytes()) == Compression::none) return parse_workload(file->bytes(), path);
  const Result<std::string> inflated = read_whole_file(path, kMaxInflatedBytes);
  if (!inflated) return inflated.error();
  return parse_workload(*inflated, path);
}

}  // namespace orrery::goal
