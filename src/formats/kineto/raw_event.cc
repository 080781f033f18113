#include "formats/kineto/raw_event.h"

#include <optional>

#include "base/json_scan.h"
#include "base/window_stream.h"

namespace orrery::kineto {
namespace {

Error not_found(const std::string& path, std::uint64_t offset) {
  return Error{"there is no event at this place", path, offset, "has the file changed since it was read?"};
}

}  // namespace

Result<std::string> read_event_text(const std::string& path, std::uint64_t offset) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  const std::string_view bytes = file->bytes();
  if (detect_compression(bytes) == Compression::none) {
    if (offset >= bytes.size() || bytes[offset] != '{') return not_found(path, offset);
    const char* const begin = bytes.data() + offset;
    const ContainerSkip skip = skip_container(begin, bytes.data() + bytes.size());
    if (skip.after == nullptr) return not_found(path, offset);
    return std::string(begin, skip.after);
  }
  std::optional<std::string> found;
  const auto look = [&](const Window& window) -> Result<const char*> {
    const std::uint64_t end_offset = window.offset + static_cast<std::uint64_t>(window.end - window.begin);
    if (offset >= end_offset) return window.end;  // nothing of interest: keep nothing
    const char* const begin = window.begin + (offset - window.offset);
    if (*begin != '{') return not_found(path, offset);
    const ContainerSkip skip = skip_container(begin, window.end);
    if (skip.after == nullptr) return begin;  // comes again with more behind it
    found.emplace(begin, skip.after);
    return Error{"found"};  // ends the stream: the rest need not be inflated
  };
  const auto streamed = stream_windows(*file, look, {});
  if (found) return *found;
  if (!streamed) return streamed.error();
  return not_found(path, offset);
}

}  // namespace orrery::kineto
