#include "formats/request_log/format.h"

#include "formats/request_log/request_table.h"
#include "formats/request_log/request_trace.h"
#include "trace/names/rank_numbers.h"

namespace orrery::request_log {
namespace {

/// Each is a run of its own: a log has nothing to match it with another by.
Result<trace::Trace> read_request_logs(const std::vector<std::string>& paths, Diagnostics&,
                                       const formats::TraceOptions&) {
  std::vector<trace::ReadRank> runs(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Result<RequestLog> log = read_request_log(paths[i]);
    if (!log) return log.error();
    runs[i].rank = trace_requests(*log, runs[i].strings);
  }
  const auto numbering = trace::number_ranks(paths, std::vector<trace::ToldRank>(paths.size()), runs);
  if (!numbering) return numbering.error();
  trace::Trace job;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!trace::add_run(job, std::move(runs[i].rank), runs[i].strings))
      return Error{"its times do not fit those of the other logs", paths[i]};
  }
  return job;
}

}  // namespace

const formats::Format kFormat{.name = "request_log",
                              .title = "a log of requests to a serving engine",
                              .content = formats::Content::trace,
                              .priority = 16,  // its columns are nobody else's
                              .sniff = [](const formats::Head& head) { return is_request_log(head.bytes); },
                              .read_traces = read_request_logs};

}  // namespace orrery::request_log
