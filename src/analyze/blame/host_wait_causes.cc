#include "analyze/blame/host_wait_causes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/distribution.h"
#include "causal/host/host_communication.h"

// Handoffs are turned into two sorted lists, of what started a lane at a boundary and of what a lane waited for in a
// segment, with a mark per boundary that says whether there is anything to look up. The walk then goes back in time
// from lane to lane, and every stretch of it is one cause.

namespace orrery::analyze {
namespace {

using causal::EdgeKind;
using causal::kNoWork;

constexpr StringId kNoName = ~StringId{0};
constexpr std::string_view kStepPrefix = "ProfilerStep#";

template <typename Item>
const Item* find_key(const std::vector<Item>& items, std::uint32_t lane, std::uint32_t place) {
  const std::uint64_t key = std::uint64_t{lane} << 32 | place;
  // Most boundaries have none: the marks are asked before this search.
  const auto at = std::lower_bound(items.begin(), items.end(), key,
                                   [](const Item& item, std::uint64_t k) { return item.key() < k; });
  return at != items.end() && at->key() == key ? &*at : nullptr;
}

}  // namespace

std::vector<HostWaitCause> HostWaitCauses::take(const DeviceRank& devices) const {
  std::vector<HostWaitCause> causes;
  causes.reserve(sums_.size());
  std::map<EdgeKind, std::size_t> of_steps;  // the cause that stands for all of them
  for (const auto& [key, sum] : sums_) {
    const auto id = static_cast<StringId>(key >> 8);
    const auto kind = static_cast<EdgeKind>(key & 0xFF);
    const std::string_view name = id == kNoName ? std::string_view() : devices.trace->strings.text(id);
    // Every step has its own name, and nobody wants a row for each.
    if (!name.starts_with(kStepPrefix)) {
      causes.push_back({kind, std::string(name), sum.pieces, sum.time});
      continue;
    }
    const auto [place, is_new] = of_steps.try_emplace(kind, causes.size());
    if (is_new) causes.push_back({kind, std::string(kStepPrefix), 0, 0});
    causes[place->second].pieces += sum.pieces;
    causes[place->second].time = plus_capped(causes[place->second].time, sum.time);
  }
  std::sort(causes.begin(), causes.end(), [](const HostWaitCause& a, const HostWaitCause& b) {
    return a.time != b.time ? a.time > b.time : std::tie(a.name, a.kind) < std::tie(b.name, b.kind);
  });
  return causes;
}

HostHistory::HostHistory(const DeviceRank& devices)
    : devices_(devices),
      communication_(*devices.trace, *devices.rank),
      lanes_(causal::make_host_lanes(*devices.trace, *devices.rank, devices.window, devices.content)),
      lane_number_(devices.rank->lanes.size(), kNoWork) {
  for (std::uint32_t l = 0; l < lanes_.size(); ++l) lane_number_[lanes_[l].lane] = l;
  causal::Handoffs handoffs =
      causal::find_handoffs(*devices.trace, *devices.rank, lanes_, communication_,
                            causal::find_asked_collectives(*devices.trace, *devices.rank, devices.content));
  marks_ = std::move(handoffs.own_pause);
  for (std::vector<std::uint8_t>& of_lane : marks_) of_lane.push_back(0);
  add_starts(handoffs);
  add_waits(handoffs);
}

void HostHistory::add_starts(const causal::Handoffs& handoffs) {
  for (const causal::Handoff& wait : handoffs.waits) {
    if (wait.given_at)
      starts_.push_back({wait.worker, *wait.given_at, wait.waiter, lanes_[wait.waiter].boundary_time(wait.segment)});
  }
  for (const causal::WakeUp& wake : handoffs.wakes)
    starts_.push_back({wake.worker, wake.woken_at, wake.waker, lanes_[wake.waker].boundary_time(wake.waker_at)});
  for (const causal::CollectiveStart& start : handoffs.starts) {
    const causal::HostLane& worker = lanes_[start.worker];
    const bool is_first = start.begins_at == 0;
    // A worker that was busy until then began because it was done, not because of the call.
    if (!is_first && worker.top(start.begins_at - 1) != causal::kNoEvent) continue;
    const TimePs called = lanes_[start.caller].boundary_time(start.call_at);
    if (!is_first && called < worker.boundary_time(start.begins_at - 1)) continue;
    starts_.push_back({start.worker, start.begins_at, start.caller, called});
  }
  // Of several the latest: it is what the work waited for.
  std::sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) {
    return std::tuple(a.key(), -a.from_time, a.from_lane) < std::tuple(b.key(), -b.from_time, b.from_lane);
  });
  for (const Start& start : starts_) marks_[start.lane][start.boundary] |= kStarts;
}

