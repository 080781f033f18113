#include "match/mpi/mpi_sources.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "match/host_work.h"
#include "match/node_of_rank.h"
#include "workload/workload.h"

// Three rules from the surest to the weakest, each over what the ones before left open. A rank of which one receive
// stays unknown is given up as a whole: receives of any source and guessed ones together would match differently from
// what was seen.

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

bool sends(const MpiFunction* function) {
  return function != nullptr && (function->role == MpiRole::send || function->role == MpiRole::send_receive);
}
bool receives(const MpiFunction* function) {
  return function != nullptr && (function->role == MpiRole::receive || function->role == MpiRole::send_receive);
}

/// A callsite, the same on all ranks, and the how-manieth time that a rank came there.
struct Round {
  StringId callsite = 0;
  std::uint32_t time = 0;
  auto operator<=>(const Round&) const = default;
};

struct Sender {
  std::uint32_t node;
  EventIndex event;
  auto operator<=>(const Sender&) const = default;
};

class SourceSearch {
 public:
  explicit SourceSearch(const trace::Trace& trace) : trace_(trace), nodes_(trace) {}

  // All ranks before any inference: sends of the last rank may be to the first.
  std::vector<MpiCalls> find() {
    for (std::uint32_t node = 0; node < trace_.ranks.size(); ++node) add_rank(node);
    for (std::uint32_t node = 0; node < trace_.ranks.size(); ++node) gather_sends(node);
    for (std::uint32_t node = 0; node < trace_.ranks.size(); ++node) {
      if (unknown_[node].empty()) continue;
      infer_exchanges(node);
      infer_batches(node);
      infer_one(node);
      settle(node);
    }
    return std::move(calls_);
  }

 private:
  void add_rank(std::uint32_t node) {
    const trace::RankTrace& rank = trace_.ranks[node];
    MpiCalls& calls = calls_.emplace_back();
    rounds_.emplace_back();
    unknown_.emplace_back();
    to_.emplace_back();
    if (!is_mpi_rank(rank)) return;
    calls.functions = functions_of(trace_, rank);
    calls.requests = find_requests(rank, calls.functions, trace_.strings);
    calls.sources.assign(rank.event_count(), workload::kAnyPeer);
    std::map<StringId, std::uint32_t> times;
    const Column<std::int64_t> sites = rank.field(Field::callsite_text).dense(rank.event_count(), 0);
    const Column<std::int64_t> sources = rank.field(Field::source_rank).dense(rank.event_count(), kNoNumber);
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const auto site = static_cast<StringId>(sites[e]);
      // The n-th time at a callsite is what ranks have in common, since clocks are not.
      rounds_[node].push_back({site, times[site]++});
      if (!receives(calls.functions[e])) continue;
      ++calls.receives;
      if (sources[e] == kNoNumber) unknown_[node].insert(e);
      else calls.sources[e] = sources[e];
    }
  }

  /// Every send, with where it goes.
  void gather_sends(std::uint32_t node) {
    const trace::RankTrace& rank = trace_.ranks[node];
    const trace::SparseColumn& destinations = rank.field(Field::destination_rank);
    for (std::size_t i = 0; i < destinations.event.size(); ++i) {
      const EventIndex e = destinations.event[i];
      const std::uint32_t to = nodes_.find(destinations.value[i]);
      if (to == NodeOfRank::kNone || !sends(calls_[node].functions[e])) continue;
      to_[to].insert({node, e});
      ++calls_[to].sends_to_it;
      const MpiFunction& function = *calls_[node].functions[e];
      if (function.role == MpiRole::send_receive) exchanged_[rounds_[node][e]][to].push_back({node, e});
      const EventIndex by = calls_[node].requests.completed_by[e];
      // A batch is named by the call that completes it.
      if (!function.is_blocking && by != kNotCompleted) batches_[rounds_[node][by]][to].push_back({node, e});
    }
  }

  void take(std::uint32_t node, EventIndex receive, const Sender& sender) {
    calls_[node].sources[receive] = trace_.ranks[sender.node].rank;
    ++calls_[node].receives_inferred;
    unknown_[node].erase(receive);
    to_[node].erase(sender);
  }

  void infer_exchanges(std::uint32_t node) {
    // A copy, because take() removes from the set that is walked over.
    for (const EventIndex e : std::vector<EventIndex>(unknown_[node].begin(), unknown_[node].end())) {
      // Without a callsite there is no round to compare.
      if (calls_[node].functions[e]->role != MpiRole::send_receive || rounds_[node][e].callsite == 0) continue;
      const auto round = exchanged_.find(rounds_[node][e]);
      if (round == exchanged_.end()) continue;
      const auto senders = round->second.find(node);
      if (senders != round->second.end() && senders->second.size() == 1) take(node, e, senders->second.front());
    }
  }

  void infer_batches(std::uint32_t node) {
    std::map<EventIndex, std::vector<EventIndex>> completed;  // by the call that completes them
    for (const EventIndex e : unknown_[node]) {
      const EventIndex by = calls_[node].requests.completed_by[e];
      if (!calls_[node].functions[e]->is_blocking && by != kNotCompleted) completed[by].push_back(e);
    }
    for (const auto& [by, begun] : completed) {
      if (rounds_[node][by].callsite == 0) continue;
      const auto batch = batches_.find(rounds_[node][by]);
      if (batch == batches_.end()) continue;
      const auto senders = batch->second.find(node);
      if (senders == batch->second.end() || senders->second.size() != begun.size()) continue;
      for (std::size_t i = 0; i < begun.size(); ++i) take(node, begun[i], senders->second[i]);
    }
  }

  void infer_one(std::uint32_t node) {
    const std::set<Sender>& left = to_[node];
    // As many as are missing, and all from one rank: then it does not matter which is which.
    if (left.size() != unknown_[node].size() || left.empty() || left.begin()->node != left.rbegin()->node) return;
    for (const EventIndex e : std::vector<EventIndex>(unknown_[node].begin(), unknown_[node].end()))
      take(node, e, *to_[node].begin());
  }

  void settle(std::uint32_t node) {
    if (unknown_[node].empty()) return;
    MpiCalls& calls = calls_[node];
    calls.receives_inferred = 0;
    calls.receives_open = 0;
    for (EventIndex e = 0; e < calls.sources.size(); ++e) {
      if (!receives(calls.functions[e])) continue;
      // Also those that were inferred or recorded are open again, so that all of them match by one rule.
      calls.sources[e] = workload::kAnyPeer;
      ++calls.receives_open;
    }
  }

  const trace::Trace& trace_;
  NodeOfRank nodes_;
  std::vector<MpiCalls> calls_;
  std::vector<std::vector<Round>> rounds_;     // per rank and event
  std::vector<std::set<EventIndex>> unknown_;  // per rank: receives whose source is not known yet
  std::vector<std::set<Sender>> to_;           // per rank: messages to it whose receive is not known yet
  using ByReceiver = std::map<std::uint32_t, std::vector<Sender>>;
  std::map<Round, ByReceiver> exchanged_;  // sends of MPI_Sendrecv
  std::map<Round, ByReceiver> batches_;    // sends by the call that completed them
};

}  // namespace

std::vector<MpiCalls> find_mpi_calls(const trace::Trace& trace) { return SourceSearch(trace).find(); }

}  // namespace orrery::match
