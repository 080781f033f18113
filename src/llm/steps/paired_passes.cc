#include "llm/steps/paired_passes.h"

#include <algorithm>
#include <vector>

namespace orrery::llm {
namespace {

constexpr std::int32_t kNoItem = -1;

bool exchanges_tokens(const LayerItem& item) { return item.is_collective && item.axis == ParallelAxis::expert; }

/// Takes the items of one pass over into a schedule that it shares with another one.
class PassCursor {
 public:
  PassCursor(const LayerSchedule& items, LayerSchedule& into) : items_(items), into_(into) {}

  [[nodiscard]] bool has_more() const { return next_ < items_.size(); }

  /// Up to the next place where it would wait for tokens.
  void take_segment() {
    const std::size_t begin = next_;
    while (has_more()) {
      if (next_ > begin && waits_for_tokens(items_[next_])) return;
      if (take()) return;
    }
  }
  /// What is still under way when all items are taken.
  void settle() {
    if (pending_ != kNoItem) add_wait(pending_);
    pending_ = kNoItem;
  }

 private:
  [[nodiscard]] bool waits_for_tokens(const LayerItem& item) const {
    return std::any_of(item.waits_for.begin(), item.waits_for.end(), [&](std::int32_t place) {
      return place != kNoItem && exchanges_tokens(items_[static_cast<std::size_t>(place)]);
    });
  }

  void add_wait(std::int32_t place) {
    into_.push_back({.name = {.what = "wait"}});
    into_.back().waits_for[0] = place;
  }

  /// Returns whether the pass goes on only when this exchange has ended.
  bool take() {
    LayerItem item = items_[next_++];
    for (std::int32_t& place : item.waits_for) {
      if (place != kNoItem) place = places_[static_cast<std::size_t>(place)];
    }
    if (pending_ != kNoItem) {
      const auto free = std::find(item.waits_for.begin(), item.waits_for.end(), kNoItem);
      if (free != item.waits_for.end()) *free = pending_;
      else add_wait(pending_);
      // What runs beside the chain leaves it to the chain's next item to have waited.
      if (item.joins) pending_ = kNoItem;
    }
    const bool holds_up = exchanges_tokens(item) && item.joins;
    if (holds_up) item.joins = false;
    const auto place = static_cast<std::int32_t>(into_.size());
    places_.push_back(place);
    into_.push_back(item);
    if (holds_up) pending_ = place;
    return holds_up;
  }

  const LayerSchedule& items_;
  LayerSchedule& into_;
  std::size_t next_ = 0;
  std::vector<std::int32_t> places_;  // of items that were taken
  std::int32_t pending_ = kNoItem;    // the exchange that the next item waits for
};

}  // namespace

LayerSchedule pair_passes(const LayerSchedule& forward, const LayerSchedule& backward) {
  LayerSchedule schedule;
  schedule.reserve(forward.size() + backward.size() + 2);
  PassCursor of_backward(backward, schedule), of_forward(forward, schedule);
  while (of_backward.has_more() || of_forward.has_more()) {
    if (of_backward.has_more()) of_backward.take_segment();
    if (of_forward.has_more()) of_forward.take_segment();
  }
  of_backward.settle();
  of_forward.settle();
  return schedule;
}

}  // namespace orrery::llm
