#include "replay/torch/build/communication_hints.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "causal/host/call_index.h"
#include "causal/host/host_match.h"
#include "formats/pytorch_et/reader.h"

namespace orrery::replay::torch {
namespace {

using causal::kNoRow;

class GroupTable {
 public:
  GroupTable(std::int64_t world_size, RankSource& source) : groups_(source.groups) {
    groups_.assign(1, {});
    groups_.front().resize(static_cast<std::size_t>(world_size));
    std::iota(groups_.front().begin(), groups_.front().end(), std::int64_t{0});
  }

  // Without members: all.
  std::uint32_t number(const std::vector<std::int64_t>& members) {
    if (members.empty()) return 0;
    const auto at = std::find(groups_.begin(), groups_.end(), members);
    if (at != groups_.end()) return static_cast<std::uint32_t>(at - groups_.begin());
    groups_.push_back(members);
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }

 private:
  std::vector<std::vector<std::int64_t>>& groups_;
};

// The call around a row that communicates.
std::uint32_t call_around(const RankSource& source, std::uint32_t row) {
  for (std::uint32_t at = row; at != kNoRow; at = source.order.parent[at]) {
    if (source.strings->text(source.host->name[at]).starts_with("c10d::")) return at;
  }
  return row;
}

// What a row says about its group: a name that the trace lists, or the ranks themselves as a sequence.
std::vector<std::int64_t> members_of(const trace::HostCollective& collective,
                                     const std::vector<pytorch_et::ProcessGroup>& listed, const Interner& strings) {
  const std::string_view name = strings.text(collective.group_name);
  for (const pytorch_et::ProcessGroup& group : listed) {
    if (group.name == name) return {group.ranks.begin(), group.ranks.end()};
  }
  std::vector<std::int64_t> members;
  if (collective.first_global_rank < 0 || collective.group_size <= 0 || collective.group_size > (1 << 20))
    return members;
  for (std::int64_t i = 0; i < collective.group_size; ++i)
    members.push_back(collective.first_global_rank + i * std::max<std::int64_t>(1, collective.global_rank_stride));
  return members;
}

// Groups that rows name.
void take_named_groups(RankSource& source, GroupTable& groups) {
  const auto listed = pytorch_et::process_groups(*source.host, *source.strings);
  for (const trace::HostCollective& collective : source.host->collectives) {
    if (collective.group_name == 0) continue;
    CommunicationHint& hint = source.hints[call_around(source, collective.row)];
    hint.group = groups.number(members_of(collective, listed, *source.strings));
    hint.group_name = source.strings->text(collective.group_name);
  }
}

// The time at which the thread of a row goes on after it; kNoTime: never.
TimePs next_begin(const RankSource& source, std::uint32_t row) {
  for (std::uint32_t v = source.order.end[row] + 1; v < source.order.visits.size(); ++v) {
    const Visit visit = source.order.visits[v];
    if (visit.is_end || source.host->thread[visit.row] != source.host->thread[row] ||
        source.begin[visit.row] == kNoTime)
      continue;
    if (!match::is_host_communication(source.strings->text(source.host->name[visit.row])))
      return source.begin[visit.row];
  }
  return kNoTime;
}

// Threads that nobody would think of as the program's: where gloo communicates, those without ranges, calls that
// communicate and autograd.
void find_workers(RankSource& source) {
  const trace::HostTrace& host = *source.host;
  constexpr std::int64_t kUserScope = 7;
  std::set<std::int64_t> programs;  // threads
  bool any_aside = false;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const std::string_view name = source.strings->text(host.name[row]);
    const bool is_aside = match::is_host_communication(name);
    any_aside |= is_aside;
    const bool is_range = host.scope[row] == kUserScope && causal::is_operator_row(name) && !is_aside;
    if (is_range || match::is_call_of_communication(name) || name.starts_with("autograd::"))
      programs.insert(host.thread[row]);
  }
  if (!any_aside || programs.empty()) return;
  source.is_aside.assign(host.size(), 0);
  for (std::uint32_t row = 0; row < host.size(); ++row)
    source.is_aside[row] =
        programs.count(host.thread[row]) == 0 && causal::is_operator_row(source.strings->text(host.name[row]));
}

}  // namespace

void find_communication_hints(const trace::RankTrace& rank, const causal::HostMatch& match,
                              std::span<const match::HostWork> works, std::int64_t world_size, const RowTimes& times,
                              RankSource& source) {
  GroupTable groups(world_size, source);
  take_named_groups(source, groups);
  for (const match::HostWork& work : works) {
    const std::uint32_t row = work.call == match::kNoCall ? kNoRow : match.row_of_event[work.call];
    if (row == kNoRow) continue;
    CommunicationHint& hint = source.hints[row];
    if (work.group != match::kNoGroup && hint.group == 0)
      hint.group = groups.number(rank.source.groups[work.group].ranks);
    if (work.group != match::kNoGroup && hint.group_name.empty()) hint.group_name = rank.source.groups[work.group].name;
    hint.name = rank.name[work.event];
    const TimePs next = next_begin(source, row);
    hint.overlaps = next != kNoTime && rank.end(work.event) > next;
    hint.over_before = times.visit_after(rank.lane[work.call], rank.end(work.event));
  }
}

void find_communication_hints(std::int64_t world_size, RankSource& source) {
  GroupTable groups(world_size, source);
  take_named_groups(source, groups);
  find_workers(source);
}

void set_group(RankSource& source, std::uint32_t row, std::string_view name, const std::vector<std::int64_t>& members) {
  const auto at = std::find(source.groups.begin(), source.groups.end(), members);
  const auto number = static_cast<std::uint32_t>(at - source.groups.begin());
  if (at == source.groups.end()) source.groups.push_back(members);
  CommunicationHint& hint = source.hints[call_around(source, row)];
  hint.group = number;
  hint.group_name = name;
}

}  // namespace orrery::replay::torch
