#include "analyze/whatif/graph_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/whatif/edit_selector.h"
#include "analyze/whatif/recording_cost.h"

namespace orrery::analyze {
namespace {

using causal::EdgeKind;

/// Which places of a list a set of numbers names, and which numbers are of none. `what`: "rank".
template <typename NumberAt>
std::vector<std::uint8_t> named(const std::optional<NumberSet>& numbers, std::size_t size, NumberAt&& number_at,
                                const char* what, std::vector<std::string>& not_there) {
  std::vector<std::uint8_t> is_named(size, numbers ? 0 : 1);
  if (!numbers) return is_named;
  std::vector<std::int64_t> present;
  for (std::size_t i = 0; i < size; ++i) {
    const std::optional<std::int64_t> number = number_at(i);
    if (!number) continue;
    present.push_back(*number);
    is_named[i] = numbers->contains(*number);
  }
  const std::vector<std::string> absent = absent_numbers(*numbers, present, what);
  not_there.insert(not_there.end(), absent.begin(), absent.end());
  return is_named;
}

std::vector<std::uint8_t> named_ranks(const causal::CausalGraph& job, const EditScope& scope,
                                      EditSelection& selection) {
  return named(
      scope.ranks, job.ranks.size(), [&](std::size_t i) { return std::optional(job.ranks[i].rank); }, "rank",
      selection.not_there);
}

std::vector<std::uint8_t> named_steps(const causal::CausalGraph& job, const EditScope& scope,
                                      EditSelection& selection) {
  return named(
      scope.steps, job.steps.size(), [&](std::size_t i) { return number_of_step(job.steps[i]); }, "step",
      selection.not_there);
}

/// Of communication: by what was exchanged, and in which group.
class ExchangeSelector {
 public:
  ExchangeSelector(const causal::CausalGraph& job, const EditRule& rule)
      : job_(job), limited_(rule.scope.group.has_value()) {
    limited_ = limited_ || rule.exchanged != EditRule::Exchanged::anything;
    if (!limited_) return;
    const StringId message = job.strings.find("p2p");
    const Column<std::uint8_t> group = matching(job.strings, rule.scope.group.value_or(NamePattern()));
    const Column<std::uint8_t> kind = matching(job.strings, rule.collective);
    for (const causal::JobOperation& operation : job.operations) {
      const bool is_message = operation.what == message;
      const bool fits =
          rule.exchanged == EditRule::Exchanged::anything ||
          (rule.exchanged == EditRule::Exchanged::messages ? is_message : !is_message && kind[operation.what] != 0);
      selects_operation_.push_back(fits && group[operation.group] != 0);
    }
    // What found no partners is of no group that is known.
    selects_unmatched_ = rule.exchanged == EditRule::Exchanged::anything && rule.scope.group->is_of_nameless();
  }

  [[nodiscard]] bool selects(graph::Slot slot) const {
    if (!limited_) return true;
    if (job_.kind(slot) != EdgeKind::communication) return false;
    if (!job_.is_transfer(slot)) return selects_unmatched_;
    return selects_operation_[job_.parts[job_.part_of(job_.graph.source(slot))].operation] != 0;
  }

 private:
  const causal::CausalGraph& job_;
  bool limited_;
  bool selects_unmatched_ = false;
  std::vector<std::uint8_t> selects_operation_;
};

/// What share of its measured time the device allows the piece; none: not known.
std::optional<double> share_of(const EditRule& rule, const causal::CausalGraph& job, graph::Slot slot,
                               std::span<const OwnerPrice> prices) {
  const std::uint32_t tag = job.graph.edge_tag(slot);
  if (prices.empty() || tag == graph::kNoTag) return std::nullopt;
  return rule.action == EditRule::Action::roof ? prices[tag].roof : prices[tag].achievable;
}

TimePs lasting(TimePs amount, std::optional<double> factor) {
  return std::llround(
      std::min(static_cast<double>(amount) * factor.value_or(1), static_cast<double>(graph::kMaxWeightPs)));
}

}  // namespace

EditSelection select(const causal::CausalGraph& job, const EditRule& rule, std::span<const OwnerPrice> prices) {
  EditSelection selection;
  if (rule.removes_profiler) {
    const RecordingCost cost(job);
    for (const auto& [slot, time] : cost.savings(cost.fitted())) {
      selection.slots.push_back(slot);
      selection.savings.push_back(time);
    }
    return selection;
  }
  const std::vector<std::uint8_t> ranks = named_ranks(job, rule.scope, selection);
  const std::vector<std::uint8_t> steps = named_steps(job, rule.scope, selection);
  const EditSelector by_event(job, rule, prices);
  const ExchangeSelector by_exchange(job, rule);
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const std::uint32_t rank = job.node_rank[job.graph.node_at(p)];
    if (rank == causal::kNoRank || ranks[rank] == 0) continue;
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      if (!by_event.selects(slot, rank) || !by_exchange.selects(slot)) continue;
      if (rule.scope.steps) {
        const std::uint32_t step = job.step_of(slot, rank);
        if (step == causal::kNoStep || steps[step] == 0) continue;
      }
      selection.slots.push_back(slot);
      if (rule.asks_device() && !share_of(rule, job, slot, prices)) ++selection.unpriced;
    }
  }
  return selection;
}

