#include "formats/ampip/format.h"

#include "formats/ampip/reader.h"
#include "formats/ampip/report.h"

namespace orrery::ampip {
namespace {

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, {.salvage = options.salvage, .on_progress = options.on_progress});
}

}  // namespace

// No peek_rank: which communicators and callsites a rank used is told by all ranks together, so that all are read for
// one.
const formats::Format kFormat{.name = "ampip",
                              .title = "an A-mpiP trace",
                              .content = formats::Content::trace,
                              .priority = 32,
                              .sniff = [](const formats::Head& head) { return is_trace(head.bytes); },
                              .read_traces = read_traces};

const formats::Format kReportFormat{.name = "mpip",
                                    .title = "an mpiP report",
                                    .content = formats::Content::companion,
                                    .priority = 33,
                                    .sniff = [](const formats::Head& head) { return is_report(head.bytes); }};

}  // namespace orrery::ampip
