#include <algorithm>
#include <cassert>
#include <vector>

#include "graph/junctions.h"
#include "graph/reduce.h"

// Which edges can be on a longest path between outside moments, whatever these are. Chains are one way already
// (Junctions). Each junction is written as a maximum over few roots; rewriting follows three rules: of two paths from
// one root the longer counts, a junction with one cause is replaced by it, and a path that another one matches is
// dropped. Rounds go on while each strikes at least a sixteenth of the ways.

namespace orrery::graph {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// More causes than these, and a node is kept rather than replaced.
constexpr std::size_t kMaxTerms = 8;
/// More than these, and it is worth while to look for some that another makes superfluous before they are passed on.
constexpr std::size_t kManyTerms = 4;
/// How many nodes a search visits, besides those it asks about.
constexpr std::size_t kSearchSteps = 64;
constexpr int kMaxRounds = 4;

/// The finish of a node written in max-plus: the largest over its terms of finish(root) + weight. A term is one path
/// from the root: its last way, and the term of the node before from which it goes on.
struct Term {
  std::uint32_t root;
  std::uint32_t way;
  std::uint32_t before;  // kNone: the way begins at the root
  TimePs weight;
  bool is_variable;
};

/// Is a term of a node superfluous, since another path from its root to the node, by way of another term, is as long?
/// Goes back from the node over roots, the latest first, so that the longest path from a root to the node is known when
/// it is met.
class OtherPaths {
 public:
  OtherPaths(const std::vector<std::uint32_t>& first_term, const std::vector<Term>& terms, std::uint32_t junctions)
      : first_term_(first_term), terms_(terms), reached_(junctions), direct_(junctions, kNone) {}

  /// Takes superfluous terms out of those of a node.
  void drop(std::vector<Term>& of_node) {
    earliest_ = kNone;
    for (std::uint32_t i = 0; i < of_node.size(); ++i) {
      earliest_ = std::min(earliest_, of_node[i].root);
      if (!of_node[i].is_variable) direct_[of_node[i].root] = i;
    }
    for (std::uint32_t i = 0; i < of_node.size(); ++i) {
      const Term& term = of_node[i];
      // A variable edge takes no part in the question, and may answer it for others.
      if (term.is_variable) reach(term.root, {0, i});
      else enqueue(term.root);
    }
    visit(of_node);
    for (const Term& term : of_node) direct_[term.root] = kNone;
    for (const std::uint32_t root : touched_) reached_[root] = {};
    touched_.clear();
    heap_.clear();
    std::erase_if(of_node, [](const Term& term) { return term.way == kNone; });
  }

 private:
  /// The longest path to the node that is known; of equals, that of the first term.
  struct Reached {
    TimePs distance = INT64_MIN;
    std::uint32_t term = kNone;
    bool is_queued = false;
    [[nodiscard]] bool is_better_than(const Reached& other) const {
      return distance > other.distance || (distance == other.distance && term < other.term);
    }
  };

  void enqueue(std::uint32_t root) {
    Reached& at = reached_[root];
    if (at.is_queued) return;
    at.is_queued = true;
    touched_.push_back(root);
    heap_.push_back(root);
    std::push_heap(heap_.begin(), heap_.end());
  }

  void reach(std::uint32_t root, Reached path) {
    if (root < earliest_) return;
    enqueue(root);
    Reached& at = reached_[root];
    if (path.is_better_than(at)) at.distance = path.distance, at.term = path.term;
  }

  void visit(std::vector<Term>& of_node) {
    auto undecided = static_cast<std::size_t>(
        std::count_if(of_node.begin(), of_node.end(), [](const Term& term) { return !term.is_variable; }));
    // A bounded search: what it does not decide is kept, which is never wrong, only larger.
    for (std::size_t steps = 2 * of_node.size() + kSearchSteps; steps > 0 && undecided > 0 && !heap_.empty(); --steps) {
      std::pop_heap(heap_.begin(), heap_.end());
      const std::uint32_t root = heap_.back();
      heap_.pop_back();
      Reached best = reached_[root];
      if (const std::uint32_t i = direct_[root]; i != kNone) {
        --undecided;
        const Reached own{of_node[i].weight, i};
        if (best.is_better_than(own)) of_node[i].way = kNone;
        else best = own;
      }
      for (std::uint32_t t = first_term_[root]; t < first_term_[root + 1]; ++t)
        reach(terms_[t].root, {std::min(best.distance + terms_[t].weight, kMaxFinishPs), best.term});
    }
  }

  const std::vector<std::uint32_t>& first_term_;
  const std::vector<Term>& terms_;
  std::vector<Reached> reached_;       // per junction
  std::vector<std::uint32_t> direct_;  // per junction: which term of the node has it as its root; variable ones aside
  std::vector<std::uint32_t> heap_, touched_;
  std::uint32_t earliest_ = 0;
};

/// Writes every junction in terms of the few that are kept (roots), in topological order, so that the three rewrites
/// become rules about lists of terms; then goes back from the outside moments and notes which ways their terms use.
class Pruner {
 public:
  explicit Pruner(Junctions& junctions)
      : junctions_(junctions), ways_out_(junctions.count()), place_(junctions.count(), kNone) {}

