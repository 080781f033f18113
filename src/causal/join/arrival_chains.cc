#include "causal/join/arrival_chains.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery::causal {
namespace {

/// With fewer arrivals per member to tell one by one, hubs would save nothing worth the nodes.
constexpr std::size_t kFewPerMember = 4;

class ArrivalChainMaker {
 public:
  ArrivalChainMaker(std::span<const JobPart> parts, std::span<const PartMoments> moments,
                    std::span<const std::uint8_t> everybody, bool cut_at_end)
      : parts_(parts), moments_(moments), everybody_(everybody), cut_at_end_(cut_at_end) {}

  void add(const JobOperation& operation) {
    // Below that the edges of all pairs are few.
    if (operation.count <= kMostWithoutChains || !find_waiters(operation)) return;
    std::size_t edges = 0;
    for (const Waiter& waiter : waiters_) edges += waiter.arrived;
    if (edges > kFewPerMember * operation.count) add_hubs();
  }

  ArrivalChains take() { return std::move(chains_); }

 private:
  struct Waiter {
    std::uint32_t part;
    std::uint32_t arrived;  ///< before it ended, itself perhaps included
  };

  /// Members that ended before the last came and need others than themselves; the order of arrivals with them.
  bool find_waiters(const JobOperation& operation) {
    const std::uint32_t last = operation.first + operation.count;
    TimePs latest = moments_[operation.first].served();
    for (std::uint32_t p = operation.first; p < last; ++p) {
      latest = std::max(latest, moments_[p].served());
      // A rank that takes part twice is not held by itself: as a hub its other arrival could not be told from those of
      // others.
      if (p > operation.first && parts_[p].rank == parts_[p - 1].rank) return false;
    }
    waiters_.clear();
    for (std::uint32_t p = operation.first; p < last; ++p) {
      if (everybody_[p] != 0 && is_cut(latest, p)) waiters_.push_back({p, 0});
    }
    if (waiters_.empty()) return false;
    order_.resize(operation.count);
    std::iota(order_.begin(), order_.end(), operation.first);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return moments_[a].served() < moments_[b].served(); });
    for (Waiter& waiter : waiters_) {
      const auto cut = std::partition_point(
          order_.begin(), order_.end(), [&](std::uint32_t p) { return !is_cut(moments_[p].served(), waiter.part); });
      waiter.arrived = static_cast<std::uint32_t>(cut - order_.begin());
    }
    std::erase_if(waiters_, [](const Waiter& waiter) { return waiter.arrived <= 1; });
    return !waiters_.empty();
  }

  void add_hubs() {
    if (chains_.hub_of.empty()) chains_.hub_of.assign(parts_.size(), ArrivalChains::kNoHub);
    std::sort(waiters_.begin(), waiters_.end(), [](const Waiter& a, const Waiter& b) { return a.arrived < b.arrived; });
    std::uint32_t told = 0;
    for (const Waiter& waiter : waiters_) {
      if (waiter.arrived > told) {
        const auto first = static_cast<std::uint32_t>(chains_.arrivals.size());
        chains_.arrivals.insert(chains_.arrivals.end(), order_.begin() + told, order_.begin() + waiter.arrived);
        chains_.hubs.push_back({first, static_cast<std::uint32_t>(chains_.arrivals.size()), waiter.arrived});
        told = waiter.arrived;
      }
      chains_.hub_of[waiter.part] = static_cast<std::uint32_t>(chains_.hubs.size() - 1);
    }
  }

  [[nodiscard]] bool is_cut(TimePs arrival, std::uint32_t part) const {
    return cut_at_end_ ? arrival >= moments_[part].end : arrival > moments_[part].end;
  }

  std::span<const JobPart> parts_;
  std::span<const PartMoments> moments_;
  std::span<const std::uint8_t> everybody_;
  bool cut_at_end_;
  ArrivalChains chains_;
  std::vector<Waiter> waiters_;       // of one operation
  std::vector<std::uint32_t> order_;  // its parts by arrival
};

}  // namespace

ArrivalChains chain_arrivals(std::span<const JobOperation> operations, std::span<const JobPart> parts,
                             std::span<const PartMoments> moments, std::span<const std::uint8_t> everybody,
                             bool cut_at_end) {
  ArrivalChainMaker maker(parts, moments, everybody, cut_at_end);
  for (const JobOperation& operation : operations) maker.add(operation);
  return maker.take();
}

}  // namespace orrery::causal
