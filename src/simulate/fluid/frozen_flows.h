// The flows frozen at each link, taken together.
//
// They have one rate, so that they are served alike: with s(t) the bytes that each was served since they came together,
// one with r bytes then is through when s(t) = r. A change of the level changes how fast s grows, and nothing about the
// flows: no flow is visited. And what a change of the level by d does to other links is d times the weight with which
// these flows cross them, summed up per link beforehand: flows with one bottleneck have many links in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "simulate/fluid/flow_table.h"
#include "simulate/link_series.h"

namespace orrery::simulate {

class FrozenFlows {
 public:
  /// With what weight the flows frozen at one link cross another, or that link itself.
  struct Crossing {
    double weight;
    std::uint32_t link;
    std::uint32_t count;  ///< flows
  };

  explicit FrozenFlows(FlowTable& table) : table_(table) {}

  /// Who is told what links carry, while nothing is frozen; nullptr: nobody.
  void set_recorder(LinkRecorder* recorder) { recorder_ = recorder; }
  /// Tells of what the flows frozen at the link moved until `now`: before their level, or who they are, changes.
  void record(std::uint32_t link, TimePs now) {
    if (recorder_ != nullptr) tell_recorder(link, now);
  }

  [[nodiscard]] std::span<const Crossing> crossings(std::uint32_t link) const {
    return link < sets_.size() ? std::span<const Crossing>(sets_[link].crossings) : std::span<const Crossing>();
  }

  /// Freezes flows that grow at the link, whose others were served until `now`; the bytes that they have left are those
  /// at `now`. Takes time proportional to their links, to the flows on this link and to its crossings.
  void freeze(std::uint32_t link, std::span<const std::uint32_t> flows, TimePs now);
  /// The flow is frozen nowhere any more; its remaining bytes are those at `now`. Takes time proportional to its links
  /// and the crossings.
  void thaw(std::uint32_t flow, TimePs now);
  /// What was served until `now` was at the present level: before that changes.
  void serve(std::uint32_t link, TimePs now);
  /// Bytes that are left at `now` of a frozen flow; of the one at the link that has the least.
  [[nodiscard]] double remaining(std::uint32_t flow, TimePs now) const;
  [[nodiscard]] double least_remaining(std::uint32_t link, TimePs now);
  /// When the present level began to hold, and what was left of a frozen flow then.
  [[nodiscard]] TimePs since_ps(std::uint32_t link) const { return sets_[link].since_ps; }
  [[nodiscard]] double remaining_then(std::uint32_t flow) const;

 private:
  struct Set {
    std::vector<Crossing> crossings;
    double served = 0;  ///< bytes, of each flow, until since_ps; their `remaining` still includes it
    TimePs since_ps = 0;
    double least = 0;  ///< of their `remaining`, if known
    bool least_is_known = false;
    std::uint16_t times_served = 0;
    std::uint16_t changes = 0;  ///< flows that came and left since the crossings were summed up
    TimePs recorded_ps = 0;     ///< until when the recorder was told, if there is one
  };
  struct Slot {
    std::uint32_t round = 0;
    std::uint32_t at = 0;
  };

  void settle(std::uint32_t link);
  void sum_up_crossings(std::uint32_t link);
  void find_slots(const Set& set);
  void add_crossings(Set& set, std::uint32_t flow);
  void remove_crossings(Set& set, std::uint32_t flow);
  void tell_recorder(std::uint32_t link, TimePs now);

  FlowTable& table_;
  LinkRecorder* recorder_ = nullptr;
  std::vector<Set> sets_;    ///< by link
  std::vector<Slot> slots_;  ///< by link: where it is among the crossings that were last looked at
  std::uint32_t round_ = 0;
};

}  // namespace orrery::simulate
