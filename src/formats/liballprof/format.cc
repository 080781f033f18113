#include "formats/liballprof/format.h"

#include "formats/liballprof/reader.h"

namespace orrery::liballprof {
namespace {

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, {.salvage = options.salvage, .on_progress = options.on_progress});
}

}  // namespace

// No peek_rank: who is in a communicator is told by all ranks together, so that all are read for one.
const formats::Format kFormat{.name = "liballprof",
                              .title = "a liballprof trace",
                              .content = formats::Content::trace,
                              .priority = 34,
                              .sniff = [](const formats::Head& head) { return is_trace(head.bytes); },
                              .read_traces = read_traces};

}  // namespace orrery::liballprof
