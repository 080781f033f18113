#include "formats/simgrid_ti/format.h"

#include "formats/simgrid_ti/reader.h"

namespace orrery::simgrid_ti {
namespace {

Result<workload::Workload> read_trace(std::span<const std::string> paths, const formats::WorkloadOptions& options) {
  return read_workload(paths.front(), options.diagnostics);
}

/// A file that lists those of ranks, or one with the actions of all. The file of one rank is a part, and no job, unless
/// it is so long that others may follow its rank 0, and its name does not say that it is a part (0_rank-0.txt).
bool is_job(const formats::Head& head) {
  const Content content = content_of(head.bytes, head.is_all);
  if (content == Content::list || content == Content::job) return true;
  return content == Content::one_rank && !head.is_all && head.name.find("rank-") == std::string_view::npos;
}

bool is_part(const formats::Head& head) { return content_of(head.bytes, head.is_all) == Content::one_rank; }

}  // namespace

const formats::Format kFormat{.name = "ti",
                              .title = "a TI trace of SimGrid",
                              .content = formats::Content::workload,
                              .priority = 65,
                              .sniff = is_job,
                              .read_workload = read_trace};

const formats::Format kRankFormat{
    .name = "ti rank",
    .title = "the TI trace of one rank of SimGrid, which is read through the file that lists all",
    .content = formats::Content::companion,
    .priority = 66,
    .sniff = is_part};

}  // namespace orrery::simgrid_ti
