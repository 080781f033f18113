// One rank of a job as joining needs it, when its trace is gone: a reduced graph, and the events that tell whom it
// communicated with.
//
// What a job of many ranks takes in memory are these: some hundred bytes per communication. They can be made by one
// process and joined by another, from files (docs/formats/skeleton.md).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "base/io/gzip.h"
#include "base/result.h"
#include "causal/join/join_ranks.h"
#include "match/exchange.h"
#include "trace/trace.h"

namespace orrery::causal {

struct ReducedRank {
  trace::RankTrace events;  ///< communications, and the calls that asked for them
  Interner strings;         ///< of `events`
  RankGraph to_join;        ///< reduced or whole; events are numbered as in `events`, times count as there
};

/// What stays of the graph of a rank's window.
enum class Reduction : std::uint8_t {
  reduced,  ///< what others can tell of it: exact for all that ranks do to one another
  none,     ///< all of it: the job is the same graph as one that was made of whole traces
};

/// `trace` has the rank; `step` is the graph of a window of it. Only what is needed of the texts stays.
ReducedRank reduce_rank(const trace::Trace& trace, const trace::RankTrace& rank, RankGraph step,
                        const JoinOptions& options, Reduction reduction = Reduction::reduced);

/// Puts the events of all ranks into one trace, by rank, and their windows on its epoch; the steps of the ranks follow
/// in the same order. An Error names two that are of one rank, or whose clocks are too far apart. Takes the events out
/// of `ranks`.
struct GatheredRanks {
  trace::Trace trace;
  std::vector<RankGraph> to_join;
};
Result<GatheredRanks> gather(std::vector<ReducedRank> ranks);
/// The same rank again, made of another window or with other times.
Status replace(GatheredRanks& gathered, std::size_t place, ReducedRank rank);

/// The same rank gives the same bytes. Written aside and renamed into place.
Status save_rank(const ReducedRank& rank, const std::string& path);
/// The bytes of that file, for another process.
std::string rank_bytes(const ReducedRank& rank);
/// Refuses a foreign, newer, truncated or damaged file, and one whose parts do not fit together, with the byte
/// position.
Result<ReducedRank> load_rank(const std::string& path);
Result<ReducedRank> load_rank_from_bytes(std::string_view bytes, const std::string& name);

// A reduced rank that waits for the others of its job.
//
// Ranks are read two at a time, and those that were read wait for the rest: in a job of many ranks they are what memory
// grows by. Packed, as the compressed bytes of its file, a reduced graph takes a quarter of the room.

class WaitingRank {
 public:
  WaitingRank() = default;
  explicit WaitingRank(ReducedRank rank) : rank_(std::move(rank)) {}

  /// For a reduced graph: a whole graph takes as long to pack as to be made.
  void pack();
  /// Not of a packed one.
  [[nodiscard]] const ReducedRank& rank() const { return rank_; }
  /// As it was before it was packed; can be asked for once.
  ReducedRank take();

 private:
  ReducedRank rank_;
  Compressed packed_;
};

}  // namespace orrery::causal
