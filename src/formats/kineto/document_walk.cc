#include "formats/kineto/document_walk.h"

namespace orrery::kineto {
namespace {

constexpr std::uint64_t kWalkedBytes = 2u << 20;

Result<const char*> parse_window(const Window& window, DocumentParser& parser, WindowObserver* observer) {
  if (observer != nullptr) observer->begin_window(window);
  const Result<const char*> taken = parser.parse(window);
  if (!taken || observer == nullptr) return taken;
  if (const Status status = observer->end_window(*taken); !status) return status.error();
  return taken;
}

// In steps, each from the event that the last one stopped before.
Status walk_mapped(const MappedFile& file, DocumentParser& parser, WindowObserver* observer) {
  const std::string_view text = file.bytes();
  for (std::uint64_t at = 0;;) {
    parser.stop_at(at + kWalkedBytes);
    file.populate(at, at + kWalkedBytes);
    const Result<const char*> taken =
        parse_window({text.data() + at, text.data() + text.size(), at, true}, parser, observer);
    if (!taken) return taken.error();
    const auto now = static_cast<std::uint64_t>(*taken - text.data());
    file.release(at, now);
    at = now;
    if (!parser.stopped()) return {};
    parser.resume();
  }
}

}  // namespace

Status walk_document(const MappedFile& file, DocumentParser& parser, WindowObserver* observer) {
  if (detect_compression(file.bytes()) == Compression::none) return walk_mapped(file, parser, observer);
  const auto streamed =
      stream_windows(file, [&](const Window& window) { return parse_window(window, parser, observer); }, {});
  if (!streamed) return streamed.error();
  return streamed->input_error ? Status(*streamed->input_error) : Status();
}

}  // namespace orrery::kineto
