// From operations to plans: checks the group, picks the algorithm, and remembers what was worked out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "machine/topology/network.h"
#include "simulate/collective/algorithm.h"
#include "simulate/collective/plan.h"
#include "simulate/network_model.h"
#include "workload/workload.h"

namespace orrery::simulate {

// Gives every set of ranks a small number, after checking that it is a group at all.

/// Each distinct list is checked and sorted once; finding it again costs a hash over the list.
class GroupTable {
 public:
  using GroupId = std::uint32_t;

  explicit GroupTable(std::uint32_t device_count) : device_count_(device_count) {}

  /// The same number for every order of the same ranks. An Error if there are none, or one is named twice or is not a
  /// device.
  Result<GroupId> intern(std::span<const std::uint32_t> ranks);

  /// Ascending.
  [[nodiscard]] std::span<const std::uint32_t> ranks(GroupId group) const { return groups_[group]; }

 private:
  using Ranks = std::vector<std::uint32_t>;
  struct RanksHash {
    using is_transparent = void;
    std::size_t operator()(std::span<const std::uint32_t> ranks) const;
  };
  struct RanksEqual {
    using is_transparent = void;
    bool operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const;
  };

  std::uint32_t device_count_;
  std::vector<Ranks> groups_;                                          ///< by GroupId, ascending
  std::unordered_map<Ranks, GroupId, RanksHash, RanksEqual> by_list_;  ///< in every order seen so far, and ascending
};

/// What an operation moves, to be multiplied with PlanPhase::bytes_per_byte: its size, but nothing for a barrier.
double bytes_moved(const CommOp& op);

/// Plans are kept by collective, algorithm, group (as a set of ranks), root and flow; they do not depend on the size,
/// nor on the order of the ranks. Of messages and of the automatic choice those asked for last are kept. Not
/// thread-safe.
class Lowering {
 public:
  using SharedPlan = std::shared_ptr<const Plan>;

  /// Ranks beyond which `direct` among all pairs is refused, and `automatic` does not look at it: n^2 routes would take
  /// seconds.
  static constexpr std::size_t kMaxDirectRanks = 4096;
  static constexpr std::size_t kMaxAdaptiveDirectRanks = 512;  ///< where routes are chosen by load, which takes longer

  Lowering(machine::Network network, CommOptions options);

  /// With the algorithm that the operation or else the options name for the collective. What is done at once has a plan
  /// without phases: a group of one rank, a message to oneself, a collective of 0 bytes unless it is a barrier. (A
  /// message of 0 bytes is still a message.) An Error says what is wrong with the operation, or why the algorithm
  /// cannot do it. `traffic` is what is under way, in transfers by link; empty for nothing. Adaptive routing leads
  /// messages round it; collectives balance their own transfers only, so that their plans can be kept.
  Result<SharedPlan> plan(const CommOp& op, std::span<const double> traffic = {});
  Result<SharedPlan> plan(const CommOp& op, Algorithm algorithm, std::span<const double> traffic = {});

  /// For shares that somebody made of those of plans, and keeps.
  [[nodiscard]] RouteNumber new_route() { return ++routes_; }

  [[nodiscard]] const machine::Network& network() const { return weights_.network(); }
  [[nodiscard]] const CommOptions& options() const { return options_; }

 private:
  struct Key {
    std::uint64_t flow = 0;
    GroupTable::GroupId group = 0;
    std::uint32_t root = 0;  ///< a rank; 0 unless rooted
    workload::Collective collective = workload::Collective::all_reduce;
    Algorithm algorithm = Algorithm::automatic;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  /// What was planned last for a collective of a flow: a job asks for the same over and over.
  struct RecentPlan {
    SharedPlan plan;  ///< null: nothing yet
    std::uint64_t flow = 0;
    std::int64_t bytes = 0;
    GroupTable::GroupId group = 0;
    std::uint32_t root = 0;  ///< as CommOp::root
    workload::Collective collective = workload::Collective::all_reduce;
    Algorithm algorithm = Algorithm::automatic;
  };
  /// What was planned last for messages between two devices.
  struct RecentRoute {
    SharedPlan plan;  ///< null: nothing yet
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    bool asks_first = false;
  };
  /// So many routes share a set: with one, the neighbours of a pipeline push each other out all the time, however many
  /// places there are.
  static constexpr std::size_t kRoutesOfSet = 4;

  [[nodiscard]] RecentPlan& recent_plan(const CommOp& op);
  [[nodiscard]] bool is_for(const RecentPlan& recent, const CommOp& op, Algorithm algorithm) const;
  /// Where such messages are kept: those of the set, the last planned first. Empty where messages between the same
  /// devices may take different ways.
  [[nodiscard]] std::span<RecentRoute> recent_routes(std::uint32_t source, std::uint32_t target, bool asks_first);
  Result<SharedPlan> message_plan(const CommOp& op, std::span<const double> traffic);
  /// Not kept: its parts are its own.
  Result<SharedPlan> unequal_plan(const CommOp& op);
  /// One that is known already, or made now.
  Result<SharedPlan> collective_plan(const Key& key);
  /// Of the algorithms that apply, the cheapest for `bytes`.
  Result<SharedPlan> cheapest_plan(const Key& key, double bytes);
  Result<std::vector<PlanPhase>> make_phases(const Key& key);
  [[nodiscard]] Status check_applies(Algorithm algorithm, workload::Collective collective, std::size_t ranks) const;
  [[nodiscard]] bool worth_looking_at(Algorithm algorithm, workload::Collective collective,
                                      std::span<const std::uint32_t> ranks) const;

  CommOptions options_;
  LinkWeights weights_;
  GroupTable groups_;
  SharedPlan nothing_;
  RouteNumber routes_ = kNoRoute;           ///< the last one given
  std::vector<RecentPlan> recent_plans_;    ///< by flow and collective, one over the other
  std::vector<RecentRoute> recent_routes_;  ///< by source and target, in sets of kRoutesOfSet
  std::unordered_map<Key, SharedPlan, KeyHash> plans_;
  std::unordered_map<Key, std::vector<SharedPlan>, KeyHash>
      candidates_;  ///< of the automatic choice, in the order of Algorithm
};

/// One phase of an operation of a known size.
struct Phase {
  double bytes = 0;               ///< of one transfer; a fraction where the size is not divisible
  std::vector<LinkShare> shares;  ///< as in PlanPhase
  TimePs alpha_ps = 0;
  std::uint32_t steps = 1;
};

/// The phases of one operation, without its launch: for tests and tools that want one answer.
Result<std::vector<Phase>> lower(const CommOp& op, Algorithm algorithm, const machine::Network& network,
                                 const CommOptions& options = {});

}  // namespace orrery::simulate
