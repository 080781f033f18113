#include "simulate/loggops/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <vector>

#include "graph/graph.h"

// Programs are laid out once and copied to the ranks that run them. Operations keep few dependents in themselves and
// long lists apart. Messages get channels, numbered per receiver by sender and tag; a receiver with a wildcard has
// none, since then arrival decides.

namespace orrery::simulate::loggops {
namespace {

using Kind = Operation::Kind;

/// One side of a channel, as its receiver sees it.
struct End {
  OpIndex op;
  std::int64_t tag;
  std::uint32_t sender;
};

/// Numbers the pairs of sender and tag of one receiver, from 0. Forgets them at no cost when the next begins.
class PairNumbers {
 public:
  void begin(std::size_t pairs) {
    // At most half full, so that chains of linear probing stay short.
    const std::size_t slots = std::bit_ceil(2 * pairs + 1);
    if (slots > table_.size()) table_.assign(slots, {});
    mask_ = table_.size() - 1;
    ++round_;
    count_ = 0;
  }
  std::uint32_t number(std::uint32_t sender, std::int64_t tag) {
    // Two odd constants of the usual multiplicative hashes (xxHash, 2^64 over the golden ratio).
    std::uint64_t hash = (static_cast<std::uint64_t>(tag) * 0xc2b2ae3d27d4eb4fu ^ sender) * 0x9e3779b97f4a7c15u;
    for (hash ^= hash >> 32;; ++hash) {
      Entry& entry = table_[hash & mask_];
      if (entry.round != round_) entry = {tag, sender, count_++, round_};
      if (entry.tag == tag && entry.sender == sender) return entry.number;
    }
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  struct Entry {
    std::int64_t tag = 0;
    std::uint32_t sender = 0, number = 0;
    std::uint64_t round = 0;  // of begin(): older ones are free
  };
  std::vector<Entry> table_;
  std::size_t mask_ = 0;
  std::uint64_t round_ = 0;
  std::uint32_t count_ = 0;
};

/// The messages to each rank, in the order of the operations.
struct SendsByReceiver {
  std::vector<std::uint64_t> first;  // by rank, and the total
  Column<End> ends;

  explicit SendsByReceiver(const Operations& operations) : first(operations.rank_count() + 1, 0) {
    for (std::size_t rank = 0; rank < operations.rank_count(); ++rank)
      first[rank + 1] = first[rank] + operations.messages_to()[rank];
    ends.resize_uninitialized(first.back());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (OpIndex i = 0; i < operations.size(); ++i) {
      const Operation& op = operations[i];
      if (op.kind == Kind::send) ends[next[op.peer]++] = {i, operations.tag(i), op.rank};
    }
  }
};

}  // namespace

workload::Envelope envelope_of(const Operations& operations, OpIndex message) {
  const Operation& op = operations[message];
  const bool is_send = op.kind == Kind::send;
  return {is_send ? op.peer : op.rank, is_send ? op.rank : op.peer, 0, operations.tag(message)};
}

void number_channels(Operations& operations, workload::MessageMatcher& matcher) {
  const SendsByReceiver sends(operations);
  PairNumbers numbers;
  std::vector<End> ends;
  for (std::uint32_t rank = 0; rank < operations.rank_count(); ++rank) {
    ends.assign(sends.ends.begin() + sends.first[rank], sends.ends.begin() + sends.first[rank + 1]);
    for (OpIndex i = operations.first(rank); i < operations.first(rank + 1); ++i)
      if (operations[i].kind == Kind::recv) ends.push_back({i, operations.tag(i), operations[i].peer});
    // One receive from anybody is enough: all messages to this rank then have to be matched in the order of arrival.
    const bool wild = std::any_of(ends.begin(), ends.end(), [](const End& end) {
      return end.sender == kAnyPeer || end.tag == workload::kAnyTag;
    });
    if (wild) {
      matcher.expect_wildcards(rank);
      for (const End& end : ends) operations[end.op].channel = kNoChannel;
      continue;
    }
    numbers.begin(ends.size());
    const std::uint32_t first = matcher.add_channels(0);
    for (const End& end : ends) operations[end.op].channel = first + numbers.number(end.sender, end.tag);
    matcher.add_channels(numbers.count());
  }
}

using workload::ActivityKind;
using workload::Program;

std::int64_t Operations::tag(OpIndex op) const {
  const std::uint32_t rank = table_[op].rank;
  return workload_->program(rank).tags[op - first_of_rank_[rank]];
}

/// Lays out one program after the other, each once for all ranks that run it: what a program says is scattered over its
/// columns, and going through them is most of the work.
class Layout {
 public:
  Layout(Operations& operations, const DurationOf& duration_of, const DescribeOp& describe)
      : operations_(operations), workload_(*operations.workload_), duration_of_(duration_of), describe_(describe) {}

