#include "analyze/capture/graph_launches.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

// Works are grouped by their call, then each launch gets its order, then a name of its content: numbers of (what it is,
// its name, grid and block), each distinct one once, so that launches are compared as lists of small numbers.

namespace orrery::analyze {

using causal::DeviceTimeline;
using trace::EventIndex;
using trace::Field;

bool is_graph_launch(std::string_view call) { return call.ends_with("GraphLaunch"); }

namespace {

/// Places of nodes are the low half of their numbers: the upper half is the graph's in some writers, and 0 in others.
constexpr std::int64_t kNodePlace = 0xffff'ffff;

class LaunchFinder {
 public:
  LaunchFinder(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline)
      : trace_(trace),
        rank_(rank),
        timeline_(timeline),
        grids_(dense_of(Field::grid_text)),
        blocks_(dense_of(Field::block_text)) {}

  GraphLaunches find() {
    found_.launch_of_work.assign(timeline_.works.size(), GraphLaunches::kNoLaunch);
    group_by_call();
    for (GraphLaunch& launch : found_.launches) order_works(launch);
    for (std::uint32_t l = 0; l < found_.launches.size(); ++l) {
      name_graph(l);
      for (const std::uint32_t w : found_.works_of(found_.launches[l])) found_.launch_of_work[w] = l;
    }
    return std::move(found_);
  }

 private:
  void group_by_call() {
    GraphLaunchNames names(trace_.strings);
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const EventIndex call = timeline_.works[w].call;
      if (call != causal::kNoEvent && names.contains(rank_.name[call])) found_.works.push_back(w);
    }
    // Works of a timeline are by start, which stays so below each call.
    const auto key = [&](std::uint32_t w) { return std::pair(timeline_.works[w].call_start, timeline_.works[w].call); };
    const auto is_earlier = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
    // On one stream they mostly are in order already.
    if (!std::is_sorted(found_.works.begin(), found_.works.end(), is_earlier))
      std::stable_sort(found_.works.begin(), found_.works.end(), is_earlier);
    for (std::uint32_t i = 0; i < found_.works.size(); ++i) {
      const causal::DeviceWork& work = timeline_.works[found_.works[i]];
      if (found_.launches.empty() || found_.launches.back().call != work.call)
        found_.launches.push_back({work.call, timeline_.queues[work.queue].device, 0, i, 0, false});
      ++found_.launches.back().count;
    }
    std::stable_sort(found_.launches.begin(), found_.launches.end(),
                     [](const GraphLaunch& a, const GraphLaunch& b) { return a.device < b.device; });
  }

  std::span<std::uint32_t> works_of(const GraphLaunch& launch) {
    return std::span(found_.works).subspan(launch.first, launch.count);
  }

  /// By the numbers of the nodes, if each work has its own.
  void order_works(GraphLaunch& launch) {
    const trace::SparseColumn& nodes = rank_.field(Field::graph_node);
    if (nodes.event.empty()) return;
    std::vector<std::pair<std::int64_t, std::uint32_t>> placed;
    for (const std::uint32_t w : works_of(launch)) {
      const auto node = nodes.find(timeline_.works[w].event);
      if (!node) return;
      placed.emplace_back(*node & kNodePlace, w);
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto same = std::adjacent_find(placed.begin(), placed.end(),
                                         [](const auto& a, const auto& b) { return a.first == b.first; });
    // Recorders write 0 where they do not know: two works are never one node.
    if (same != placed.end()) return;
    std::transform(placed.begin(), placed.end(), works_of(launch).begin(), [](const auto& p) { return p.second; });
    launch.has_node_order = true;
  }

  /// Empty where no event has the field: then nothing is looked up.
  [[nodiscard]] Column<std::int64_t> dense_of(Field field) const {
    const trace::SparseColumn& column = rank_.field(field);
    return column.event.empty() ? Column<std::int64_t>() : column.dense(rank_.event_count(), 0);
  }

  std::uint32_t content_of(std::uint32_t w) {
    const EventIndex event = timeline_.works[w].event;
    const std::array<std::int64_t, 4> what = {static_cast<std::int64_t>(rank_.activity(event)), rank_.name[event],
                                              grids_.empty() ? 0 : grids_[event], blocks_.empty() ? 0 : blocks_[event]};
    return contents_.emplace(what, static_cast<std::uint32_t>(contents_.size())).first->second;
  }

  std::int64_t graph_number(const GraphLaunch& launch) {
    const trace::SparseColumn& numbers = rank_.field(Field::graph);
    if (numbers.event.empty()) return 0;
    std::int64_t number = 0;
    for (const std::uint32_t w : works_of(launch)) {
      const std::int64_t own = numbers.find(timeline_.works[w].event).value_or(0);
      if (own == 0 || (number != 0 && own != number)) return 0;
      number = own;
    }
    return number;
  }

  void name_graph(std::uint32_t l) {
    GraphLaunch& launch = found_.launches[l];
    std::vector<std::uint32_t> queues;
    std::vector<std::uint32_t> content = {0};  // what follows is a number of the recorder, or a list of contents
    for (const std::uint32_t w : works_of(launch)) {
      if (!timeline_.works[w].by_device) queues.push_back(timeline_.works[w].queue);
    }
    std::sort(queues.begin(), queues.end());
    queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
    const std::int64_t id = graph_number(launch);
    if (id != 0) {
      content = {1, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32)};
    } else {
      for (const std::uint32_t w : works_of(launch)) content.push_back(content_of(w));
      if (queues.size() > 1) std::sort(content.begin() + 1, content.end());
    }
    const auto [at, is_new] =
        graphs_.emplace(std::pair(launch.device, std::move(content)), static_cast<std::uint32_t>(graphs_.size()));
    if (is_new) found_.graphs.push_back({id, l, 0, launch.count, static_cast<std::uint32_t>(queues.size())});
    launch.graph = at->second;
    ++found_.graphs[launch.graph].launches;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  GraphLaunches found_;
  struct ContentHash {
    std::size_t operator()(const std::array<std::int64_t, 4>& what) const {
      std::uint64_t hash = 0;
      for (const std::int64_t part : what) hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15ull;
      return hash ^ hash >> 32;
    }
  };
  Column<std::int64_t> grids_, blocks_;  // per event
  std::unordered_map<std::array<std::int64_t, 4>, std::uint32_t, ContentHash> contents_;
  std::map<std::pair<std::int64_t, std::vector<std::uint32_t>>, std::uint32_t> graphs_;
};

}  // namespace

GraphLaunches find_graph_launches(const trace::Trace& trace, const trace::RankTrace& rank,
                                  const DeviceTimeline& timeline) {
  return LaunchFinder(trace, rank, timeline).find();
}

}  // namespace orrery::analyze
