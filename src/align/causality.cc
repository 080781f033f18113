#include "align/causality.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "match/number_table.h"

namespace orrery::align {
namespace {

using match::CausalOrder;
using match::for_each_bound;
using match::kUnknownRoot;
using match::mix;
using match::NumberTable;

struct NodePair {
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  friend bool operator==(const NodePair&, const NodePair&) = default;
  [[nodiscard]] std::uint64_t hash() const { return mix(5, std::uint64_t{earlier} << 32 | later); }
};

class Checker {
 public:
  Checker(const Exchanges& exchanges, const PartTimes& times) : exchanges_(exchanges), times_(times) {}

  CausalityReport check() {
    for (std::uint32_t c = 0; c < exchanges_.all.size(); ++c) {
      const Exchange& collective = exchanges_.all[c];
      // Who exchanges with whom is not recorded, so nothing can contradict it.
      if (collective.ordering == Ordering::neighbours) {
        ++report_.peers_unknown;
        continue;
      }
      const bool has_root = collective.ordering == Ordering::root_first || collective.ordering == Ordering::root_last;
      // Without the root nobody knows who waits for whom.
      if (has_root && collective.root == kUnknownRoot) {
        ++report_.root_unknown;
        continue;
      }
      ++report_.checked;
      report_.messages += collective.ordering == Ordering::message ? 1 : 0;
      check(c);
    }
    std::sort(report_.violations.begin(), report_.violations.end(), [](const Violation& a, const Violation& b) {
      return a.by_ps != b.by_ps ? a.by_ps > b.by_ps : a.collective < b.collective;
    });
    std::sort(report_.pairs.begin(), report_.pairs.end(), [](const PairViolations& a, const PairViolations& b) {
      // Numbers of nodes break ties: the order must not hang on a hash table.
      return std::tuple(-a.largest_ps, a.later_node, a.earlier_node) <
             std::tuple(-b.largest_ps, b.later_node, b.earlier_node);
    });
    return std::move(report_);
  }

 private:
  /// The last of the starts is what an end violates most; of equals the first.
  void check(std::uint32_t c) {
    const Exchange& collective = exchanges_.all[c];
    std::uint32_t last = CausalOrder::kNone;
    TimePs first_end = std::numeric_limits<TimePs>::max();
    for_each_bound(
        collective,
        [&](std::uint32_t part) {
          if (last == CausalOrder::kNone || times_.start[part] > times_.start[last]) last = part;
        },
        [&](std::uint32_t part) { first_end = std::min(first_end, times_.end[part]); });
    // Most exchanges are sound, and for them one look at the extremes is enough.
    if (last == CausalOrder::kNone || first_end >= times_.start[last]) return;
    Violation worst{c, exchanges_.parts[last].node, 0, 0};
    for_each_bound(
        collective, [](std::uint32_t) {},
        [&](std::uint32_t part) {
          const TimePs by = times_.start[last] - times_.end[part];
          if (by <= 0) return;
          const std::uint32_t later = exchanges_.parts[part].node;
          note({worst.earlier_node, later}, by);
          if (by > worst.by_ps) worst.by_ps = by, worst.later_node = later;
        });
    ++report_.violated;
    report_.violations.push_back(worst);
  }

  void note(NodePair nodes, TimePs by) {
    ++report_.early_ends;
    const std::uint32_t at = pairs_.number_of(nodes);
    if (at == report_.pairs.size()) report_.pairs.push_back({nodes.earlier, nodes.later, 0, 0});
    ++report_.pairs[at].count;
    report_.pairs[at].largest_ps = std::max(report_.pairs[at].largest_ps, by);
  }

  const Exchanges& exchanges_;
  const PartTimes& times_;
  NumberTable<NodePair> pairs_;
  CausalityReport report_;
};

}  // namespace

CausalityReport check_causality(const Exchanges& exchanges, const PartTimes& times) {
  return Checker(exchanges, times).check();
}

}  // namespace orrery::align
