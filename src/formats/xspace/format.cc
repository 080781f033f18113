#include "formats/xspace/format.h"

#include "formats/xspace/naming.h"
#include "formats/xspace/reader.h"
#include "trace/names/rank_numbers.h"

namespace orrery::xspace {
namespace {

// A Chakra file may begin like an XSpace, and says by its name that it is none.
bool is_xspace(const formats::Head& head) {
  return head.is_called(".xplane.pb") || (!head.is_called(".et") && !head.is_json() && looks_like_xspace(head.bytes));
}

ReadOptions read_options(const formats::TraceOptions& options) {
  return {.salvage = options.salvage,
          .positions = options.positions,
          .far_clocks = options.far_clocks,
          .on_progress = options.on_progress};
}

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, read_options(options));
}

Result<trace::ReadRank> read_one(const std::string& path, const formats::TraceOptions& options) {
  trace::ReadRank read;
  Result<trace::RankTrace> rank = read_rank(path, read.strings, read.diagnostics, read_options(options));
  if (!rank) return rank.error();
  read.rank = std::move(*rank);
  return read;
}

Result<trace::Trace> join(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                          Diagnostics& diagnostics, const formats::TraceOptions& options) {
  return join_ranks(paths, std::move(ranks), diagnostics, read_options(options));
}

std::optional<std::int64_t> peek_rank(const formats::Head& head) { return trace::node_in_name(head.name); }

}  // namespace

const formats::Format kFormat{.name = "xspace",
                              .title = "an XSpace",
                              .content = formats::Content::trace,
                              .priority = 70,
                              .sniff = is_xspace,
                              .read_traces = read_traces,
                              .read_rank = read_one,
                              .join_ranks = join,
                              .joins_outlines = true,
                              .peek_rank = peek_rank};

}  // namespace orrery::xspace
