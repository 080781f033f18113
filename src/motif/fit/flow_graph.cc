#include "motif/fit/flow_graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "motif/fit/count_law.h"

// A region has items, flows that are done, and counts of edges between them per run. Reduction alternates: neighbours
// that only follow each other merge and loops of one item close, until nothing changes; then a strongly connected set
// is folded into one item, as a loop if a law says its trips, else as a chain. What is left has no cycles and is cut at
// the items that every way passes. Maps and sets keep everything in the order of sites, so that a fit repeats to the
// letter.

namespace orrery::motif::fit {
namespace {

using Counts = std::vector<double>;  // one per run

constexpr int kEntry = -1;  // where the region is entered, and where it is left
constexpr int kExit = -2;

void add_counts(Counts& into, const Counts& more) {
  if (into.empty()) into.assign(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) into[i] += more[i];
}

Flow call_of(std::uint32_t site) {
  Flow flow;
  flow.kind = Flow::Kind::call;
  flow.site = site;
  return flow;
}

void append_parts(std::vector<Flow>& parts, Flow flow) {
  if (flow.kind != Flow::Kind::sequence) return parts.push_back(std::move(flow));
  for (Flow& part : flow.parts) parts.push_back(std::move(part));
}

void collect_calls(const Flow& flow, std::set<std::uint32_t>& sites) {
  if (flow.kind == Flow::Kind::call) sites.insert(flow.site);
  for (const Flow& part : flow.parts) collect_calls(part, sites);
}

std::uint32_t first_call(const Flow& flow) {
  if (flow.kind == Flow::Kind::call || flow.parts.empty()) return flow.site;
  return first_call(flow.parts.front());
}

/// A region of the program: items that are flows already, and how often each follows which.
class Region {
 public:
  Region(const std::vector<ClassRun>& runs, SizeMeaning meaning) : runs_(runs), meaning_(meaning) {}

  void add_item(int id, Flow flow) { items_.emplace(id, std::move(flow)); }
  void add_edge(int from, int to, const Counts& counts) { add_counts(edges_[{from, to}], counts); }

  Flow reduce() {
    do {
      simplify();
    } while (fold_cycles());
    return in_order();
  }

 private:
  using Edges = std::map<std::pair<int, int>, Counts>;

  [[nodiscard]] std::vector<int> next_of(int item) const {
    std::vector<int> next;
    for (const auto& [edge, counts] : edges_) {
      if (edge.first == item) next.push_back(edge.second);
    }
    return next;
  }
  [[nodiscard]] std::vector<int> before(int item) const {
    std::vector<int> previous;
    for (const auto& [edge, counts] : edges_) {
      if (edge.second == item) previous.push_back(edge.first);
    }
    return previous;
  }
  [[nodiscard]] Counts none() const { return Counts(runs_.size(), 0); }

  // ---- sequences and loops of one item ----