  /// One round; the number of ways that are still needed. What a round finds superfluous lets the next replace more
  /// nodes.
  std::size_t run() {
    count_ways_out();
    is_root_.assign(junctions_.count(), 0);
    first_term_.assign(junctions_.count() + 1, 0);
    terms_.clear();
    OtherPaths other_paths(first_term_, terms_, junctions_.count());
    for (std::uint32_t j = 0; j < junctions_.count(); ++j) {
      if (junctions_.is_outside[j] != 0 || ways_out_[j] != 0) write(j, other_paths);
      first_term_[j + 1] = static_cast<std::uint32_t>(terms_.size());
    }
    return mark();
  }

 private:
  void count_ways_out() {
    std::fill(ways_out_.begin(), ways_out_.end(), 0);
    for (const Junctions::Way& way : junctions_.ways) ways_out_[way.from] += way.is_needed ? 1 : 0;
  }

  void write(std::uint32_t j, OtherPaths& other_paths) {
    gather(j);
    const bool must_stay = junctions_.is_pinned[j] != 0;
    // With one cause it is that cause; with one way out its causes can be told there, if they are not too many.
    const auto is_replaceable = [&] {
      return !must_stay && (found_.size() == 1 || (ways_out_[j] == 1 && found_.size() <= kMaxTerms));
    };
    if (found_.size() > 1 && (found_.size() > kManyTerms || !is_replaceable())) other_paths.drop(found_);
    is_root_[j] = !is_replaceable();
    terms_.insert(terms_.end(), found_.begin(), found_.end());
  }

  /// The terms of j, in the order in which a solution would prefer them; of one root the longest.
  void gather(std::uint32_t j) {
    found_.clear();
    for (std::uint32_t w = junctions_.first_way[j]; w < junctions_.first_way[j + 1]; ++w) {
      const Junctions::Way& way = junctions_.ways[w];
      if (!way.is_needed) continue;
      if (is_root_[way.from] != 0) {
        add({way.from, w, kNone, way.weight, way.is_variable});
        continue;
      }
      for (std::uint32_t t = first_term_[way.from]; t < first_term_[way.from + 1]; ++t)
        add({terms_[t].root, w, t, std::min(terms_[t].weight + way.weight, kMaxFinishPs), false});
    }
    for (const Term& term : found_) place_[term.root] = kNone;
    std::erase_if(found_, [](const Term& term) { return term.way == kNone; });
  }

  void add(const Term& term) {
    if (!term.is_variable) {
      std::uint32_t& place = place_[term.root];
      // The first of equals stays: it is the one that a solution would take.
      if (place != kNone && found_[place].weight >= term.weight) return;
      if (place != kNone) found_[place].way = kNone;
      place = static_cast<std::uint32_t>(found_.size());
    }
    found_.push_back(term);
  }

  std::size_t mark() {
    for (Junctions::Way& way : junctions_.ways) way.is_needed = way.is_variable;
    std::vector<std::uint8_t> is_used(junctions_.count(), 0);
    std::vector<std::uint8_t> is_followed(terms_.size(), 0);
    std::size_t needed = 0;
    for (std::uint32_t j = junctions_.count(); j-- > 0;) {
      if (junctions_.is_outside[j] == 0 && is_used[j] == 0) continue;
      for (std::uint32_t t = first_term_[j]; t < first_term_[j + 1]; ++t) {
        is_used[terms_[t].root] = 1;
        // Terms share their beginnings: where one was followed before, the rest is known.
        for (std::uint32_t at = t; at != kNone && is_followed[at] == 0; at = terms_[at].before) {
          is_followed[at] = 1;
          junctions_.ways[terms_[at].way].is_needed = true;
        }
      }
    }
    for (const Junctions::Way& way : junctions_.ways) needed += way.is_needed ? 1 : 0;
    return needed;
  }

  Junctions& junctions_;
  std::vector<std::uint32_t> ways_out_;    // per junction, needed ones
  std::vector<std::uint32_t> place_;       // per junction: which of found_ has it as its root
  std::vector<std::uint8_t> is_root_;      // per junction
  std::vector<std::uint32_t> first_term_;  // per junction
  std::vector<Term> terms_;
  std::vector<Term> found_;
};

}  // namespace

Column<std::uint8_t> needed_edges(const Graph& graph, const Outside& outside, std::span<const TimePs> weights) {
  assert(graph.durations().empty() && outside.moments.size() == graph.node_count() &&
         weights.size() == graph.edge_count());
  Junctions junctions(graph, outside, weights);
  Pruner pruner(junctions);
  std::size_t needed = junctions.ways.size();
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::size_t before = needed;
    needed = pruner.run();
    // Less than a sixteenth: another round would cost more than it saves.
    if (needed > before - before / 16) break;
  }
  Column<std::uint8_t> flags(graph.edge_count(), 0);
  for (const Junctions::Way& way : junctions.ways) {
    if (!way.is_needed) continue;
    flags[way.last] = 1;
    for (Position p = graph.source_positions()[way.last]; junctions.is_chain_node[p] != 0;) {
      const Slot slot = graph.rows()[p];
      flags[slot] = 1;
      p = graph.source_positions()[slot];
    }
  }
  return flags;
}

}  // namespace orrery::graph