void HostHistory::add_waits(const causal::Handoffs& handoffs) {
  for (const causal::Handoff& wait : handoffs.waits)
    waits_.push_back({wait.waiter, wait.segment, wait.worker, lanes_[wait.worker].boundary_time(wait.back_at)});
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return std::tuple(a.key(), -a.released, a.worker) < std::tuple(b.key(), -b.released, b.worker);
  });
  for (const Wait& wait : waits_) marks_[wait.lane][wait.segment] |= kWaits;
}

const HostHistory::Start* HostHistory::start_at(std::uint32_t lane, std::uint32_t boundary) const {
  return (marks_[lane][boundary] & kStarts) == 0 ? nullptr : find_key(starts_, lane, boundary);
}

const HostHistory::Wait* HostHistory::wait_at(std::uint32_t lane, std::uint32_t segment) const {
  return (marks_[lane][segment] & kWaits) == 0 ? nullptr : find_key(waits_, lane, segment);
}

void HostHistory::walk(TimePs begin, TimePs end, std::uint32_t next, HostWaitCauses& causes) const {
  const trace::EventIndex call = next == kNoWork ? causal::kNoEvent : devices_.timeline.works[next].call;
  std::uint32_t lane = call == causal::kNoEvent ? 0 : lane_number_[devices_.rank->lane[call]];
  if (lane == kNoWork) lane = 0;
  TimePs now = end;
  std::uint32_t known_lane = kNoWork, known_boundary = 0;
  const auto go_back = [&](TimePs to, EdgeKind kind, StringId name) {
    const TimePs until = std::max(to, begin);
    if (until >= now) return;
    causes.add(kind, name, now - until);
    now = until;
  };
  // Going to another lane may take no time; two that point at one another at one moment must not keep us here.
  constexpr int kMostHops = 64;
  for (int hops = 0; now > begin && lane < lanes_.size() && hops < kMostHops;) {
    const TimePs before = now;
    const causal::HostLane& of = lanes_[lane];
    if (now > of.end()) {
      go_back(of.end(), EdgeKind::cpu_untraced, kNoName);
    } else if (now <= of.begin()) {
      if (const Start* const start = start_at(lane, 0);
          start != nullptr && now == of.begin() && start->from_time <= now) {
        go_back(start->from_time, EdgeKind::handoff, kNoName);
        lane = start->from_lane;
      } else if (of.is_main || lane == 0) {
        go_back(begin, EdgeKind::cpu_untraced, kNoName);
      } else {
        lane = 0;  // before a helper's first event the main thread had not given it anything
      }
    } else {
      // The segment that ends at, or contains, this moment.
      const bool is_known = known_lane == lane && of.boundary_time(known_boundary) == now;
      const std::uint32_t boundary = is_known ? known_boundary : of.last_boundary_until(now);
      const bool at_boundary = of.boundary_time(boundary) == now;
      const std::uint32_t number = at_boundary ? boundary - 1 : boundary;
      const causal::Segment segment = of.segment(number);
      const Start* const start = at_boundary ? start_at(lane, boundary) : nullptr;
      const Wait* const wait = at_boundary ? wait_at(lane, number) : nullptr;
      if (start != nullptr && start->from_time <= now) {
        go_back(start->from_time, EdgeKind::handoff, kNoName);
        lane = start->from_lane;
      } else if (wait != nullptr && wait->released <= now && wait->released > segment.begin) {
        go_back(wait->released, EdgeKind::handoff, kNoName);
        lane = wait->worker;
      } else {
        // Mostly it goes on where this segment began: no need to look for that.
        known_lane = lane, known_boundary = number;
        const bool is_own_pause = (marks_[lane][number] & kOwnPause) != 0;
        go_back(segment.begin,
                is_own_pause
                    ? EdgeKind::cpu_untraced
                    : causal::kind_of_segment(*devices_.trace, *devices_.rank, communication_, segment, of.is_main),
                segment.top == causal::kNoEvent ? kNoName : devices_.rank->name[segment.top]);
      }
    }
    // Only steps that take no time are counted.
    hops = now < before ? 0 : hops + 1;
  }
  go_back(begin, EdgeKind::cpu_untraced, kNoName);
}

}  // namespace orrery::analyze