  Status add(const Program& program, std::span<const std::uint32_t> ranks) {
    // In the place of the first rank, from where the others are copied; and what others need of every operation is
    // noted while it is at hand: the table is larger than the caches, and each time that all of it is gone through
    // takes several per cent of a simulation.
    made_ = {operations_.table_.data() + operations_.first(ranks.front()), program.size()};
    const std::uint64_t first_starter = operations_.starters_.size();
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (const Status added = make(program, i, ranks.front()); !added) return added;
      if (made_[i].kind == Operation::Kind::send) operations_.messages_to_[made_[i].peer] += ranks.size();
      if (made_[i].waits_for == 0) operations_.starters_.push_back(static_cast<std::uint32_t>(i));
    }
    operations_.starters_of_[workload_.program_of_rank[ranks.front()]] = {first_starter, operations_.starters_.size()};
    sort_dependents(program.dependencies);
    for (std::size_t i = 0; i < program.size(); ++i) set_dependents(static_cast<std::uint32_t>(i));
    for (const std::uint32_t rank : ranks.subspan(1)) {
      Operation* const copy =
          std::copy(made_.begin(), made_.end(), operations_.table_.data() + operations_.first(rank)) - made_.size();
      for (std::size_t i = 0; i < made_.size(); ++i) copy[i].rank = rank;
    }
    return {};
  }

 private:
  Status make(const Program& program, std::size_t i, std::uint32_t rank) {
    const auto refuse = [&](const std::string& why) {
      return Error{fmt::format("{} {}", describe_(operations_.first(rank) + i), why)};
    };
    const ActivityKind kind = program.kinds[i];
    if (kind == ActivityKind::collective) return refuse("was not replaced by messages");
    Operation& op = made_[i] = Operation();
    op.rank = rank;
    op.waits_for = program.dependencies.incoming(static_cast<graph::NodeId>(i)).size();
    op.cpu = program.cpus[i];
    if (kind == ActivityKind::send || kind == ActivityKind::recv) {
      op.kind = kind == ActivityKind::send ? Operation::Kind::send : Operation::Kind::recv;
      op.nic = program.nics[i];
      op.size = program.bytes[i];
      const std::int64_t peer = program.peers[i];
      const bool any = peer == -1 && kind == ActivityKind::recv;
      if (!program.has(i, workload::activity::kHasPeer))
        return refuse("does not say which rank its message is for or from");
      if (!any && (peer < 0 || static_cast<std::size_t>(peer) >= operations_.rank_count()))
        return refuse(fmt::format("names rank {}", peer));
      op.peer = any ? kAnyPeer : static_cast<std::uint32_t>(peer);
    } else {
      op.size = duration_of_(program, i);
      if (op.size > graph::kMaxWeightPs) return refuse("takes more than 26 days");
    }
    if (op.size < 0) return refuse("has a negative size or duration");
    operations_.largest_cpu_ = std::max(operations_.largest_cpu_, op.cpu);
    operations_.largest_nic_ = std::max(operations_.largest_nic_, op.nic);
    return {};
  }

