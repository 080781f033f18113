#include "formats/rocprof/format.h"

#include <optional>

#include "base/parallel.h"
#include "base/sqlite/sqlite_file.h"
#include "formats/rocprof/json_reader.h"
#include "formats/rocprof/rocpd_reader.h"

namespace orrery::rocprof {
namespace {

template <Result<ReadFile> (*kRead)(const std::string&, const ReadOptions&)>
Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  const ReadOptions chosen{options.salvage, options.operands, options.on_progress};
  std::vector<ReadFile> files(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) {
    Result<ReadFile> read = kRead(paths[i], chosen);
    if (read) files[i] = std::move(*read);
    else errors[i] = read.error();
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return join(paths, std::move(files), diagnostics);
}

}  // namespace

const formats::Format kFormat{.name = "rocprof",
                              .title = "a recording of rocprofv3 in JSON",
                              .content = formats::Content::trace,
                              .priority = 8,
                              .sniff = looks_like_json,
                              .read_traces = read_traces<read_json>};

const formats::Format kDatabaseFormat{.name = "rocpd",
                                      .title = "a rocpd database of ROCm's profiler",
                                      .content = formats::Content::trace,
                                      .priority = 11,
                                      .sniff = [](const formats::Head& head) { return begins_as_sqlite(head.bytes); },
                                      .read_traces = read_traces<read_rocpd>};

}  // namespace orrery::rocprof
