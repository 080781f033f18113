#include "formats/simgrid_ti/format.h"

#include "formats/simgrid_ti/reader.h"

namespace orrery::simgrid_ti {
namespace {

Result<workload::Workload> read_trace(std::span<const std::string> paths, const formats::WorkloadOptions& options) {
  return read_workload(paths.front(), options.diagnostics);
}

/// A file that lists those of ranks, or one with the actions of all. The file of one rank (0_rank-3.txt) is a part, and no job.
bool is_job(const formats::Head& head) {
  return lists_files(head.bytes) || (has_actions(head.bytes) && head.name.find("rank-") == std::string_view::npos);
}

}  // namespace

const formats::Format kFormat{.name = "ti",
                              .title = "a TI trace of SimGrid",
                              .content = formats::Content::workload,
                              .priority = 65,
                              .sniff = is_job,
                              .read_workload = read_trace};

}  // namespace orrery::simgrid_ti
