#include "motif/patterns/call_rounds.h"

#include <algorithm>
#include <map>
#include <span>

namespace orrery::motif {
namespace {

constexpr std::uint64_t kCallsPerRound = 128;        // a window of these is made at a time
constexpr std::uint64_t kMostCallsPerRound = 1'024;  // where rounds end with calls of all ranks

bool is_of_all(const MpiCall& call) { return call.kind == MpiCall::Kind::collective && call.group == MpiCall::Group::world; }
bool stays_under_way(const MpiCall& call) { return call.kind == MpiCall::Kind::exchange && !call.blocks; }

}  // namespace

CallRounds::CallRounds(const std::vector<std::vector<MpiCall>>& lists) {
  const bool all_block = std::none_of(lists.begin(), lists.end(), [](const std::vector<MpiCall>& calls) {
    return std::any_of(calls.begin(), calls.end(), stays_under_way);
  });
  for (const std::vector<MpiCall>& calls : lists) {
    std::vector<std::uint64_t> ends = cut(calls, all_block);
    std::vector<std::uint32_t> contents = compare(calls, ends);
    lists_.push_back({std::move(ends), std::move(contents)});
  }
}

std::vector<std::uint64_t> CallRounds::cut(const std::vector<MpiCall>& calls, bool after_world_calls) {
  std::vector<std::uint64_t> ends;
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0; i < calls.size(); ++i) {
    const bool is_full = i + 1 - begin == (after_world_calls ? kMostCallsPerRound : kCallsPerRound);
    if (!is_full && !(after_world_calls && is_of_all(calls[i])) && i + 1 < calls.size()) continue;
    ends.push_back(begin = i + 1);
  }
  return ends;
}

std::vector<std::uint32_t> CallRounds::compare(const std::vector<MpiCall>& calls, const std::vector<std::uint64_t>& ends) {
  struct Less {
    bool operator()(std::span<const MpiCall> a, std::span<const MpiCall> b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  struct Known {
    std::uint32_t number = 0;
    std::uint32_t rounds = 0;
  };
  std::map<std::span<const MpiCall>, Known, Less> known;
  std::vector<Known*> found;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    Known& round = known[std::span(calls).subspan(begin, end - begin)];
    if (round.rounds++ == 0) round.number = static_cast<std::uint32_t>(known.size());
    found.push_back(&round);
    begin = end;
  }
  std::vector<std::uint32_t> contents;
  contents.reserve(found.size());
  for (const Known* const round : found) contents.push_back(round->rounds > 1 ? round->number : 0);
  return contents;
}

std::uint64_t CallRounds::count() const {
  std::uint64_t most = 0;
  for (const List& list : lists_) most = std::max<std::uint64_t>(most, list.ends.size());
  return most;
}

CallRounds::Range CallRounds::calls(std::uint32_t list, std::uint64_t round) const {
  const std::vector<std::uint64_t>& ends = lists_[list].ends;
  if (round >= ends.size()) return {};
  return {round == 0 ? 0 : ends[round - 1], ends[round]};
}

std::uint64_t CallRounds::content(std::uint32_t list, std::uint64_t round) const {
  const std::vector<std::uint32_t>& contents = lists_[list].contents;
  return round < contents.size() ? contents[round] : 0;
}

}  // namespace orrery::motif
