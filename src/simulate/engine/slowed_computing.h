// Computing beside communication: an exchange runs as a kernel that takes units of the device, so that what computes
// beside it takes longer; only while both run.
//
// Each activity has work left, in picoseconds of computing alone, as of the last moment at which an exchange of its
// rank began or ended. From then on dt picoseconds do dt / slowdown of it, in integers: bit for bit the same anywhere.
// Where its end moves, a new event is put into the queue, and the old one means nothing when it comes.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/engine/run_state.h"
#include "simulate/event_queue.h"

namespace orrery::simulate {

class SlowedComputing {
 public:
  /// `slowdown` is at least 1. The queue must outlive it.
  SlowedComputing(double slowdown, std::size_t ranks, EndQueue& queue);

  /// Computing that takes `work_ps` alone; its end goes into the queue. False: it ends too late to be simulated.
  [[nodiscard]] bool begin(RankActivity place, TimePs work_ps, TimePs now);
  /// `change` more exchanges of the rank run: 1 or -1.
  [[nodiscard]] bool exchanges_change(std::uint32_t rank, int change, TimePs now);
  /// Whether computing ends with this event of the queue: if not, its end has moved since.
  bool ends(RankActivity place, TimePs now);

 private:
  struct Running {
    std::uint64_t activity;
    TimePs left_ps;  ///< of its work, at Rank::since
    TimePs end_ps;
  };
  struct Rank {
    std::uint32_t exchanges = 0;
    TimePs since = 0;
    std::vector<Running> running;  ///< as many as there are slots: few
  };

  [[nodiscard]] bool predict(std::uint32_t rank, Running& one);
  void work_until(Rank& rank, TimePs now) const;

  std::int64_t slowdown_;  // in parts of kOne
  std::vector<Rank> ranks_;
  EndQueue& queue_;
};

}  // namespace orrery::simulate
