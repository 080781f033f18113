// One rank as its file was read, before anything is known of the others: what a process that read it hands to the one
// that joins them.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::trace {

struct ReadRank {
  RankTrace rank;
  Interner strings;  ///< of `rank`
  Diagnostics diagnostics;
};

/// All of it as bytes, for another process of the same program; nothing is left out.
std::string to_bytes(const ReadRank& read);
/// An Error if these are not such bytes. `name` stands for them in it.
Result<ReadRank> read_rank_from_bytes(std::string_view bytes, const std::string& name);

}  // namespace orrery::trace
