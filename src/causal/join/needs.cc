#include "causal/join/needs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

// Operations that behave alike are judged together: one class per kind, group, size and root. The shortest transfer
// seen in a class is the measure. A member that ever ended before another had come does not need it; one that was ever
// held much longer than a transfer takes, does. What the data demands is never put in question.

namespace orrery::causal {
namespace {

using match::Ordering;

constexpr TimePs kUnknownTransfer = std::numeric_limits<TimePs>::max();

/// What the data of one operation demands: places in it.
bool needed_by_data(const JobOperation& operation, std::span<const SilentPair> silent, std::uint32_t waiter,
                    std::uint32_t other) {
  switch (operation.ordering) {
    case Ordering::everybody_waits:
      return !operation.has_splits || !std::binary_search(silent.begin(), silent.end(), SilentPair{waiter, other});
    case Ordering::message: return waiter == operation.first + 1 && other == operation.first;
    case Ordering::root_first: return other == operation.root;
    case Ordering::root_last: return waiter == operation.root;
    case Ordering::neighbours: return false;
  }
  return false;
}

/// What was seen between two members, or two roles, in all operations of a class.
struct Seen {
  bool ended_before = false;  ///< the waiter ended before the other had come: it does not need it
  bool was_held = false;      ///< the other came much later than the waiter, which did not end before
  [[nodiscard]] bool needs() const { return was_held && !ended_before; }
};

class ClassJudge {
 public:
  ClassJudge(std::span<const JobOperation> operations, std::span<const JobPart> parts,
             std::span<const PartMoments> moments, std::span<const SilentPair> silent,
             std::span<const std::uint32_t> members_of_class)
      : operations_(operations), parts_(parts), moments_(moments), silent_(silent), class_(members_of_class) {
    for (const std::uint32_t o : class_) {
      by_role_ |= operations_[o].count > kMostMembersInPairs;
    }
    find_least_transfer();
    for (const std::uint32_t o : class_) {
      for_each_pair(o, [&](std::uint32_t i, std::uint32_t j) { look(i, j, seen_[key(operations_[o], i, j)]); });
    }
  }

  /// Calls add(waiter, other) for what was seen and the data does not demand.
  template <typename Add>
  void report(const Add& add) const {
    for (const std::uint32_t o : class_) {
      for_each_pair(o, [&](std::uint32_t i, std::uint32_t j) {
        const Seen& seen = seen_.at(key(operations_[o], i, j));
        if (seen.needs() || (!seen.ended_before && by_default(operations_[o]))) add(i, j);
      });
    }
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  /// Without a sign either way: devices send when their receiver is there, hosts hand small messages over.
  static bool by_default(const JobOperation& operation) {
    return operation.ordering == Ordering::message && (!operation.on_host || operation.bytes > kBufferedBytes);
  }

  template <typename Visit>
  void for_each_pair(std::uint32_t o, const Visit& visit) const {
    const JobOperation& operation = operations_[o];
    for (std::uint32_t i = operation.first; i < operation.first + operation.count; ++i) {
      for (std::uint32_t j = operation.first; j < operation.first + operation.count; ++j) {
        if (i != j && !needed_by_data(operation, silent_, i, j)) visit(i, j);
      }
    }
  }

  /// Messages are judged by side, whoever they are between; the members of large groups by whether they are the root.
  [[nodiscard]] Key key(const JobOperation& operation, std::uint32_t i, std::uint32_t j) const {
    if (operation.ordering == Ordering::message) return {i - operation.first, j - operation.first};
    if (by_role_) return {i == operation.root, j == operation.root};
    return {parts_[i].rank, parts_[j].rank};
  }

  void find_least_transfer() {
    for (const std::uint32_t o : class_) {
      const JobOperation& operation = operations_[o];
      for (std::uint32_t i = operation.first; i < operation.first + operation.count; ++i) {
        const PartMoments& own = moments_[i];
        TimePs ready = own.arrival;
        for (std::uint32_t j = operation.first; j < operation.first + operation.count; ++j) {
          if (j != i && needed_by_data(operation, silent_, i, j)) ready = std::max(ready, moments_[j].served());
        }
        // How long a send takes that may have been held by its receiver is not known.
        const bool is_send = operation.ordering == Ordering::message && i == operation.first;
        if (is_send && own.end >= moments_[i + 1].arrival) continue;
        if (own.end >= ready) least_transfer_ = std::min(least_transfer_, own.end - ready);
      }
    }
  }

  void look(std::uint32_t i, std::uint32_t j, Seen& seen) const {
    seen.ended_before |= moments_[i].end < moments_[j].served();
    if (least_transfer_ == kUnknownTransfer) return;
    // Four times the shortest transfer: more than a slow transfer explains, so that it must have waited.
    seen.was_held |= moments_[j].served() - moments_[i].arrival > 4 * least_transfer_;
  }

  std::span<const JobOperation> operations_;
  std::span<const JobPart> parts_;
  std::span<const PartMoments> moments_;
  std::span<const SilentPair> silent_;
  std::span<const std::uint32_t> class_;
  bool by_role_ = false;
  TimePs least_transfer_ = kUnknownTransfer;
  std::map<Key, Seen> seen_;
};

}  // namespace

Needs find_needs(std::span<const JobOperation> operations, std::span<const JobPart> parts,
                 std::span<const PartMoments> moments, std::span<const SilentPair> silent) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // waiter, other
  // Kind, group, size and root: what behaves alike. Everybody waits for everybody in most operations anyway.
  using ClassKey = std::tuple<StringId, StringId, std::int64_t, std::uint32_t, Ordering, bool>;
  std::map<ClassKey, std::vector<std::uint32_t>> classes;
  Needs needs;
  needs.everybody.assign(parts.size(), 0);
  for (std::uint32_t o = 0; o < operations.size(); ++o) {
    const JobOperation& operation = operations[o];
    const std::uint32_t end = operation.first + operation.count;
    if (operation.ordering == Ordering::everybody_waits && !operation.has_splits) {
      std::fill(needs.everybody.begin() + operation.first, needs.everybody.begin() + end, 1);
      continue;
    }
    const std::uint32_t root = operation.root == kNoPart ? kNoRank : parts[operation.root].rank;
    classes[{operation.what, operation.group, operation.bytes, root, operation.ordering, operation.on_host}].push_back(
        o);
    for (std::uint32_t i = operation.first; i < end; ++i) {
      for (std::uint32_t j = operation.first; j < end; ++j) {
        if (i != j && needed_by_data(operation, silent, i, j)) pairs.emplace_back(i, j);
      }
    }
  }
  for (const auto& [key, members] : classes) {
    ClassJudge(operations, parts, moments, silent, members).report([&](std::uint32_t i, std::uint32_t j) {
      pairs.emplace_back(i, j);
    });
  }
  std::sort(pairs.begin(), pairs.end());
  // Whoever needs all others waits at the hub, like in an all-reduce.
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t last = i;
    while (last < pairs.size() && pairs[last].first == pairs[i].first) ++last;
    const JobOperation& operation = operations[parts[pairs[i].first].operation];
    // Of two members the one other is told directly; a hub would only add a node.
    if (operation.count > 2 && last - i == operation.count - 1) needs.everybody[pairs[i].first] = 1;
    i = last;
  }
  needs.others = group_by_row<std::uint32_t, std::size_t>(parts.size(), [&](const auto& add) {
    for (const auto& [waiter, other] : pairs) {
      if (needs.everybody[waiter] == 0) add(waiter, other);
    }
  });
  return needs;
}

}  // namespace orrery::causal
