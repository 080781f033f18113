#include "analyze/capture/graph_launches.h"

#include <algorithm>
#include <array>
#include <limits>
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
        graphs_of_works_(rank.field(Field::graph)),
        nodes_(rank.field(Field::graph_node)),
        grids_(rank.field(Field::grid_text)),
        blocks_(rank.field(Field::block_text)) {}

  GraphLaunches find() {
    found_.launch_of_work.assign(timeline_.works.size(), GraphLaunches::kNoLaunch);
    group_by_call();
    // One launch after the other, whose works then lie in a cache.
    for (std::uint32_t l = 0; l < found_.launches.size(); ++l) {
      order_works(found_.launches[l]);
      name_graph(l);
      for (const std::uint32_t w : found_.works_of(found_.launches[l])) found_.launch_of_work[w] = l;
    }
    return std::move(found_);
  }

 private:
  void group_by_call() {
    GraphLaunchNames names(trace_.strings);
    const auto key = [&](std::uint32_t w) { return std::pair(timeline_.works[w].call_start, timeline_.works[w].call); };
    const auto is_earlier = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
    EventIndex last = causal::kNoEvent;
    bool is_graph = false, is_sorted = true;
    found_.works.reserve(timeline_.works.size());
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const EventIndex call = timeline_.works[w].call;
      // Works of a call mostly come in a row, and the calls of one stream in order.
      if (call != last) {
        last = call, is_graph = call != causal::kNoEvent && names.contains(rank_.name[call]);
        if (is_graph && !found_.works.empty()) is_sorted &= !is_earlier(w, found_.works.back());
        if (is_graph) add_launch(w);
      }
      if (is_graph) found_.works.push_back(w);
    }
    if (!is_sorted) {
      // Works of a timeline are by start, which stays so below each call.
      std::vector<std::uint32_t> works = std::move(found_.works);
      std::stable_sort(works.begin(), works.end(), is_earlier);
      found_.works.clear(), found_.launches.clear();
      for (const std::uint32_t w : works) add_launch(w), found_.works.push_back(w);
    }
    for (std::size_t l = 0; l < found_.launches.size(); ++l) {
      const bool is_last = l + 1 == found_.launches.size();
      const std::size_t end = is_last ? found_.works.size() : found_.launches[l + 1].first;
      found_.launches[l].count = static_cast<std::uint32_t>(end - found_.launches[l].first);
    }
    std::stable_sort(found_.launches.begin(), found_.launches.end(),
                     [](const GraphLaunch& a, const GraphLaunch& b) { return a.device < b.device; });
  }

  /// Of the call of `w`, its first work, if it is not the launch at hand.
  void add_launch(std::uint32_t w) {
    const causal::DeviceWork& work = timeline_.works[w];
    if (!found_.launches.empty() && found_.launches.back().call == work.call) return;
    const auto first = static_cast<std::uint32_t>(found_.works.size());
    found_.launches.push_back({work.call, timeline_.queues[work.queue].device, 0, first, 0, false});
  }

  std::span<std::uint32_t> works_of(const GraphLaunch& launch) {
    return std::span(found_.works).subspan(launch.first, launch.count);
  }

  /// By the numbers of the nodes, if each work has its own.
  void order_works(GraphLaunch& launch) {
    if (rank_.field(Field::graph_node).event.empty()) return;
    placed_.clear();
    bool is_ordered = true;
    for (const std::uint32_t w : works_of(launch)) {
      const std::int64_t node = nodes_.find(timeline_.works[w].event, kNoNumber);
      if (node == kNoNumber) return;
      is_ordered &= placed_.empty() || placed_.back().first < (node & kNodePlace);
      placed_.emplace_back(node & kNodePlace, w);
    }
    // On one stream nodes mostly run in the order of their numbers.
    launch.has_node_order = is_ordered;
    if (is_ordered) return;
    std::stable_sort(placed_.begin(), placed_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto same = std::adjacent_find(placed_.begin(), placed_.end(),
                                         [](const auto& a, const auto& b) { return a.first == b.first; });
    // Recorders write 0 where they do not know: two works are never one node.
    if (same != placed_.end()) return;
    std::transform(placed_.begin(), placed_.end(), works_of(launch).begin(), [](const auto& p) { return p.second; });
    launch.has_node_order = true;
  }

  std::uint32_t content_of(std::uint32_t w) {
    const EventIndex event = timeline_.works[w].event;
    const std::array<std::int64_t, 4> what = {static_cast<std::int64_t>(rank_.activity(event)), rank_.name[event],
                                              grids_.find(event, 0), blocks_.find(event, 0)};
    // Launches of a graph have the same works in the same order: what followed the last one before is compared first.
    if (next_[last_] == kNoContent || numbered_[next_[last_]] != what) {
      const auto [at, is_new] = contents_.try_emplace(what, static_cast<std::uint32_t>(numbered_.size()));
      if (is_new) numbered_.push_back(what), next_.push_back(kNoContent);
      next_[last_] = at->second;
    }
    return last_ = next_[last_];
  }

  std::int64_t graph_number(const GraphLaunch& launch) {
    if (rank_.field(Field::graph).event.empty()) return 0;
    std::int64_t number = 0;
    for (const std::uint32_t w : works_of(launch)) {
      const std::int64_t own = graphs_of_works_.find(timeline_.works[w].event, 0);
      if (own == 0 || (number != 0 && own != number)) return 0;
      number = own;
    }
    return number;
  }

  /// Of the works that the host launched.
  std::size_t count_queues(const GraphLaunch& launch) {
    queues_.clear();
    for (const std::uint32_t w : works_of(launch)) {
      const causal::DeviceWork& work = timeline_.works[w];
      if (!work.by_device && (queues_.empty() || queues_.back() != work.queue)) queues_.push_back(work.queue);
    }
    std::sort(queues_.begin(), queues_.end());
    return static_cast<std::size_t>(std::unique(queues_.begin(), queues_.end()) - queues_.begin());
  }

  void name_graph(std::uint32_t l) {
    GraphLaunch& launch = found_.launches[l];
    const std::size_t queues = count_queues(launch);
    std::vector<std::uint32_t> content = {0};  // what follows is a number of the recorder, or a list of contents
    const std::int64_t id = graph_number(launch);
    if (id != 0) {
      content = {1, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32)};
    } else {
      for (const std::uint32_t w : works_of(launch)) content.push_back(content_of(w));
      if (queues > 1) std::sort(content.begin() + 1, content.end());
    }
    const auto [at, is_new] =
        graphs_.emplace(std::pair(launch.device, std::move(content)), static_cast<std::uint32_t>(graphs_.size()));
    if (is_new) found_.graphs.push_back({id, l, 0, launch.count, static_cast<std::uint32_t>(queues)});
    launch.graph = at->second;
    ++found_.graphs[launch.graph].launches;
  }

  static constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();
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
  trace::InOrder graphs_of_works_, nodes_, grids_, blocks_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> placed_;  // of the launch in hand: place of the node, work
  std::vector<std::uint32_t> queues_;                           // the same: those that its works run on
  static constexpr std::uint32_t kNoContent = ~std::uint32_t{0};
  std::unordered_map<std::array<std::int64_t, 4>, std::uint32_t, ContentHash> contents_;
  std::vector<std::array<std::int64_t, 4>> numbered_;  // what each content is
  std::vector<std::uint32_t> next_ = {kNoContent};     // by content: which followed it the last time; one entry more
  std::uint32_t last_ = 0;
  std::map<std::pair<std::int64_t, std::vector<std::uint32_t>>, std::uint32_t> graphs_;
};

}  // namespace

GraphLaunches find_graph_launches(const trace::Trace& trace, const trace::RankTrace& rank,
                                  const DeviceTimeline& timeline) {
  return LaunchFinder(trace, rank, timeline).find();
}

}  // namespace orrery::analyze
