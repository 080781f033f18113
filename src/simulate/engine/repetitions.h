// What a job does again and again, so that it has to be executed once.
//
// A job stands still at a moment at which every rank has ended all of the window that it is in, nothing is in flight,
// and nothing of the next windows has begun: when a collective of all ranks ends a step, say. Whatever happens from
// there follows from the windows to come alone, since nothing else is left of the past (NetworkModel::is_at_rest). If
// each program runs one window until the job stands still again, then what lies between is a stretch; and wherever the
// job stands still before windows with the same content (WorkloadSource::next_content), the same stretch follows: all
// times are moved by the same whole number of picoseconds, and all orders stay as they are. So it is passed over,
// exactly: the clock moves by its length, and what it adds to the counts of ranks, links and the sink is added as often
// as it came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/units.h"
#include "simulate/engine/window_supply.h"
#include "simulate/network_model.h"
#include "simulate/schedule.h"

namespace orrery::simulate {

/// By program: the contents of the windows that come next; kNoWindow where there is none, because nobody runs it any
/// more.
using Contents = std::vector<std::uint64_t>;

/// A stretch that was executed, and how often it was passed over.
struct Stretch {
  struct LinkDifference {
    machine::LinkId link = 0;
    LinkCount count;
  };

  TimePs length_ps = 0;
  std::uint64_t done = 0;             ///< activities of the executed ranks
  std::vector<WindowExtent> windows;  ///< by program
  std::vector<RankUse> ranks;         ///< by class; without finish_ps
  std::vector<LinkDifference> links;  ///< of those that carried anything
  std::size_t part = 0;               ///< of the ScheduleSink
  std::uint64_t times_passed = 0;
};

class Repetitions {
 public:
  /// Null unless it was executed and kept.
  Stretch* find(const Contents& contents);
  /// Whether it is worth being kept when it is executed now: it came before, so that it may come again, and there is
  /// room. Jobs of which nothing comes again are left alone.
  bool is_worth_keeping(const Contents& contents);
  void keep(const Contents& contents, Stretch stretch);
  [[nodiscard]] const std::deque<Stretch>& all() const { return stretches_; }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 29;

  struct Hash {
    std::size_t operator()(const Contents& contents) const;
  };

  std::unordered_map<Contents, Stretch*, Hash> kept_;
  std::deque<Stretch> stretches_;
  std::unordered_set<std::size_t> came_before_;  // hashes: one taken for another costs a stretch that is kept in vain
  std::size_t bytes_ = 0;
};

}  // namespace orrery::simulate
