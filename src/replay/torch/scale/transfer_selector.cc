#include "replay/torch/scale/transfer_selector.h"

#include <algorithm>

namespace orrery::replay::torch {

bool selects_kind(const analyze::EditRule& rule, const std::optional<match::CommunicationKind>& kind) {
  using Exchanged = analyze::EditRule::Exchanged;
  if (rule.exchanged == Exchanged::anything) return true;
  const bool is_message = kind && kind->kind != workload::ActivityKind::collective;
  if (rule.exchanged == Exchanged::messages) return is_message;
  return !is_message && rule.collective.matches(kind ? workload::to_string(kind->collective) : std::string_view());
}

TransferSelector::TransferSelector(const RankSource& source, const ChosenCalls& chosen, const analyze::EditRule& rule)
    : source_(source), rule_(rule), works_(chosen.collectives.size()), place_(chosen.collective) {
  for (std::uint32_t w = 0; w < source.works.size(); ++w) {
    const std::uint32_t row = source.works[w].launch.row;
    // Copies that gloo makes are none: what its threads do is the communication.
    if (source.works[w].kind != causal::EdgeKind::kernel) continue;
    if (row == causal::kNoRow || chosen.call_of[row] == causal::kNoRow) continue;
    if (const std::uint32_t number = chosen.collective[chosen.call_of[row]]; number != kNoNumber32)
      works_[number].push_back(w);
  }
}

Result<bool> TransferSelector::has_name(std::uint32_t row, const CommunicationHint* hint) const {
  const std::vector<std::uint32_t>& works = works_[place_[row]];
  const bool is_named = hint != nullptr && hint->name != 0;
  if (works.empty() && !is_named)
    return Error{"what was done for " + std::string(source_.strings->text(source_.host->name[row])) +
                 " has no name in this recording"};
  return (is_named && rule_.name.matches(source_.strings->text(hint->name))) ||
         std::any_of(works.begin(), works.end(),
                     [&](std::uint32_t w) { return rule_.name.matches(source_.strings->text(source_.works[w].name)); });
}

Result<bool> TransferSelector::selects(std::uint32_t row) const {
  const std::string_view call = source_.strings->text(source_.host->name[row]);
  const auto at = source_.hints.find(row);
  const CommunicationHint* const hint = at == source_.hints.end() ? nullptr : &at->second;
  if (!selects_kind(rule_, match::communication_kind(call))) return false;
  if (rule_.scope.group) {
    if (hint == nullptr || hint->group_name.empty())
      return Error{"the group of " + std::string(call) + " was not recorded"};
    if (!rule_.scope.group->matches(hint->group_name)) return false;
  }
  const std::vector<std::uint32_t>& works = works_[place_[row]];
  const auto is_on_stream = [&](std::uint32_t w) { return source_.streams[source_.works[w].stream] == *rule_.stream; };
  if (rule_.stream && std::none_of(works.begin(), works.end(), is_on_stream)) return false;
  if (rule_.name.matches_everything()) return true;
  return has_name(row, hint);
}

}  // namespace orrery::replay::torch
