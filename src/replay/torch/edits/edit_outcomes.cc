#include "replay/torch/edits/edit_outcomes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/whatif/edit_language.h"

// Whatever cannot be carried out by running again is refused before anything is read. After all ranks were edited, both
// sides of every communication must have been edited alike: a rank that leaves out what another one waits for would
// hang.

namespace orrery::replay::torch {
namespace {

/// What numbers communications: a group, or a sender, a receiver and a tag.
using Channel = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>;

struct FirstSide {
  std::int64_t rank;
  const TransferSide* side;
};

std::string said(const TransferSide& side) {
  if (side.edit.factor == 0) return "left out";
  return side.edit.factor == 1 ? "as recorded" : fmt::format("{:g} times as much", side.edit.factor);
}

std::string named(const TransferSide& side, std::size_t number, const std::vector<std::vector<std::int64_t>>& groups) {
  if (side.sender >= 0) return fmt::format("message {} from rank {} to rank {}", number, side.sender, side.receiver);
  return fmt::format("{} {} of ranks {}", side.kind, number, fmt::join(groups[side.group], ", "));
}

}  // namespace

Status check_edited_alike(const std::vector<analyze::ParsedEdit>& edits, const std::vector<OperationList>& ranks,
                          const std::vector<std::vector<std::int64_t>>& groups) {
  std::map<Channel, std::vector<FirstSide>> seen;
  for (const OperationList& rank : ranks) {
    std::map<Channel, std::size_t> next;
    for (const TransferSide& side : rank.edited.sides) {
      const Channel channel{side.group, side.sender, side.receiver, side.tag};
      // The n-th of a channel on one rank is the n-th on all: communication of a channel keeps its order.
      const std::size_t number = next[channel]++;
      std::vector<FirstSide>& firsts = seen[channel];
      // The first rank that has it sets what the others are held against.
      if (number == firsts.size()) {
        firsts.push_back({rank.rank, &side});
        continue;
      }
      const auto [first_rank, first] = firsts[number];
      if (first->edit.factor == side.edit.factor) continue;
      // Either of the two edits may be the one that did it; where one side has none, it is the other's.
      const std::uint32_t edit = side.edit.edit != TransferEdit::kNoEdit ? side.edit.edit : first->edit.edit;
      return refuse_edit(
          analyze::text_of(edits[edit]),
          fmt::format("{} would be {} on rank {} and {} on rank {}, and all who take part have to do the same",
                      named(side, number, groups), said(*first), first_rank, said(side), rank.rank));
    }
  }
  return {};
}

namespace {

using analyze::EditRule;
using causal::EdgeKind;
namespace kinds = analyze::edit_kinds;

constexpr std::uint32_t kOperators = analyze::bit_of(EdgeKind::cpu_operator);
constexpr std::uint32_t kUntraced = analyze::bit_of(EdgeKind::cpu_untraced);

// The host's own time between calls, as far as it is one number that can be scaled; empty: it can be.
std::string why_not_paced(const EditRule& rule, bool keeps_pace) {
  if (rule.kinds != kinds::kHost && rule.kinds != kUntraced)
    return "the time between calls is one piece here: cpu or untraced scale all of it, with --pace recorded";
  if (!keeps_pace)
    return "the host is as fast as it can be; with --pace recorded it keeps its own recorded time between calls, which "
           "can be scaled";
  const bool is_whole =
      rule.name.matches_everything() && !rule.stream && !rule.inside && !rule.scope.steps && !rule.scope.group;
  if (!is_whole)
    return "the time between calls has no names, streams, groups or steps: it is scaled as a whole, of some ranks or "
           "all";
  if (rule.action != EditRule::Action::scale && !leaves_nothing(rule))
    return "the time between calls can be scaled, or removed";
  return {};
}

std::string why_not(const EditRule& rule, const EmitOptions& options) {
  if (rule.removes_profiler) return "a replay is measured without a profiler";
  if (rule.asks_operators()) return "what operators compute, and what a device allows for it, is not part of a replay";
  if ((rule.kinds & kinds::kGaps) != 0) return "delays are those of the machine that it runs on";
  if (rule.device) return "each rank has one device, and which one is not part of what is replayed";
  // Leaving out is all that can be done to something that is called.
  if (rule.kinds == kOperators)
    return leaves_nothing(rule)
               ? ""
               : "operators are called, and take what they take; remove can be done: they are not called";
  if ((rule.kinds & kinds::kHost) != 0) return why_not_paced(rule, options.keeps_pace);
  const bool is_transfer = rule.kinds == kinds::kCommunication;
  if (is_transfer && rule.action != EditRule::Action::scale && !leaves_nothing(rule))
    return "communication takes what the network takes; it can carry * times as much, or be removed";
  if (is_transfer && options.compute_only) return "--compute-only leaves out all communication";
  if ((rule.kinds & kinds::kCommunication) == 0 && options.communication_only)
    return "--communication-only leaves out everything else";
  return {};
}

std::string why_not(const analyze::ParsedEdit& edit, const EmitOptions& options) {
  if (const auto* rule = std::get_if<EditRule>(&edit)) return why_not(*rule, options);
  if (std::holds_alternative<analyze::FailureEvent>(edit))
    return "processes of a replay are not ended and started again; delay lets a rank stand still";
  if (std::holds_alternative<analyze::NetworkEdit>(edit))
    return "the network is the one that it runs on; comm * 2 lets all communication carry twice as much";
  return {};
}

}  // namespace

Error refuse_edit(const std::string& edit, const std::string& why, std::string file) {
  return Error{fmt::format("'{}' cannot be carried out: {}", edit, why), std::move(file), Error::kNoOffset,
               "nothing was written; docs/REPLAY.md says which edits a replay can carry out"};
}

bool leaves_nothing(const EditRule& rule) {
  return (rule.action == EditRule::Action::set && rule.amount == 0) ||
         (rule.action == EditRule::Action::scale && rule.factor == 0);
}

bool leaves_everything(const EditRule& rule) {
  return (rule.action == EditRule::Action::scale && rule.factor == 1) ||
         (rule.action == EditRule::Action::add && rule.amount == 0);
}

Status check_edits(const EmitOptions& options) {
  for (const analyze::ParsedEdit& edit : options.edits) {
    if (const std::string why = why_not(edit, options); !why.empty()) return refuse_edit(analyze::text_of(edit), why);
  }
  return {};
}

namespace {

const analyze::EditScope* scope_of(const analyze::ParsedEdit& edit) {
  if (const auto* rule = std::get_if<analyze::EditRule>(&edit)) return &rule->scope;
  if (const auto* delay = std::get_if<analyze::DelayEvent>(&edit)) return &delay->scope;
  return nullptr;
}

std::string several(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", format_count(count), one, count == 1 ? "" : "s");
}

// What is done to each sort of thing that a change can select.
std::vector<std::string> parts_of(const analyze::EditRule& rule, const EditCount& count) {
  const bool removes = leaves_nothing(rule), stays = leaves_everything(rule);
  std::vector<std::string> parts;
  if (count.operations > 0)
    parts.push_back(several(count.operations, "operation") + (stays                   ? " as recorded"
                                                              : count.operations == 1 ? " is not called"
                                                                                      : " are not called"));
  if (count.communications > 0)
    parts.push_back(several(count.communications, "communication") +
                    (removes ? " left out" : fmt::format(" of {:g} times the size", rule.factor)));
  if (count.works > 0)
    parts.push_back(several(count.works, "piece") +
                    (removes ? " of replaced work left out" : " of replaced work changed"));
  if (count.is_pace)
    parts.push_back(
        fmt::format("the host's own time between calls is {:g} times the recorded one", removes ? 0 : rule.factor));
  return parts;
}

}  // namespace

std::vector<EditOutcome> outcomes_of(const std::vector<analyze::ParsedEdit>& edits,
                                     const std::vector<OperationList>& ranks) {
  std::vector<std::int64_t> numbers, steps;
  for (const OperationList& rank : ranks) {
    numbers.push_back(rank.rank);
    // Ranks may have recorded different steps; a step is there if any has it.
    steps.insert(steps.end(), rank.edited.steps.begin(), rank.edited.steps.end());
  }
  std::vector<EditOutcome> outcomes(edits.size());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    EditOutcome& outcome = outcomes[i];
    outcome.text = analyze::text_of(edits[i]);
    for (const OperationList& rank : ranks) outcome.count += rank.edited.counts[i];
    const analyze::EditScope* const scope = scope_of(edits[i]);
    if (scope != nullptr && scope->ranks) outcome.not_there = analyze::absent_numbers(*scope->ranks, numbers, "rank");
    if (scope == nullptr || !scope->steps) continue;
    const std::vector<std::string> absent = analyze::absent_numbers(*scope->steps, steps, "step");
    outcome.not_there.insert(outcome.not_there.end(), absent.begin(), absent.end());
  }
  return outcomes;
}

std::string remark_on(const analyze::ParsedEdit& edit, const EditOutcome& outcome) {
  std::vector<std::string> parts;
  if (const auto* rule = std::get_if<analyze::EditRule>(&edit)) parts = parts_of(*rule, outcome.count);
  else if (const auto* delay = std::get_if<analyze::DelayEvent>(&edit); delay != nullptr && outcome.count.pauses > 0)
    parts.push_back(fmt::format("the host stands still for {} at the begin of {}", format_duration(delay->amount),
                                several(outcome.count.pauses, "step")));
  if (parts.empty()) parts.emplace_back("selects nothing");
  return fmt::format("{}: {}", outcome.text, fmt::join(parts, ", "));
}

}  // namespace orrery::replay::torch