  /// Counting sort of the edges by source, those on its start before those on its end; by edge id within these, so that
  /// dependents keep the order in which they were added.
  void sort_dependents(const graph::Graph& graph) {
    row_ends_.assign(2 * std::size_t{graph.node_count()} + 1, 0);
    targets_.resize(graph.edge_count());
    const auto row_of = [&](graph::Slot slot) {
      const bool on_start = static_cast<workload::Dependency>(graph.type(slot)) == workload::Dependency::start;
      return 2 * std::size_t{graph.source(slot)} + (on_start ? 0 : 1);
    };
    for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) ++row_ends_[row_of(slot)];
    std::uint32_t end = 0;
    for (std::uint32_t& row : row_ends_) row = end += row;
    // From the last edge to the first, each in front of those before: a counting sort that is stable.
    for (graph::EdgeId edge = graph.edge_count(); edge-- > 0;) {
      const graph::Slot slot = graph.slot_of_edge(edge);
      targets_[--row_ends_[row_of(slot)]] = graph.target(slot);
    }
  }

  void set_dependents(std::uint32_t i) {
    const std::uint32_t first = row_ends_[2 * i], middle = row_ends_[2 * i + 1], end = row_ends_[2 * i + 2];
    Operation& op = made_[i];
    // Most operations have few dependents: these lie in the operation itself, and cost no further access.
    if (end - first <= std::size(op.dependents)) {
      op.dependent_starts = static_cast<std::uint8_t>(middle - first);
      op.dependent_ends = static_cast<std::uint8_t>(end - middle);
      for (std::uint32_t k = first; k < end; ++k) op.dependents[k - first] = targets_[k] - i;
      return;
    }
    Column<std::uint32_t>& lists = operations_.lists_;
    const std::uint64_t at = lists.size();
    op.dependent_starts = Operation::kListed;
    op.dependents[0] = static_cast<std::uint32_t>(at);
    op.dependents[1] = static_cast<std::uint32_t>(at >> 32);
    lists.push_back(middle - first);
    lists.push_back(end - middle);
    for (std::uint32_t k = first; k < end; ++k) lists.push_back(targets_[k] - i);
  }

  Operations& operations_;
  const workload::Workload& workload_;
  const DurationOf& duration_of_;
  const DescribeOp& describe_;
  // Of the program at hand.
  std::span<Operation> made_;
  std::vector<std::uint32_t> row_ends_, targets_;
};

Result<Operations> Operations::lay_out(const workload::Workload& workload, const DurationOf& duration_of,
                                       const DescribeOp& describe) {
  Operations operations;
  operations.workload_ = &workload;
  const std::vector<std::uint64_t> first = workload.first_activities();
  operations.first_of_rank_.assign(first.begin(), first.end());
  operations.table_.resize_uninitialized(first.back());
  operations.starters_of_.resize(workload.programs.size());
  operations.messages_to_.resize(workload.rank_count());
  Layout layout(operations, duration_of, describe);
  std::vector<std::uint32_t> by_program(workload.rank_count());
  std::iota(by_program.begin(), by_program.end(), 0);
  const auto program_of = [&](std::uint32_t rank) { return workload.program_of_rank[rank]; };
  std::stable_sort(by_program.begin(), by_program.end(), [&](auto a, auto b) { return program_of(a) < program_of(b); });
  for (auto begin = by_program.begin(); begin != by_program.end();) {
    const auto end = std::find_if(begin, by_program.end(),
                                  [&](std::uint32_t rank) { return program_of(rank) != program_of(*begin); });
    if (const Status added = layout.add(workload.programs[program_of(*begin)], {begin, end}); !added)
      return added.error();
    begin = end;
  }
  return operations;
}

}  // namespace orrery::simulate::loggops
