#include "match/mpi/mpi_communicators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "base/content_hash.h"
#include "base/numbers.h"

// In four steps: lists of members of all ranks are put together; the collectives of each list are numbered and told
// apart by the handles that its members used for them; messages follow the collective before them on the same handle;
// and each use gets the name and numbers that were found.

namespace orrery::match {
namespace {

using trace::Field;

constexpr std::uint64_t kNoHandle = 0;  // of a member whose recording has ended
// A name is a column of tables; longer lists are told by their ends and a hash.
constexpr std::size_t kLongestName = 48;

/// The collectives of the members of one list.
struct ListUses {
  struct Member {
    std::uint32_t node;
    std::vector<std::uint32_t> collectives;  // places in CommunicatorUses::uses
  };
  const std::vector<std::int64_t>* ranks;
  std::vector<Member> members;  // that have a trace here
};

using Handles = std::vector<std::uint64_t>;

/// Equal where both have a handle: a recording that was cut short contradicts nothing.
bool may_be_same(const Handles& a, const Handles& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != kNoHandle && b[i] != kNoHandle) return false;
  }
  return true;
}

/// Numbers the communicators of one list by the handles that their members used.
class EpochTable {
 public:
  std::uint32_t epoch_of(const Handles& handles) {
    if (const auto known = numbers_.find(handles); known != numbers_.end()) return known->second;
    if (std::find(handles.begin(), handles.end(), kNoHandle) != handles.end()) {
      for (const auto& [other, epoch] : numbers_) {
        if (may_be_same(handles, other)) return epoch;
      }
    }
    const auto epoch = static_cast<std::uint32_t>(numbers_.size()) + 1;
    numbers_.emplace(handles, epoch);
    return epoch;
  }

 private:
  std::map<Handles, std::uint32_t> numbers_;
};

/// What is found out about one use.
struct NamedUse {
  std::uint32_t list = 0;
  std::uint32_t epoch = 1;
  std::int64_t sequence = -1;
};

class CommunicatorNames {
 public:
  CommunicatorNames(const std::vector<CommunicatorUses>& uses, std::int64_t world_size, trace::Trace& trace)
      : uses_(uses), world_size_(world_size), trace_(trace), named_(uses.size()) {}

  void fill() {
    gather();
    for (std::uint32_t list = 0; list < lists_.size(); ++list) number_epochs(lists_[list]);
    for (std::uint32_t node = 0; node < uses_.size(); ++node) {
      follow_collectives(node);
      write(node);
    }
  }

 private:
  /// The lists of all ranks, each once, with the collectives of each member.
  void gather() {
    std::map<std::vector<std::int64_t>, std::uint32_t> numbers;
    for (std::uint32_t node = 0; node < uses_.size(); ++node) {
      std::vector<std::uint32_t> here;
      for (const std::vector<std::int64_t>* const list : uses_[node].lists()) {
        const auto [at, is_new] = numbers.try_emplace(*list, static_cast<std::uint32_t>(lists_.size()));
        if (is_new) lists_.push_back({list, {}});
        here.push_back(at->second);
        lists_[at->second].members.push_back({node, {}});
      }
      named_[node].resize(uses_[node].uses().size());
      for (std::uint32_t u = 0; u < named_[node].size(); ++u) {
        const CommunicatorUse& use = uses_[node].uses()[u];
        named_[node][u].list = here[use.members];
        if (use.is_collective) lists_[here[use.members]].members.back().collectives.push_back(u);
      }
    }
  }

  void number_epochs(const ListUses& list) {
    std::size_t most = 0;
    for (const ListUses::Member& member : list.members) most = std::max(most, member.collectives.size());
    EpochTable epochs;
    std::vector<std::int64_t> next;  // by epoch: how many collectives it had
    Handles handles(list.members.size());
    for (std::size_t i = 0; i < most; ++i) {
      for (std::size_t m = 0; m < list.members.size(); ++m) {
        const ListUses::Member& member = list.members[m];
        handles[m] =
            i < member.collectives.size() ? uses_[member.node].uses()[member.collectives[i]].handle : kNoHandle;
      }
      const std::uint32_t epoch = epochs.epoch_of(handles);
      if (next.size() < epoch) next.push_back(0);
      const std::int64_t sequence = next[epoch - 1]++;
      for (const ListUses::Member& member : list.members) {
        if (i >= member.collectives.size()) continue;
        NamedUse& named = named_[member.node][member.collectives[i]];
        named.epoch = epoch;
        named.sequence = sequence;
      }
    }
  }