EditSelection select(const causal::CausalGraph& job, const DelayEvent& delay) {
  EditSelection selection;
  const std::vector<std::uint8_t> ranks = named_ranks(job, delay.scope, selection);
  const std::vector<std::uint8_t> steps = named_steps(job, delay.scope, selection);
  const std::vector<std::vector<graph::Slot>> pieces = pieces_at_step_begins(job);
  for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
    for (std::size_t step = 0; step < pieces[rank].size(); ++step) {
      if (ranks[rank] != 0 && steps[step] != 0 && pieces[rank][step] != graph::kNoSlot)
        selection.slots.push_back(pieces[rank][step]);
    }
  }
  return selection;
}

EditSelection select(const causal::CausalGraph& job, const FailureEvent& failure) {
  EditSelection selection;
  const std::vector<std::uint8_t> ranks = named_ranks(job, failure.scope, selection);
  for (std::uint32_t step = 0; failure.from_step && step < job.steps.size(); ++step) {
    if (number_of_step(job.steps[step]) == failure.from_step) selection.restart_step = step;
  }
  const bool knows_step = !failure.from_step || selection.restart_step != causal::kNoStep;
  if (!knows_step) selection.not_there.push_back(fmt::format("step {}", *failure.from_step));
  if (failure.at >= job.span) selection.not_there.emplace_back("after the end of the job");
  if (!knows_step || failure.at >= job.span) return selection;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank] != 0) selection.ranks.push_back(rank);
  }
  return selection;
}

GraphEdits::GraphEdits(const causal::CausalGraph& job, std::vector<ParsedEdit> edits, std::vector<OwnerPrice> prices)
    : job_(job), edits_(std::move(edits)), prices_(std::move(prices)) {
  for (const ParsedEdit& edit : edits_) {
    if (const auto* rule = std::get_if<EditRule>(&edit)) selections_.push_back(select(job, *rule, prices_));
    else if (const auto* delay = std::get_if<DelayEvent>(&edit)) selections_.push_back(select(job, *delay));
    else if (const auto* failure = std::get_if<FailureEvent>(&edit)) selections_.push_back(select(job, *failure));
    else selections_.emplace_back();
  }
}

void GraphEdits::set_links(std::span<const std::uint64_t> links) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    if (std::holds_alternative<NetworkEdit>(edits_[i])) selections_[i].links = links[next++];
  }
}

/// Of the measured time, whatever edits before it made of that; never longer than they did.
TimePs GraphEdits::allowed(const EditRule& rule, graph::Slot slot, TimePs weight) const {
  const std::optional<double> share = share_of(rule, job_, slot, prices_);
  if (!share) return weight;
  return std::min<TimePs>(weight, std::llround(static_cast<double>(job_.graph.weight(slot)) * *share));
}

graph::Edits GraphEdits::weights(std::optional<double> factor) const {
  graph::Edits edits(job_.graph);
  Column<TimePs> weights(job_.graph.edge_count());
  std::copy(job_.graph.weights().begin(), job_.graph.weights().end(), weights.begin());
  const auto set = [&](graph::Slot slot, TimePs weight) {
    if (weight == weights[slot]) return;
    weights[slot] = weight;
    edits.set_weight(slot, weight);
  };
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    const auto* rule = std::get_if<EditRule>(&edits_[i]);
    if (rule == nullptr) continue;
    const EditSelection& selection = selections_[i];
    for (std::size_t at = 0; at < selection.slots.size(); ++at) {
      const graph::Slot slot = selection.slots[at];
      set(slot, rule->removes_profiler ? std::max<TimePs>(weights[slot] - selection.savings[at], 0)
                : rule->asks_device()  ? allowed(*rule, slot, weights[slot])
                                       : rule->changed(weights[slot], factor));
    }
  }
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    const auto* delay = std::get_if<DelayEvent>(&edits_[i]);
    if (delay == nullptr) continue;
    for (const graph::Slot slot : selections_[i].slots)
      set(slot, std::min(weights[slot] + lasting(delay->amount, factor), graph::kMaxWeightPs));
  }
  return edits;
}

std::vector<Pause> GraphEdits::pauses(std::optional<double> factor) const {
  std::vector<Pause> pauses;
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    const auto* failure = std::get_if<FailureEvent>(&edits_[i]);
    if (failure == nullptr || failure->from_step) continue;
    for (const std::uint32_t rank : selections_[i].ranks)
      pauses.push_back({rank, failure->at, lasting(failure->restart, factor)});
  }
  return pauses;
}

std::optional<GraphEdits::Restart> GraphEdits::restart(std::optional<double> factor) const {
  for (std::size_t i = edits_.size(); i-- > 0;) {
    const auto* failure = std::get_if<FailureEvent>(&edits_[i]);
    if (failure == nullptr || !failure->from_step || selections_[i].ranks.empty()) continue;
    return Restart{failure->at, lasting(failure->restart, factor), selections_[i].restart_step};
  }
  return std::nullopt;
}

}  // namespace orrery::analyze