  void simplify() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [id, flow] : items_) {
        if (take_exact_loop(id) || merge_with_next(id)) {
          changed = true;
          break;  // the map has changed
        }
      }
    }
  }

  bool merge_with_next(int id) {
    const std::vector<int> next = next_of(id);
    if (next.size() != 1 || next[0] == kExit || next[0] == id || before(next[0]).size() != 1) return false;
    const int second = next[0];
    Flow merged;
    append_parts(merged.parts, std::move(items_[id]));
    append_parts(merged.parts, std::move(items_[second]));
    items_[id] = std::move(merged);
    items_.erase(second);
    edges_.erase({id, second});
    rename_source(second, id);
    return true;
  }

  void rename_source(int old_id, int new_id) {
    Edges moved;
    for (auto& [edge, counts] : edges_) {
      const int from = edge.first == old_id ? new_id : edge.first;
      const int to = edge.second == old_id ? new_id : edge.second;
      add_counts(moved[{from, to}], counts);
    }
    edges_ = std::move(moved);
  }

  /// visits / entries as an exact law. Runs that never come here say nothing.
  [[nodiscard]] std::optional<Formula> exact_ratio(const Counts& visits, const Counts& entries) const {
    std::vector<RunParameters> runs;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (entries[i] == 0) continue;
      runs.push_back(runs_[i].run);
      // Visits per entry: the trips of the loop, which an exact law must give for every run.
      ratios.push_back(visits[i] / entries[i]);
    }
    return exact_law(runs, ratios, meaning_);
  }

  /// The mean of trips may be a whole number by chance. Where the order of calls is known, every passage through the
  /// cycle must come to its head equally often.
  [[nodiscard]] bool is_regular(const std::set<int>& cycle, int head) const {
    std::set<std::uint32_t> sites;
    for (const int item : cycle) collect_calls(items_.at(item), sites);
    const std::uint32_t first = first_call(items_.at(head));
    for (const ClassRun& run : runs_) {
      std::optional<std::size_t> usual;
      std::size_t visits = 0;
      for (std::size_t i = 0; i <= run.sequence.size(); ++i) {
        const bool inside = i < run.sequence.size() && sites.contains(run.sequence[i]);
        if (inside) {
          visits += run.sequence[i] == first ? 1 : 0;
          continue;
        }
        if (visits > 0 && usual.value_or(visits) != visits) return false;
        if (visits > 0) usual = visits;
        visits = 0;
      }
    }
    return true;
  }

  bool take_exact_loop(int id) {
    const auto self = edges_.find({id, id});
    if (self == edges_.end()) return false;
    Counts entries = none();
    for (const auto& [edge, counts] : edges_) {
      if (edge.second == id && edge.first != id) add_counts(entries, counts);
    }
    Counts visits = entries;
    add_counts(visits, self->second);
    const auto trips = exact_ratio(visits, entries);
    if (!trips || !is_regular({id}, id)) return false;
    edges_.erase(self);
    items_[id] = loop_of(std::move(items_[id]), *trips);
    return true;
  }

  static Flow loop_of(Flow body, const Formula& trips) {
    Flow loop;
    loop.kind = Flow::Kind::loop;
    loop.trips = trips;
    append_parts(loop.parts, std::move(body));
    return loop;
  }

  // ---- cycles of several items ----

  /// Makes one item of a cycle; false if there is none.
  bool fold_cycles() {
    std::set<int> all;
    for (const auto& [item, flow] : items_) all.insert(item);
    const std::vector<std::set<int>> cycles = find_cycles(all, {});
    if (cycles.empty()) return false;
    if (!fold_loop_in(cycles.front())) replace(cycles.front(), chain_of(cycles.front(), border_of(cycles.front())));
    return true;
  }

  /// A loop deeper inside may have a law where the whole has none: the ring of messages in each step of a search.
  bool fold_loop_in(const std::set<int>& cycle) {
    // The cheap forms first: a loop left in its middle, then one with a single entry.
    if (rotate_loop(cycle) || fold_exact_loop(cycle)) return true;
    std::set<int> heads;
    for (const auto& [item, counts] : border_of(cycle).entries) heads.insert(item);
    for (const std::set<int>& inner : find_cycles(cycle, heads)) {
      if (fold_loop_in(inner)) return true;
    }
    return false;
  }

  /// Strongly connected sets, within `within` and without the ways back to `heads`, of more than one item or of one
  /// that follows itself.
  [[nodiscard]] std::vector<std::set<int>> find_cycles(const std::set<int>& within, const std::set<int>& heads) const {
    // Two items are of one cycle if each reaches the other; regions are small enough to ask all of them.
    std::map<int, std::set<int>> reach;
    for (const int start : within) {
      std::vector<int> open = {start};
      std::set<int>& seen = reach[start];
      while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        for (const int next : next_of(at)) {
          if (within.contains(next) && !heads.contains(next) && seen.insert(next).second) open.push_back(next);
        }
      }
    }
    std::vector<std::set<int>> cycles;
    std::set<int> placed;
    for (const auto& [start, seen] : reach) {
      if (!seen.contains(start) || placed.contains(start)) continue;
      std::set<int> cycle;
      for (const int other : seen) {
        if (reach.at(other).contains(start)) cycle.insert(other);
      }
      placed.insert(cycle.begin(), cycle.end());
      cycles.push_back(std::move(cycle));
    }
    return cycles;
  }

  struct Border {
    std::map<int, Counts> entries = {};  // by the item that is entered
    std::map<int, Counts> exits = {};    // by the item that is left
    Counts entered = {};
  };
  [[nodiscard]] Border border_of(const std::set<int>& cycle) const {
    Border border;
    border.entered = none();
    for (const auto& [edge, counts] : edges_) {
      const bool from_inside = cycle.contains(edge.first), to_inside = cycle.contains(edge.second);
      if (!from_inside && to_inside) {
        add_counts(border.entries[edge.second], counts);
        add_counts(border.entered, counts);
      }
      if (from_inside && !to_inside) add_counts(border.exits[edge.first], counts);
    }
    return border;
  }

  /// A loop that is left in its middle, "a (b a)*": a is passed once more than b.
  bool rotate_loop(const std::set<int>& cycle) {
    if (cycle.size() != 2) return false;
    const Border border = border_of(cycle);
    if (border.entries.size() != 1 || border.exits.size() != 1) return false;
    const int a = border.entries.begin()->first, b = *cycle.begin() == a ? *cycle.rbegin() : *cycle.begin();
    // Anything that repeats by itself inside is not this shape.
    if (border.exits.begin()->first != a || edges_.contains({a, a}) || edges_.contains({b, b})) return false;
    const auto trips = exact_ratio(edges_.at({a, b}), border.entered);
    if (!trips || !is_regular(cycle, a)) return false;
    Flow whole, body;
    append_parts(whole.parts, items_[a]);
    append_parts(body.parts, items_[b]);
    append_parts(body.parts, items_[a]);
    whole.parts.push_back(loop_of(std::move(body), *trips));
    items_[a] = std::move(whole);
    edges_.erase({a, b});
    edges_.erase({b, a});
    items_.erase(b);
    return true;
  }

  bool fold_exact_loop(const std::set<int>& cycle) {
    const Border border = border_of(cycle);
    if (border.entries.size() != 1) return false;
    const int head = border.entries.begin()->first;
    // Left in its middle, a loop has a last pass that is not whole: that is a chain.
    for (const auto& [item, counts] : border.exits) {
      if (!edges_.contains({item, head})) return false;
    }
    Counts visits = border.entered;
    for (const auto& [edge, counts] : edges_) {
      if (edge.second == head && cycle.contains(edge.first)) add_counts(visits, counts);
    }
    const auto trips = exact_ratio(visits, border.entered);
    if (!trips || !is_regular(cycle, head)) return false;
    Region body(runs_, meaning_);
    for (const int item : cycle) body.add_item(item, items_.at(item));
    body.add_edge(kEntry, head, visits);
    for (const auto& [edge, counts] : edges_) {
      if (!cycle.contains(edge.first)) continue;
      // Within the body a way back to the head ends the pass, and so does leaving.
      body.add_edge(edge.first, edge.second == head || !cycle.contains(edge.second) ? kExit : edge.second, counts);
    }
    replace(cycle, loop_of(body.reduce(), *trips));
    return true;
  }

  [[nodiscard]] Flow chain_of(const std::set<int>& members, const Border& border,
                              const Counts* skipped = nullptr) const {
    Flow chain;
    chain.kind = Flow::Kind::chain;
    std::map<int, std::uint32_t> places;
    for (const int item : members) {
      places[item] = static_cast<std::uint32_t>(chain.parts.size());
      chain.parts.push_back(items_.at(item));
    }
    struct Way {
      std::uint32_t next;
      Counts counts;
    };
    std::map<std::vector<std::uint32_t>, std::vector<Way>> ways;  // by context
    for (const auto& [item, counts] : border.entries) ways[{}].push_back({places.at(item), counts});
    if (skipped != nullptr) ways[{}].push_back({ChainStep::kEnd, *skipped});
    for (const auto& [edge, counts] : edges_) {
      if (members.contains(edge.first) && members.contains(edge.second))
        ways[{places.at(edge.first)}].push_back({places.at(edge.second), counts});
    }
    for (const auto& [item, counts] : border.exits) ways[{places.at(item)}].push_back({ChainStep::kEnd, counts});
    for (const auto& [context, next] : ways) {
      std::vector<Counts> rows;
      for (const Way& way : next) rows.push_back(way.counts);
      const std::vector<Formula> laws = rate_laws(parameters(), rows, border.entered, meaning_);
      for (std::size_t i = 0; i < next.size(); ++i) chain.steps.push_back({context, next[i].next, laws[i]});
    }
    return chain;
  }

  /// One item, called by the smallest of its members, in place of them.
  void replace(const std::set<int>& members, Flow flow) {
    const int id = *members.begin();
    Edges moved;
    for (const auto& [edge, counts] : edges_) {
      const bool from_inside = members.contains(edge.first), to_inside = members.contains(edge.second);
      if (from_inside && to_inside) continue;
      add_counts(moved[{from_inside ? id : edge.first, to_inside ? id : edge.second}], counts);
    }
    edges_ = std::move(moved);
    for (const int item : members) items_.erase(item);
    items_.emplace(id, std::move(flow));
  }

  // ---- what has no cycles any more ----

  /// Items in an order in which every edge leads forward.
  [[nodiscard]] std::vector<int> topological_order() const {
    std::vector<int> order;
    std::set<int> done;
    const std::function<void(int)> visit = [&](int item) {
      if (item < 0 || !done.insert(item).second) return;
      for (const int next : next_of(item)) visit(next);
      order.push_back(item);
    };
    for (const int next : next_of(kEntry)) visit(next);
    for (const auto& [item, flow] : items_) visit(item);
    std::reverse(order.begin(), order.end());
    return order;
  }

  /// Items that every way passes, in order; what lies between two of them is a fork.
  Flow in_order() {
    const std::vector<int> order = topological_order();
    std::map<int, std::size_t> place = {{kEntry, 0}, {kExit, order.size() + 1}};
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i + 1;
    std::vector<bool> jumped(order.size() + 2, false);
    // An edge that jumps over an item shows a way that does not pass it.
    for (const auto& [edge, counts] : edges_) {
      for (std::size_t i = place.at(edge.first) + 1; i < place.at(edge.second); ++i) jumped[i] = true;
    }
    Flow flow;
    for (std::size_t i = 0; i < order.size();) {
      if (!jumped[i + 1]) {
        append_parts(flow.parts, items_.at(order[i++]));
        continue;
      }
      std::set<int> fork;
      const std::size_t first = i;
      while (i < order.size() && jumped[i + 1]) fork.insert(order[i++]);
      flow.parts.push_back(
          fork_between(fork, first == 0 ? kEntry : order[first - 1], i < order.size() ? order[i] : kExit));
    }
    if (flow.parts.size() == 1) {
      Flow only = std::move(flow.parts.front());
      return only;
    }
    return flow;
  }

  /// A chain over the ways between two items that all pass, one of which may be to skip them all.
  [[nodiscard]] Flow fork_between(const std::set<int>& fork, int previous, int following) const {
    Border border = border_of(fork);
    const auto skip = edges_.find({previous, following});
    // Who skips the whole fork has chosen, too: its way ends at once.
    if (skip != edges_.end()) add_counts(border.entered, skip->second);
    return chain_of(fork, border, skip != edges_.end() ? &skip->second : nullptr);
  }

  [[nodiscard]] std::vector<RunParameters> parameters() const {
    std::vector<RunParameters> parameters;
    for (const ClassRun& run : runs_) parameters.push_back(run.run);
    return parameters;
  }

  const std::vector<ClassRun>& runs_;
  SizeMeaning meaning_;
  std::map<int, Flow> items_;
  Edges edges_;
};

}  // namespace

Flow infer_flow(const std::vector<ClassRun>& runs, SizeMeaning meaning) {
  Region region(runs, meaning);
  std::set<std::uint32_t> sites;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto only = [&](double count) {
      Counts counts(runs.size(), 0);
      counts[i] = count;
      return counts;
    };
    for (const auto& [edge, times] : runs[i].edges) {
      if (edge.first != 0) sites.insert(edge.first);
      sites.insert(edge.second);
      region.add_edge(edge.first == 0 ? kEntry : static_cast<int>(edge.first), static_cast<int>(edge.second),
                      only(times.count));
    }
    // The last call leads out, once per run.
    region.add_edge(static_cast<int>(runs[i].last_site), kExit, only(1));
  }
  for (const std::uint32_t site : sites) region.add_item(static_cast<int>(site), call_of(site));
  Flow flow = region.reduce();
  if (flow.kind == Flow::Kind::sequence) return flow;
  Flow whole;
  whole.parts.push_back(std::move(flow));
  return whole;
}

}  // namespace orrery::motif::fit