  /// A message is of the communicator whose handle it names, as the collective before it tells it.
  void follow_collectives(std::uint32_t node) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> epochs;  // by list and handle
    for (std::uint32_t u = 0; u < named_[node].size(); ++u) {
      const CommunicatorUse& use = uses_[node].uses()[u];
      NamedUse& named = named_[node][u];
      const std::pair key(named.list, use.handle);
      if (use.is_collective) epochs[key] = named.epoch;
      else if (const auto known = epochs.find(key); known != epochs.end()) named.epoch = known->second;
    }
  }

  std::string name(std::uint32_t list, std::uint32_t epoch) const {
    const std::string members = name_of_members(*lists_[list].ranks, world_size_);
    return epoch == 1 ? members : fmt::format("{}#{}", members, epoch);
  }

  void write(std::uint32_t node) {
    trace::RankTrace& rank = trace_.ranks[node];
    struct Texts {
      StringId name, ranks;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Texts> texts;  // by list and epoch
    for (std::uint32_t u = 0; u < named_[node].size(); ++u) {
      const CommunicatorUse& use = uses_[node].uses()[u];
      const NamedUse& named = named_[node][u];
      const std::vector<std::int64_t>& members = *lists_[named.list].ranks;
      const auto [at, is_new] = texts.try_emplace({named.list, named.epoch});
      if (is_new) {
        const std::string called = name(named.list, named.epoch);
        at->second = {trace_.strings.intern(called), trace_.strings.intern(list_text(members))};
        rank.source.groups.push_back({called, members});
      }
      rank.field(Field::group_name_text).push(use.event, at->second.name);
      rank.field(Field::group_ranks_text).push(use.event, at->second.ranks);
      rank.field(Field::group_size).push(use.event, static_cast<std::int64_t>(members.size()));
      if (use.is_collective) rank.field(Field::collective_sequence).push(use.event, named.sequence);
    }
  }

  const std::vector<CommunicatorUses>& uses_;
  std::int64_t world_size_;
  trace::Trace& trace_;
  std::vector<ListUses> lists_;
  std::vector<std::vector<NamedUse>> named_;  // as uses
};

/// How far apart neighbours of a list are, if all are equally far; 0 if not.
std::int64_t stride_of(const std::vector<std::int64_t>& members) {
  if (members.size() < 2) return 0;
  const std::int64_t stride = members[1] - members[0];
  for (std::size_t i = 2; i < members.size(); ++i) {
    if (members[i] - members[i - 1] != stride) return 0;
  }
  return stride > 0 ? stride : 0;
}

}  // namespace

void CommunicatorUses::add(trace::EventIndex event, std::uint64_t handle, const std::vector<std::int64_t>& members,
                           bool is_collective) {
  const auto [at, is_new] = numbers_.try_emplace(members, static_cast<std::uint32_t>(lists_.size()));
  if (is_new) lists_.push_back(&at->first);
  uses_.push_back({event, handle, at->second, is_collective});
}

void name_communicators(const std::vector<CommunicatorUses>& uses, std::int64_t world_size, trace::Trace& trace) {
  CommunicatorNames(uses, world_size, trace).fill();
}

std::string name_of_members(const std::vector<std::int64_t>& members, std::int64_t world_size) {
  const std::int64_t stride = stride_of(members);
  const bool is_world = static_cast<std::int64_t>(members.size()) == world_size && !members.empty() &&
                        members.front() == 0 && (stride == 1 || world_size == 1);
  if (is_world) return "world";
  // "0-6:2" needs three members to be shorter than the list.
  if (stride > 0 && members.size() > 2) {
    return stride == 1 ? fmt::format("{}-{}", members.front(), members.back())
                       : fmt::format("{}-{}:{}", members.front(), members.back(), stride);
  }
  std::string name = fmt::format("{}", fmt::join(members, ","));
  if (name.size() <= kLongestName) return name;
  ContentHash hash;
  hash.add(name);
  return fmt::format("{},{},... ({} ranks, {:08x})", members[0], members[1], members.size(), hash.xxh3() & 0xffffffffu);
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::vector<std::int64_t> parse_list(std::string_view text) {
  std::vector<std::int64_t> numbers;
  if (!text.starts_with('[') || !text.ends_with(']')) return numbers;
  for (text = text.substr(1, text.size() - 2); !text.empty();) {
    if (!take_number(text, numbers.emplace_back())) return {};
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  return numbers;
}

}  // namespace orrery::match
