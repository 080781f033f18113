#include "causal/program/message_tags.h"

#include <algorithm>
#include <string_view>

#include "workload/workload.h"

namespace orrery::causal {

using match::MpiFunction;
using match::MpiRole;
using trace::EventIndex;
using trace::Field;

MessageTags::MessageTags(const trace::Trace& trace, const std::vector<match::MpiCalls>& calls) {
  if (calls.empty()) return;
  if (const StringId world = trace.strings.find("world"); world != Interner::kMissing) world_ = world;
  std::int64_t highest = 0;
  // By name, since the numbers of texts depend on the order of files.
  std::map<std::pair<std::string_view, std::int64_t>, StringId> others;
  const auto take = [&](StringId group, std::int64_t tag) {
    highest = std::max(highest, tag);
    if (counted(group) != 0 && tag >= 0) others.emplace(std::pair(trace.strings.text(group), tag), group);
  };
  for (std::size_t node = 0; node < trace.ranks.size(); ++node) {
    const trace::RankTrace& rank = trace.ranks[node];
    if (calls[node].functions.empty()) continue;
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const MpiFunction* const function = calls[node].functions[e];
      if (function == nullptr) continue;
      const bool sends = function->role == MpiRole::send || function->role == MpiRole::send_receive;
      if (!sends && function->role != MpiRole::receive) continue;
      const auto group = static_cast<StringId>(rank.field(Field::group_name_text).find(e).value_or(0));
      const std::int64_t tag = rank.field(Field::tag).find(e).value_or(0);
      take(group, tag);
      if (function->role == MpiRole::send_receive) take(group, rank.field(Field::receive_tag).find(e).value_or(0));
      if (!sends) continue;
      const std::int64_t destination = rank.field(Field::destination_rank).find(e).value_or(-1);
      if (destination >= 0) sent_to_[destination][counted(group)].insert(std::max<std::int64_t>(0, tag));
    }
  }
  for (const auto& [named, group] : others) numbers_.emplace(std::pair(group, named.second), ++highest);
}

std::int64_t MessageTags::of(StringId group, std::int64_t tag) const {
  const auto at = numbers_.find({counted(group), tag});
  return at == numbers_.end() ? tag : at->second;
}

std::int64_t MessageTags::of_any(StringId group, std::int64_t rank, bool& is_exact) const {
  is_exact = true;
  const auto to_rank = sent_to_.find(rank);
  if (to_rank == sent_to_.end()) return workload::kAnyTag;
  const auto here = to_rank->second.find(counted(group));
  const bool is_only_one = here != to_rank->second.end() && to_rank->second.size() == 1;
  if (is_only_one) return workload::kAnyTag;
  if (here != to_rank->second.end() && here->second.size() == 1) return of(group, *here->second.begin());
  is_exact = false;
  return workload::kAnyTag;
}

}  // namespace orrery::causal
