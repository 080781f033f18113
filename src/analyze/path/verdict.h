// What bounds a path, in one sentence that its own what-if holds.
//
// A path says where the time went, not what would be saved: where two things are equally long side by side, one of them
// is the path, and making it free saves next to nothing. So what is on the path most is made free and the graph solved
// again. Where that saves less than half of the share that the sentence claims, the sentence says what takes its place:
// "93 % GPU compute-bound, but the host is close behind: free kernels save 41 %".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causal/edge_kind.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

/// What a path can be said to be bound by: some kinds of time each.
enum class Bound : std::uint8_t {
  host,
  runtime,
  loading,
  compute,
  communication,
  copies,
  gaps,
  before,
  earlier,
  unknown
};
inline constexpr std::size_t kBounds = 10;

using KindTimes = std::array<TimePs, causal::kJobEdgeKinds>;  ///< by EdgeKind

struct BoundShare {
  Bound bound{};
  TimePs on_path = 0;
};
/// All of them, the largest first; of equals in the order of Bound.
std::vector<BoundShare> bound_shares(std::span<const TimePs> on_path);

/// The word of the edit language that stands for it: "kernel", "cpu". Empty where no edit takes it away: idle time, and
/// what was before.
std::string_view word_of(Bound bound);

/// The job without what binds it most.
struct Relief {
  Bound bound{};
  TimePs gain = 0;      ///< what `word_of(bound) remove` saves
  KindTimes on_path{};  ///< of the path that is the longest then
  TimePs length = 0;    ///< of that path
};
/// None where the path is bound by what no edit takes away. One more solution of the graph; edge types are EdgeKinds.
std::optional<Relief> relieve(const graph::Solution& solution, std::span<const TimePs> on_path, graph::NodeId end);

/// ", but the host is close behind: free kernels save 41 %"; empty where what it names saves at least half of its
/// share.
std::string but_clause(const Relief& relief, TimePs claimed, TimePs length);

/// "71 % CPU-bound, 12 % GPU compute-bound": every share of a tenth or more, of a whole of `length`, and the clause
/// where there is one. `device_type`: what computes there is called (DeviceReach::device_type).
std::string verdict(std::span<const TimePs> on_path, TimePs length, const std::optional<Relief>& relief = std::nullopt,
                    std::string_view device_type = "GPU");

}  // namespace orrery::analyze
