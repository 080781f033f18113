#include "formats/perfetto/format.h"

#include "formats/perfetto/reader.h"

namespace orrery::perfetto {
namespace {

bool is_perfetto(const formats::Head& head) { return looks_like_perfetto(head.bytes, head.is_all); }

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics,
                  {.salvage = options.salvage,
                   .positions = options.positions,
                   .operands = options.operands,
                   .on_progress = options.on_progress});
}

}  // namespace

// Before all that look for text: the first byte is a line feed, and the length behind it may read as a bracket.
const formats::Format kFormat{.name = "perfetto",
                              .title = "a Perfetto trace",
                              .content = formats::Content::trace,
                              .priority = 4,
                              .sniff = is_perfetto,
                              .read_traces = read_traces};

}  // namespace orrery::perfetto
