#include "analyze/hang/job_calls.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace orrery::analyze {
namespace {

using trace::EventIndex;
using trace::Field;

/// A named argument of a rank's events, asked for in their order.
class NamedValues {
 public:
  NamedValues(const trace::RankTrace& rank, std::string_view name) : values_(column(rank, name)) {}
  std::int64_t find(EventIndex event, std::int64_t missing) { return values_.find(event, missing); }
  StringId text(EventIndex event) { return static_cast<StringId>(values_.find(event, 0)); }

 private:
  static const trace::SparseColumn& column(const trace::RankTrace& rank, std::string_view name) {
    static const trace::SparseColumn kNothing;
    for (const trace::NamedArgument& argument : rank.arguments.named()) {
      if (argument.name == name) return argument.values;
    }
    return kNothing;
  }
  trace::InOrder values_;
};

/// The groups of all ranks, by name and members.
class GroupNumbers {
 public:
  GroupNumbers(const trace::Trace& trace, std::vector<CallGroup>& groups) : trace_(trace), groups_(groups) {}

  /// Of one rank: numbers are by what its calls write.
  void begin_rank(const trace::RankTrace& rank) {
    rank_ = &rank;
    known_.clear();
  }
  std::uint32_t of(StringId name, StringId description) {
    const auto [at, is_new] = known_.try_emplace(name, 0);
    if (!is_new) return at->second;
    std::vector<std::int64_t> members;
    for (const trace::ProcessGroup& group : rank_->source.groups) {
      if (group.name == trace_.strings.text(name)) members = group.ranks;
    }
    if (members.empty()) members = {rank_->rank};
    const std::string text(trace_.strings.text(name));
    const auto [number, is_first] = numbers_.try_emplace({text, members}, static_cast<std::uint32_t>(groups_.size()));
    if (is_first) groups_.push_back({text, std::string(trace_.strings.text(description)), std::move(members)});
    return at->second = number->second;
  }

 private:
  const trace::Trace& trace_;
  std::vector<CallGroup>& groups_;
  const trace::RankTrace* rank_ = nullptr;
  std::map<StringId, std::uint32_t> known_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::uint32_t> numbers_;
};

/// One entry before it is known what was made as one.
struct Entry {
  RecordedCall call;
  std::int64_t record = 0;
  std::int64_t collective = 0;  // the number of collectives until then, which messages have, too
  std::int64_t p2p = 0;
  bool ends_coalesced = false;
};

std::vector<Entry> entries_of(const trace::Trace& trace, const trace::RankTrace& rank, GroupNumbers& groups,
                              const std::vector<CallGroup>& known_groups) {
  groups.begin_rank(rank);
  NamedValues states(rank, "state"), retired(rank, "retired"), records(rank, "record"), called(rank, "called_ns"),
      p2p(rank, "p2p_sequence"), descriptions(rank, "group_description"), where(rank, "where"),
      out_types(rank, "out_dtype");
  trace::InOrder kinds(rank.field(Field::collective_text)), numbers(rank.field(Field::collective_sequence)),
      names(rank.field(Field::group_name_text)), peers(rank.field(Field::group_rank)),
      in(rank.field(Field::in_elements)), out(rank.field(Field::out_elements)), types(rank.field(Field::dtype_text));
  const StringId send = trace.strings.find("send"), recv = trace.strings.find("recv"),
                 any = trace.strings.find("recvAnySource"), coalesced = trace.strings.find("coalesced"),
                 completed = trace.strings.find("completed"), started = trace.strings.find("started");
  std::vector<Entry> entries;
  entries.reserve(rank.event_count());
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    Entry& entry = entries.emplace_back();
    RecordedCall& call = entry.call;
    call.what = static_cast<StringId>(kinds.find(e, 0));
    call.is_send = call.what == send;
    call.is_message = call.is_send || call.what == recv || call.what == any;
    call.group = groups.of(static_cast<StringId>(names.find(e, 0)), descriptions.text(e));
    call.called_ns = called.find(e, 0);
    call.in_elements = in.find(e, kSizeUnknown);
    call.out_elements = out.find(e, kSizeUnknown);
    call.in_type = static_cast<StringId>(types.find(e, 0));
    const StringId other_type = out_types.text(e);
    call.out_type = other_type == 0 ? call.in_type : other_type;
    call.where = where.text(e);
    call.is_of_host = rank.activity(e) != trace::Activity::kernel;
    entry.record = records.find(e, e);
    entry.collective = numbers.find(e, 0);
    entry.p2p = p2p.find(e, 0);
    entry.ends_coalesced = call.what == coalesced;
    call.number = call.is_message ? entry.p2p : entry.collective;
    const bool is_retired = retired.find(e, 0) != 0;
    const StringId state = states.text(e);
    if (call.is_of_host) call.state = is_retired ? CallState::done : CallState::inside;
    // What was retired and is not complete has timed out.
    else
      call.state = state == completed               ? CallState::done
                   : state == started || is_retired ? CallState::inside
                                                    : CallState::queued;
    const std::int64_t place = peers.find(e, -1);
    const std::vector<std::int64_t>& ranks = known_groups[call.group].ranks;
    if (place >= 0 && static_cast<std::size_t>(place) < ranks.size())
      call.peer = ranks[static_cast<std::size_t>(place)];
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.record < b.record; });
  return entries;
}

