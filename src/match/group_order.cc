#include "match/group_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "match/communication.h"
#include "match/number_table.h"

// Host backends write no sequence numbers, but members of a group do the same in the same order. Each member's works
// are tokens of kind and size; if all lists agree from the front, or all from the back, places in the list are the
// numbers.

namespace orrery::match {

ProcessGroups::ProcessGroups(const trace::Trace& trace) : numbers_(trace.ranks.size()) {
  for (const trace::RankTrace& rank : trace.ranks)
    world_size_ =
        std::max(world_size_, static_cast<std::size_t>(std::max<std::int64_t>(0, rank.source.world_size.value_or(0))));
  // A world size that no list of members bears out is not written out as one: a file may claim any number.
  std::size_t longest = trace.ranks.size();
  for (const trace::RankTrace& rank : trace.ranks) {
    for (const trace::ProcessGroup& group : rank.source.groups) longest = std::max(longest, group.ranks.size());
  }
  // The lists may be those of sub-groups only: then the number of traces is the least that is known.
  world_size_ = world_size_ == 0 ? longest : std::min(world_size_, longest);
  std::vector<std::int64_t> everybody(world_size_);
  std::iota(everybody.begin(), everybody.end(), 0);
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::uint32_t> known;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (const trace::ProcessGroup& group : trace.ranks[r].source.groups) {
      const std::vector<std::int64_t>& ranks = group.ranks.empty() ? everybody : group.ranks;
      const auto [at, is_new] = known.try_emplace({group.name, ranks}, static_cast<std::uint32_t>(groups_.size()));
      if (is_new) groups_.push_back({group.name, ranks, {}});
      std::vector<std::uint32_t>& listed = groups_[at->second].listed;
      if (listed.empty() || listed.back() != r) listed.push_back(r);
      numbers_[r].push_back(at->second);
    }
  }
}

std::vector<std::string> ProcessGroups::reused_names() const {
  std::set<std::string> seen, reused;
  for (const Group& group : groups_) {
    if (!seen.insert(group.name).second) reused.insert(group.name);
  }
  return {reused.begin(), reused.end()};
}

