#include "formats/nsys/format.h"

#include "base/sqlite/sqlite_file.h"
#include "formats/nsys/reader.h"

namespace orrery::nsys {
namespace {

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics,
                  {.salvage = options.salvage, .operands = options.operands, .on_progress = options.on_progress});
}

}  // namespace

const formats::Format kFormat{.name = "nsys",
                              .title = "an export of Nsight Systems",
                              .content = formats::Content::trace,
                              .priority = 2,
                              .sniff = [](const formats::Head& head) { return begins_as_sqlite(head.bytes); },
                              .read_traces = read_traces};

}  // namespace orrery::nsys
