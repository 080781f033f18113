#include "replay/torch/edits/edit_refusals.h"

#include <fmt/format.h>

#include "analyze/whatif/edit_words.h"

namespace orrery::replay::torch {
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
  if ((rule.kinds & kinds::kGaps) != 0) return "delays are those of the machine that it runs on";
  if (rule.device) return "each rank has one device, and which one is not part of what is replayed";
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

}  // namespace orrery::replay::torch