/// Joins the entries before each one that ends a coalesced group.
std::vector<RecordedCall> calls_of(std::vector<Entry>& entries) {
  std::vector<RecordedCall> calls;
  std::vector<std::size_t> made_by;  // the entry of each call
  calls.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (!entry.ends_coalesced) {
      calls.push_back(entry.call);
      made_by.push_back(i);
      continue;
    }
    RecordedCall whole = entry.call;
    bool are_messages = false;
    std::size_t first = calls.size();
    while (first > 0) {
      const Entry& before = entries[made_by[first - 1]];
      if (before.call.group != whole.group || before.ends_coalesced) break;
      const bool is_part = before.call.is_message ? before.p2p == entry.p2p : before.collective == entry.collective;
      // A group of messages counts none of the collectives: what has its number came before it.
      if (!is_part || (first < calls.size() && before.call.is_message != are_messages)) break;
      are_messages = before.call.is_message;
      --first;
    }
    if (are_messages) {
      for (std::size_t c = first; c < calls.size(); ++c) calls[c].state = whole.state;
      continue;
    }
    whole.in_elements = std::max<std::int64_t>(whole.in_elements, 0);
    whole.out_elements = std::max<std::int64_t>(whole.out_elements, 0);
    for (std::size_t c = first; c < calls.size(); ++c) {
      whole.in_elements += std::max<std::int64_t>(calls[c].in_elements, 0);
      whole.out_elements += std::max<std::int64_t>(calls[c].out_elements, 0);
      if (c == first)
        whole.in_type = calls[c].in_type, whole.out_type = calls[c].out_type, whole.where = calls[c].where;
    }
    calls.resize(first);
    made_by.resize(first);
    calls.push_back(whole);
    made_by.push_back(i);
  }
  return calls;
}

void add_missing_ranks(JobCalls& job, std::int64_t world) {
  std::vector<std::int64_t> needed(static_cast<std::size_t>(std::max<std::int64_t>(world, 0)));
  std::iota(needed.begin(), needed.end(), 0);
  for (const CallGroup& group : job.groups) needed.insert(needed.end(), group.ranks.begin(), group.ranks.end());
  for (const RankCalls& rank : job.ranks) needed.push_back(rank.rank);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  std::vector<RankCalls> all;
  all.reserve(needed.size());
  std::size_t next = 0;
  for (const std::int64_t rank : needed) {
    if (next < job.ranks.size() && job.ranks[next].rank == rank) all.push_back(std::move(job.ranks[next++]));
    else all.emplace_back().rank = rank;
  }
  job.ranks = std::move(all);
}