namespace {

/// What one member did in a group, in order.
struct MemberSeries {
  std::vector<std::uint64_t> tokens;
  std::vector<HostWork*> works;
  std::vector<std::int64_t> input_bytes;  ///< as far as recorded beside the work; else kNoNumber
};

bool same_front(const MemberSeries& a, const MemberSeries& b) {
  const std::size_t count = std::min(a.tokens.size(), b.tokens.size());
  return std::equal(a.tokens.begin(), a.tokens.begin() + static_cast<std::ptrdiff_t>(count), b.tokens.begin());
}

bool same_back(const MemberSeries& a, const MemberSeries& b) {
  const std::size_t count = std::min(a.tokens.size(), b.tokens.size());
  return std::equal(a.tokens.rbegin(), a.tokens.rbegin() + static_cast<std::ptrdiff_t>(count), b.tokens.rbegin());
}

/// Members that only receive record nothing of what a scatter hands out: they learn it from the root, the one that
/// recorded its input.
void share_sizes_of_scatters(const std::vector<MemberSeries>& members) {
  std::map<std::int64_t, std::int64_t> of_root;  // by sequence
  for (const MemberSeries& member : members) {
    for (std::size_t i = 0; i < member.works.size(); ++i) {
      const HostWork& work = *member.works[i];
      if (work.kind.collective == workload::Collective::scatter && member.input_bytes[i] != kNoNumber)
        of_root.emplace(work.sequence, member.input_bytes[i]);
    }
  }
  for (const MemberSeries& member : members) {
    for (HostWork* const work : member.works) {
      if (work->kind.collective != workload::Collective::scatter) continue;
      if (const auto found = of_root.find(work->sequence); found != of_root.end()) work->root_bytes = found->second;
    }
  }
}

/// kNoNumber if the size or the type of the elements was not recorded beside the work itself.
std::int64_t input_bytes(const trace::Trace& trace, const trace::RankTrace& rank, const HostWork& work) {
  const auto elements = rank.field(trace::Field::in_elements).find(work.event);
  const auto dtype = rank.field(trace::Field::dtype_text).find(work.event);
  if (!elements || !dtype) return kNoNumber;
  const std::int64_t each = element_bytes(trace.strings.text(static_cast<StringId>(*dtype)));
  std::int64_t bytes = 0;
  return each == 0 || *elements < 0 || __builtin_mul_overflow(*elements, each, &bytes) ? kNoNumber : bytes;
}

/// False if the members do not agree, or agree in more than one way.
bool number_series(std::vector<MemberSeries>& members) {
  const MemberSeries& longest =
      *std::max_element(members.begin(), members.end(),
                        [](const MemberSeries& a, const MemberSeries& b) { return a.tokens.size() < b.tokens.size(); });
  const auto all = [&](auto&& same) {
    return std::all_of(members.begin(), members.end(),
                       [&](const MemberSeries& member) { return same(member, longest); });
  };
  const bool equal = std::all_of(members.begin(), members.end(), [&](const MemberSeries& member) {
    return member.tokens.size() == longest.tokens.size();
  });
  const bool front = all(same_front), back = all(same_back);
  // Of different lengths that fit at both ends nobody can say which end is missing.
  if (equal ? !front : front == back) return false;
  const std::size_t length = longest.tokens.size();
  for (MemberSeries& member : members) {
    const std::size_t skipped = front ? 0 : length - member.works.size();
    for (std::size_t i = 0; i < member.works.size(); ++i)
      member.works[i]->sequence = static_cast<std::int64_t>(skipped + i);
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> order_of_issue(const trace::RankTrace& rank, const trace::ContentOrder& content,
                                          const std::vector<HostWork>& works) {
  std::vector<std::uint32_t> order(works.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto asked = [&](const HostWork& work) { return rank.start[work.call == kNoCall ? work.event : work.call]; };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (asked(works[a]) != asked(works[b])) return asked(works[a]) < asked(works[b]);
    return content.before(works[a].event, works[b].event);
  });
  return order;
}

std::uint64_t token_of(const HostWork& work) {
  using workload::Collective;
  const Collective kind = work.kind.collective;
  const bool is_even = kind == Collective::all_reduce || kind == Collective::broadcast || kind == Collective::reduce;
  return mix(mix(7, static_cast<std::uint64_t>(kind)), is_even ? static_cast<std::uint64_t>(work.elements) : 0);
}

void number_in_order(const trace::Trace& trace, const ProcessGroups& groups, HostWorks& works) {
  const std::size_t nobodys = groups.all().size();  // of ranks that list no groups: taken to be of all ranks
  std::vector<std::vector<MemberSeries>> series(nobodys + 1);
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    std::vector<MemberSeries> of_rank(nobodys + 1);
    const trace::ContentOrder content(trace, trace.ranks[r]);
    for (const std::uint32_t i : order_of_issue(trace.ranks[r], content, works.ranks[r])) {
      HostWork& work = works.ranks[r][i];
      if (work.kind.kind != workload::ActivityKind::collective) continue;
      const bool lists_none = trace.ranks[r].source.groups.empty();
      if (work.group == kNoGroup && !lists_none) continue;
      MemberSeries& member = of_rank[lists_none ? nobodys : groups.number(r, work.group)];
      member.tokens.push_back(token_of(work));
      member.works.push_back(&work);
      member.input_bytes.push_back(input_bytes(trace, trace.ranks[r], work));
    }
    for (std::size_t g = 0; g <= nobodys; ++g) {
      if (!of_rank[g].works.empty()) series[g].push_back(std::move(of_rank[g]));
    }
  }
  for (std::vector<MemberSeries>& members : series) {
    if (members.empty()) continue;
    if (number_series(members)) {
      share_sizes_of_scatters(members);
      continue;
    }
    for (const MemberSeries& member : members) works.disagreeing += member.works.size();
  }
}

}  // namespace orrery::match
