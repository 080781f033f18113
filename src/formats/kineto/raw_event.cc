#include "formats/kineto/raw_event.h"

#include "base/io/window_stream.h"
#include "base/json/json_scan.h"

namespace orrery::kineto {
namespace {

Error not_found(const std::string& path, std::uint64_t offset) {
  return Error{"there is no event at this place", path, offset, "has the file changed since it was read?"};
}

}  // namespace

Status visit_event_texts(const std::string& path, std::span<const std::uint64_t> offsets,
                         const std::function<void(std::size_t i, std::string_view text)>& visit) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  if (offsets.empty()) return {};
  const std::string_view bytes = file->bytes();
  if (detect_compression(bytes) == Compression::none) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] >= bytes.size() || bytes[offsets[i]] != '{') return not_found(path, offsets[i]);
      const char* const begin = bytes.data() + offsets[i];
      const ContainerSkip skip = skip_container(begin, bytes.data() + bytes.size());
      if (skip.after == nullptr) return not_found(path, offsets[i]);
      visit(i, {begin, static_cast<std::size_t>(skip.after - begin)});
    }
    return {};
  }
  std::size_t next = 0;
  const auto look = [&](const Window& window) -> Result<const char*> {
    const std::uint64_t end_offset = window.offset + static_cast<std::uint64_t>(window.end - window.begin);
    for (; next < offsets.size() && offsets[next] < end_offset; ++next) {
      const char* const begin = window.begin + (offsets[next] - window.offset);
      if (*begin != '{') return not_found(path, offsets[next]);
      const ContainerSkip skip = skip_container(begin, window.end);
      if (skip.after == nullptr) return begin;  // comes again with more behind it
      visit(next, {begin, static_cast<std::size_t>(skip.after - begin)});
    }
    if (next == offsets.size()) return Error{"found"};  // ends the stream: the rest need not be inflated
    return window.end;                                  // nothing of interest left: keep nothing
  };
  const auto streamed = stream_windows(*file, look, {});
  if (next == offsets.size()) return {};
  if (!streamed) return streamed.error();
  return not_found(path, offsets[next]);
}

Result<std::string> read_event_text(const std::string& path, std::uint64_t offset) {
  std::string found;
  const Status visited =
      visit_event_texts(path, {&offset, 1}, [&](std::size_t, std::string_view text) { found = text; });
  if (!visited) return visited.error();
  return found;
}

}  // namespace orrery::kineto
