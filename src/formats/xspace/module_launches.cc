#include "formats/xspace/module_launches.h"

#include <algorithm>

namespace orrery::xspace {
namespace {

using trace::EventIndex;
using trace::Field;

constexpr EventIndex kNone = ~EventIndex{0};

// Correlations are told apart from "none" by not being negative, and from those of a device tracer, which count from 1,
// by their size.
std::int64_t correlation_of(const ModuleLaunches::Key& key) {
  const auto mixed =
      (static_cast<std::uint64_t>(key.scope) + 1) * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(key.number);
  return static_cast<std::int64_t>((mixed & ((std::uint64_t{1} << 62) - 1)) | std::uint64_t{1} << 61);
}

// Adds values for events that have none yet; the column stays in the order of events.
void merge_into(trace::SparseColumn& column, std::vector<std::pair<EventIndex, std::int64_t>> added) {
  std::sort(added.begin(), added.end());
  trace::SparseColumn merged;
  std::size_t i = 0;
  for (const auto& [event, value] : added) {
    for (; i < column.event.size() && column.event[i] < event; ++i) merged.push(column.event[i], column.value[i]);
    const bool is_there = (i < column.event.size() && column.event[i] == event) ||
                          (!merged.event.empty() && merged.event.back() == event);
    if (!is_there) merged.push(event, value);
  }
  for (; i < column.event.size(); ++i) merged.push(column.event[i], column.value[i]);
  column = std::move(merged);
}

}  // namespace

void ModuleLaunches::add_module(std::size_t plane, TimePs start, TimePs end, std::optional<Key> context,
                                std::optional<Key> run) {
  modules_.push_back({plane, start, end, context, run, {}, kNone});
}

void ModuleLaunches::find_call(const trace::RankTrace& rank, Module& module) const {
  for (const std::optional<Key>& key : {module.context, module.run}) {
    if (!key) continue;
    module.matched = *key;
    // Several events of the host may have the number of the run: the last that began before the module enqueued it. A
    // context has one producer, which may seem to be late where the clocks of host and device disagree.
    auto at = std::lower_bound(calls_.begin(), calls_.end(), Call{*key, 0});
    for (; at != calls_.end() && at->key == *key; ++at) {
      const bool is_before = rank.start[at->row] <= module.start;
      if (!is_before && !key->is_context) continue;
      if (module.call == kNone || (is_before && rank.start[at->row] > rank.start[module.call])) module.call = at->row;
    }
    if (module.call != kNone) return;
  }
}

std::vector<EventIndex> ModuleLaunches::tie(trace::RankTrace& rank) {
  std::vector<EventIndex> used;
  if (cores_.empty() || modules_.empty() || calls_.empty()) return used;
  std::sort(calls_.begin(), calls_.end());
  for (Module& module : modules_) find_call(rank, module);
  std::erase_if(modules_, [](const Module& module) { return module.call == kNone; });
  const auto place = [](const Module& module) { return std::tuple(module.plane, module.start, module.end); };
  std::sort(modules_.begin(), modules_.end(), [&](const Module& a, const Module& b) { return place(a) < place(b); });
  constexpr std::size_t kNoPlane = ~std::size_t{0};
  std::vector<std::size_t> plane_of(rank.lanes.size(), kNoPlane);
  for (const Core& core : cores_) plane_of[core.lane] = core.plane;

  std::vector<std::pair<EventIndex, std::int64_t>> added;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const std::size_t plane = plane_of[rank.lane[e]];
    if (plane == kNoPlane) continue;
    const auto after = std::upper_bound(
        modules_.begin(), modules_.end(), std::pair(plane, rank.start[e]),
        [](const auto& at, const Module& module) { return at < std::pair(module.plane, module.start); });
    if (after == modules_.begin()) continue;
    const Module& module = *(after - 1);
    if (module.plane != plane || rank.start[e] >= module.end) continue;
    const std::int64_t correlation = correlation_of(module.matched);
    added.emplace_back(e, correlation);
    added.emplace_back(module.call, correlation);
    used.push_back(module.call);
  }
  merge_into(rank.field(Field::correlation), std::move(added));
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace orrery::xspace
