#include "formats/flight_recorder/call_ends.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/flight_recorder/diagnostics.h"
#include "formats/flight_recorder/rank_builder.h"

namespace orrery::flight_recorder {
namespace {

using trace::EventIndex;
using trace::Field;
using trace::RankTrace;
using trace::ReadRank;

const trace::SparseColumn* named_column(const RankTrace& rank, std::string_view name) {
  for (const trace::NamedArgument& argument : rank.arguments.named()) {
    if (argument.name == name) return &argument.values;
  }
  return nullptr;
}

/// The groups that calls of one rank name, in the order of their first call, with what they are described as.
std::vector<std::pair<StringId, StringId>> groups_named(const RankTrace& rank) {
  std::vector<std::pair<StringId, StringId>> named;
  const trace::SparseColumn& names = rank.field(Field::group_name_text);
  const trace::SparseColumn* const descriptions = named_column(rank, kDescription);
  StringId last = 0;
  bool any = false;
  for (std::size_t i = 0; i < names.event.size(); ++i) {
    const auto name = static_cast<StringId>(names.value[i]);
    if (any && name == last) continue;
    any = true;
    last = name;
    if (std::any_of(named.begin(), named.end(), [&](const auto& known) { return known.first == name; })) continue;
    const auto description = descriptions == nullptr ? std::nullopt : descriptions->find(names.event[i]);
    named.emplace_back(name, static_cast<StringId>(description.value_or(0)));
  }
  return named;
}

std::string list_of(const std::vector<std::int64_t>& ranks) {
  std::string text = "[";
  for (const std::int64_t rank : ranks) text.append(text.size() > 1 ? ", " : "").append(std::to_string(rank));
  return text + "]";
}

/// The list beside every call of a group that its own dump did not list.
void push_lists(RankTrace& rank, const std::map<StringId, StringId>& lists) {
  if (lists.empty()) return;
  const trace::SparseColumn& names = rank.field(Field::group_name_text);
  trace::SparseColumn added;
  for (std::size_t i = 0; i < names.event.size(); ++i) {
    if (const auto list = lists.find(static_cast<StringId>(names.value[i])); list != lists.end())
      added.push(names.event[i], list->second);
  }
  rank.field(Field::group_ranks_text).merge(std::move(added));
}

/// What is known of one collective of one group.
struct Arrivals {
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
};

struct GroupCalls {
  std::unordered_map<std::int64_t, Arrivals> by_number;
  std::map<std::int64_t, std::int64_t> last_of_rank;  // the highest number that a rank called
  std::int64_t called_by_all = 0;                     // the highest that everybody called
};

std::int64_t unix_ns(const RankTrace& rank, EventIndex event) { return rank.epoch_unix_ns + rank.start[event] / 1000; }

/// The group of every call of a rank as one text, so that one name with other members is another group.
class CallGroups {
 public:
  explicit CallGroups(const ReadRank& read)
      : strings_(read.strings),
        names_(read.rank.field(Field::group_name_text)),
        lists_(read.rank.field(Field::group_ranks_text)) {}
  /// In order of event.
  GroupCalls& of(EventIndex event, std::map<std::string, GroupCalls>& groups) {
    const std::pair<std::int64_t, std::int64_t> key{names_.find(event, 0), lists_.find(event, 0)};
    const auto [at, is_new] = known_.try_emplace(key, nullptr);
    if (is_new) {
      const auto text = [&](std::int64_t id) { return std::string(strings_.text(static_cast<StringId>(id))); };
      at->second = &groups[text(key.first) + '\n' + text(key.second)];
    }
    return *at->second;
  }

 private:
  const Interner& strings_;
  trace::InOrder names_, lists_;
  std::map<std::pair<std::int64_t, std::int64_t>, GroupCalls*> known_;
};

bool is_of_host(const RankTrace& rank, EventIndex event) { return rank.category[event] == 0; }

}  // namespace

std::int64_t complete_groups(std::span<ReadRank* const> ranks) {
  std::int64_t world = 0;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> users;  // of groups that no dump lists
  for (const ReadRank* const read : ranks) {
    world = std::max({world, read->rank.rank + 1, read->rank.source.world_size.value_or(0)});
    for (const auto& [name, description] : groups_named(read->rank))
      users[std::string(read->strings.text(name))].push_back(read->rank.rank);
  }
  std::vector<std::int64_t> everybody(static_cast<std::size_t>(world));
  std::iota(everybody.begin(), everybody.end(), 0);
  for (ReadRank* const read : ranks) {
    RankTrace& rank = read->rank;
    rank.source.world_size = world;
    std::map<StringId, StringId> lists;
    for (const auto& [name, description] : groups_named(rank)) {
      const std::string_view text = read->strings.text(name);
      const auto listed = std::find_if(rank.source.groups.begin(), rank.source.groups.end(),
                                       [&](const trace::ProcessGroup& group) { return group.name == text; });
      if (listed != rank.source.groups.end()) continue;
      const bool is_world = read->strings.text(description) == "default_pg";
      const std::vector<std::int64_t>& members = is_world ? everybody : users.find(text)->second;
      lists[name] = read->strings.intern(list_of(members));
      rank.source.groups.push_back({std::string(text), members});
    }
    push_lists(rank, lists);
  }
  return world;
}

void estimate_ends(std::span<ReadRank* const> ranks, Diagnostics& diagnostics) {
  std::map<std::string, GroupCalls> groups;
  for (const ReadRank* const read : ranks) {
    const RankTrace& rank = read->rank;
    CallGroups of_call(*read);
    trace::InOrder numbers(rank.field(Field::collective_sequence));
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      if (!is_of_host(rank, e)) continue;
      const std::int64_t number = numbers.find(e, -1);
      if (number < 0) continue;
      GroupCalls& group = of_call.of(e, groups);
      Arrivals& arrivals = group.by_number[number];
      arrivals.latest_ns = std::max(arrivals.latest_ns, unix_ns(rank, e));
      std::int64_t& last = group.last_of_rank[rank.rank];
      last = std::max(last, number);
    }
  }
  for (auto& [name, group] : groups) {
    const auto least = std::min_element(group.last_of_rank.begin(), group.last_of_rank.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    group.called_by_all = least->second;
  }
  for (ReadRank* const read : ranks) {
    RankTrace& rank = read->rank;
    CallGroups of_call(*read);
    const trace::SparseColumn* const retired_column = named_column(rank, kRetired);
    if (retired_column == nullptr) continue;
    trace::InOrder numbers(rank.field(Field::collective_sequence)), retired(*retired_column);
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      if (!is_of_host(rank, e) || retired.find(e, 0) == 0) continue;
      const std::int64_t number = numbers.find(e, -1);
      std::int64_t end_ns = unix_ns(rank, e) + 1;
      if (number >= 0) {
        const GroupCalls& group = of_call.of(e, groups);
        if (number > group.called_by_all) continue;
        end_ns = std::max(end_ns, group.by_number.at(number).latest_ns + 1);
      }
      if (e + 1 < rank.event_count()) end_ns = std::min(end_ns, std::max(unix_ns(rank, e + 1), unix_ns(rank, e) + 1));
      rank.duration[e] = (end_ns - unix_ns(rank, e)) * kPsPerNs;
      rank.flags[e] |= trace::kHasDuration | trace::kDurationEstimated;
      diagnostics.add(kEndEstimated, [&] { return rank.source.path; });
    }
  }
}

}  // namespace orrery::flight_recorder
