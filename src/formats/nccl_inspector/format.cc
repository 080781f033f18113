#include "formats/nccl_inspector/format.h"

#include "formats/nccl_inspector/reader.h"

namespace orrery::nccl_inspector {
namespace {

// The first line says its version, as a record or as the marker of a dump does.
bool is_inspector(const formats::Head& head) {
  const std::size_t first = head.bytes.find_first_not_of(" \n\r\t");
  if (first == std::string_view::npos || head.bytes[first] != '{') return false;
  const std::string_view line = head.bytes.substr(first, head.bytes.find('\n', first) - first);
  return line.find("\"inspector_output_format_version\"") != std::string_view::npos;
}

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, {.on_progress = options.on_progress});
}

}  // namespace

const formats::Format kFormat{.name = "nccl_inspector",
                              .title = "a log of NCCL's Inspector",
                              .content = formats::Content::trace,
                              .priority = 9,
                              .sniff = is_inspector,
                              .read_traces = read_traces};

}  // namespace orrery::nccl_inspector