void index_members(JobCalls& job) {
  std::vector<std::map<std::uint32_t, std::size_t>> member_of(job.groups.size());
  for (std::uint32_t g = 0; g < job.groups.size(); ++g) {
    std::vector<MemberCalls>& members = job.members.emplace_back();
    for (const std::int64_t rank : job.groups[g].ranks) {
      member_of[g].try_emplace(job.place_of(rank), members.size());
      members.push_back({job.place_of(rank), {}});
    }
  }
  for (std::uint32_t r = 0; r < job.ranks.size(); ++r) {
    const std::vector<RecordedCall>& calls = job.ranks[r].calls;
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_group;
    std::vector<std::uint32_t>* last = nullptr;
    for (std::uint32_t c = 0; c < calls.size(); ++c) {
      if (calls[c].is_message) continue;
      if (last == nullptr || calls[last->back()].group != calls[c].group) last = &by_group[calls[c].group];
      last->push_back(c);
    }
    for (auto& [group, list] : by_group) {
      const auto member = member_of[group].find(r);
      // Of a group that does not list whoever calls in it nothing can be said.
      if (member == member_of[group].end()) continue;
      std::stable_sort(list.begin(), list.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return calls[a].number < calls[b].number; });
      job.members[group][member->second].calls = std::move(list);
    }
  }
}

/// gloo calls a collective over also when it failed, because a peer went. One that a member never called, and that
/// member is there, cannot have been completed.
void take_back_failed(JobCalls& job) {
  for (std::uint32_t g = 0; g < job.groups.size(); ++g) {
    std::int64_t called_by_all = std::numeric_limits<std::int64_t>::max();
    for (const MemberCalls& member : job.members[g]) {
      const RankCalls& rank = job.ranks[member.rank];
      if (!rank.has_dumped || (member.calls.empty() && rank.is_cut)) continue;
      called_by_all = std::min(called_by_all, member.calls.empty() ? 0 : rank.calls[member.calls.back()].number);
    }
    for (const MemberCalls& member : job.members[g]) {
      std::vector<RecordedCall>& calls = job.ranks[member.rank].calls;
      for (auto at = member.calls.rbegin(); at != member.calls.rend() && calls[*at].number > called_by_all; ++at) {
        if (calls[*at].is_of_host) calls[*at].state = CallState::inside;
      }
    }
  }
}

}  // namespace

const RecordedCall* JobCalls::find(const MemberCalls& member, std::int64_t number) const {
  const std::vector<RecordedCall>& calls = ranks[member.rank].calls;
  const auto at =
      std::lower_bound(member.calls.begin(), member.calls.end(), number,
                       [&](std::uint32_t call, std::int64_t wanted) { return calls[call].number < wanted; });
  return at != member.calls.end() && calls[*at].number == number ? &calls[*at] : nullptr;
}

bool JobCalls::has_passed(const MemberCalls& member, std::int64_t number) const {
  const RankCalls& rank = ranks[member.rank];
  return rank.is_cut && !member.calls.empty() && rank.calls[member.calls.front()].number > number;
}

std::uint32_t JobCalls::place_of(std::int64_t rank) const {
  const auto at =
      std::lower_bound(ranks.begin(), ranks.end(), rank, [](const RankCalls& a, std::int64_t b) { return a.rank < b; });
  return static_cast<std::uint32_t>(at - ranks.begin());
}

void complete_calls(JobCalls& job, std::int64_t world) {
  // A file may claim any world; one that large is not written out.
  add_missing_ranks(job, std::min<std::int64_t>(world, 1'000'000));
  index_members(job);
  take_back_failed(job);
}

JobCalls collect_calls(const trace::Trace& trace) {
  JobCalls job;
  job.strings = &trace.strings;
  GroupNumbers groups(trace, job.groups);
  std::int64_t world = 0;
  for (const trace::RankTrace& rank : trace.ranks) {
    std::vector<Entry> entries = entries_of(trace, rank, groups, job.groups);
    RankCalls& calls = job.ranks.emplace_back();
    calls.rank = rank.rank;
    calls.has_dumped = !rank.source.properties.empty();
    calls.is_cut = !entries.empty() && entries.front().record > 0;
    calls.entries = entries.size();
    calls.calls = calls_of(entries);
    world = std::max({world, rank.source.world_size.value_or(0), rank.rank + 1});
  }
  complete_calls(job, world);
  return job;
}

}  // namespace orrery::analyze
