// Which files are the ranks of one job, and which are runs that lie side by side.
//
// A rank is what a file says it is: its distributedInfo, or "rank" with a number in its name. Every other number is something else: the
// process in TensorBoard's HOST_PID.TIME.pt.trace.json, a precision (bf16), a batch (batch4), a host (tw003).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/read_rank.h"

namespace orrery::trace {

/// What is known of one file's place in a job before the others are looked at.
struct ToldRank {
  std::optional<std::int64_t> rank;  ///< what it says of itself; else what its name says; none: neither does
  std::string host;                  ///< on which it was recorded; empty: not known
};

enum class Numbering : std::uint8_t {
  told,   ///< each file is the rank that it says
  place,  ///< none says, but they communicate: ranks in the order of the files
  runs,   ///< recordings that have nothing to do with one another
};

/// Numbers the ranks that were read from `paths`, and marks runs (SourceInfo::is_run). Files are
///   - ranks, as told, if each tells and not all tell the same;
///   - ranks by their place if none tells, all communicate, and no two of one host, which is one clock, lie apart in time;
///   - runs by their place otherwise: recordings of one process (also those that say they are a world of one), or all of one rank.
/// One file alone keeps the number it was read with. An Error names a file that does not tell among some that do.
Result<Numbering> number_ranks(const std::vector<std::string>& paths, const std::vector<ToldRank>& told, std::vector<ReadRank>& ranks);

/// Adds a run to those that are there; one that is so far away in time that the job's epoch does not fit begins with them.
bool add_run(Trace& trace, RankTrace&& run, const Interner& strings);

/// The number behind "rank" in a file's name, in any case, where that is a word of its own: 12 for "ddp.rank12.json.gz", 3 for "trace_RANK-3.json".
std::optional<std::int64_t> rank_in_name(std::string_view path);

}  // namespace orrery::trace
