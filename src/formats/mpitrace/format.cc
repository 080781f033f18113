#include "formats/mpitrace/format.h"

#include "formats/mpitrace/file_walk.h"
#include "formats/mpitrace/reader.h"

namespace orrery::mpitrace {
namespace {

bool is_mpitrace(const formats::Head& head) { return has_magic(head.bytes); }

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, {.salvage = options.salvage, .on_progress = options.on_progress});
}

Result<trace::ReadRank> read_one(const std::string& path, const formats::TraceOptions& options) {
  return read_rank(path, {.salvage = options.salvage, .on_progress = options.on_progress});
}

Result<trace::Trace> join(const std::vector<std::string>&, std::vector<trace::ReadRank> ranks, Diagnostics& diagnostics,
                          const formats::TraceOptions&) {
  return join_ranks(std::move(ranks), diagnostics);
}

std::optional<std::int64_t> peek_rank(const formats::Head& head) {
  const Result<FileHead> facts = read_file_head(head.bytes, std::string(head.name));
  return facts ? std::optional(facts->rank) : std::nullopt;
}

}  // namespace

const formats::Format kFormat{.name = "mpitrace",
                              .title = "a recording of liborrery_mpi",
                              .content = formats::Content::trace,
                              .priority = 3,
                              .sniff = is_mpitrace,
                              .read_traces = read_traces,
                              .read_rank = read_one,
                              .join_ranks = join,
                              .peek_rank = peek_rank};

}  // namespace orrery::mpitrace
