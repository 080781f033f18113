#include "motif/patterns/call_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "motif/patterns/grid.h"

// Lists of calls are cut into rounds where all ranks are together, so that a round that comes again is recognised and
// simulated once. Each call becomes steps of a script, with partners by their places in a grid of rows and columns:
// ranks that see the same grid around them then share a program.

namespace orrery::motif {

// Where lists of MPI calls are cut into the rounds of a pattern, and which of these are alike.

/// A round ends with a call of all ranks where no list has messages that stay under way from call to call: at such a
/// call all ranks are at the same place, and a search that comes again, or a level of it, is a round that comes again.
/// Else, and where there are no such calls for long, a round is a number of calls.
class CallRounds {
 public:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };

  explicit CallRounds(const std::vector<std::vector<MpiCall>>& lists);

  /// Of the list that has most.
  [[nodiscard]] std::uint64_t count() const;
  /// The calls of a round; none after the last round of the list.
  [[nodiscard]] Range calls(std::uint32_t list, std::uint64_t round) const;
  /// Rounds of a list with the same number other than 0 have the same calls; 0: no other round does.
  [[nodiscard]] std::uint64_t content(std::uint32_t list, std::uint64_t round) const;

 private:
  struct List {
    std::vector<std::uint64_t> ends;  ///< of rounds
    std::vector<std::uint32_t> contents;
  };

  static std::vector<std::uint64_t> cut(const std::vector<MpiCall>& calls, bool after_world_calls);
  static std::vector<std::uint32_t> compare(const std::vector<MpiCall>& calls, const std::vector<std::uint64_t>& ends);

  std::vector<List> lists_;
};

namespace {

constexpr std::uint64_t kCallsPerRound = 128;        // a window of these is made at a time
constexpr std::uint64_t kMostCallsPerRound = 1'024;  // where rounds end with calls of all ranks

bool is_of_all(const MpiCall& call) {
  return call.kind == MpiCall::Kind::collective && call.group == MpiCall::Group::world;
}
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

std::vector<std::uint32_t> CallRounds::compare(const std::vector<MpiCall>& calls,
                                               const std::vector<std::uint64_t>& ends) {
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

namespace {

constexpr std::uint32_t kRowGroup = 0, kColumnGroup = 1;

class CallScript {
 public:
  explicit CallScript(CallLists lists)
      : lists_(std::move(lists)), rounds_(lists_.by_class), grid_{{lists_.columns, lists_.rows}} {
    for (const auto& calls : lists_.by_class) {
      for (const MpiCall& call : calls) {
        if (call.kind != MpiCall::Kind::exchange) continue;
        mirrors_ |= call.peer == MpiCall::Peer::transposed;
        names_neighbours_ |= call.peer == MpiCall::Peer::neighbour;
        names_ranks_ |= call.peer == MpiCall::Peer::fixed;
      }
    }
  }
  [[nodiscard]] bool mirrors() const { return mirrors_; }
  [[nodiscard]] const Grid<2>& grid() const { return grid_; }
  [[nodiscard]] std::uint32_t ranks() const { return lists_.rows * lists_.columns; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_.count(); }
  [[nodiscard]] std::uint64_t content(std::uint32_t rank, std::uint64_t round) const {
    return rounds_.content(lists_.class_of(rank), round);
  }

  /// Ranks of a number have the same script, seen from each.
  [[nodiscard]] std::uint64_t class_of(std::uint32_t rank) const {
    // A partner that is named by number is another one for everybody: no two ranks are alike.
    if (names_ranks_) return rank;
    const auto [column, row] = grid_.place(rank);
    // Mirrored places are as far away as the rank is off the diagonal.
    const std::uint64_t diagonal = mirrors_ ? std::uint64_t{column} + lists_.rows - row : 0;
    return (lists_.class_of(rank) * (std::uint64_t{2} * ranks() + 1) + diagonal) * 64 +
           (names_neighbours_ ? grid_.class_of(rank) : 0);
  }

  void append(Script& script, std::uint32_t rank, std::uint64_t round) const {
    const std::uint32_t list = lists_.class_of(rank);
    const std::vector<MpiCall>& calls = lists_.by_class[list];
    const CallRounds::Range range = rounds_.calls(list, round);
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      script.phase("compute");
      script.compute(calls[i].compute_ps);
      script.phase(lists_.phases[calls[i].phase]);
      append_call(script, rank, calls[i]);
    }
    // Messages do not stay under way from one window to the next; the wait is a little early.
    script.wait_all();
  }

 private:
  void append_call(Script& script, std::uint32_t rank, const MpiCall& call) const {
    switch (call.kind) {
      case MpiCall::Kind::local: return;
      case MpiCall::Kind::wait: return script.wait_all();
      case MpiCall::Kind::collective:
        return script.collective(call.collective, call.bytes, group_of(call.group), call.root);
      case MpiCall::Kind::exchange: break;
    }
    append_exchange(script, rank, call);
    if (call.blocks) script.wait_all();
  }

  void append_exchange(Script& script, std::uint32_t rank, const MpiCall& call) const {
    const auto with = [&](std::uint32_t peer) {
      if (peer == rank) return;  // to himself: no message
      script.irecv(peer, call.bytes);
      script.isend(peer, call.bytes);
    };
    switch (call.peer) {
      case MpiCall::Peer::transposed: {
        const auto [column, row] = grid_.place(rank);
        return with(column * lists_.columns + row);
      }
      case MpiCall::Peer::neighbour: {
        if (const auto peer = neighbour(rank, call.offset)) with(*peer);
        return;
      }
      case MpiCall::Peer::fixed:
        if (rank != call.offset) {
          script.isend(static_cast<std::uint32_t>(call.offset), call.bytes);
        } else {
          for (std::uint32_t sender = 0; sender < ranks(); ++sender)
            if (sender != rank) script.irecv(sender, call.bytes);
        }
        return;
      case MpiCall::Peer::shift: break;
    }
    const std::uint32_t group = group_of(call.group), size = call.group == MpiCall::Group::row      ? lists_.columns
                                                             : call.group == MpiCall::Group::column ? lists_.rows
                                                                                                    : ranks();
    // Into the group, also from below 0.
    const auto places = static_cast<std::int32_t>(((call.offset % size) + size) % size);
    if (places == 0) return;
    if (group == Script::kWorld) {
      script.irecv((rank + size - static_cast<std::uint32_t>(places)) % size, call.bytes);
      script.isend((rank + static_cast<std::uint32_t>(places)) % size, call.bytes);
    } else {
      script.irecv_in(group, -places, call.bytes);
      script.isend_in(group, places, call.bytes);
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> neighbour(std::uint32_t rank, std::int64_t number) const {
    constexpr std::array<std::array<int, 2>, 4> kTowards = {
        {{0, -1}, {0, 1}, {-1, 0}, {1, 0}}};  // up, down, left, right
    for (const auto& towards : kTowards) {
      const auto peer = grid_.beside(rank, towards);
      if (peer && number-- == 0) return peer;
    }
    return std::nullopt;
  }
  static std::uint32_t group_of(MpiCall::Group group) {
    return group == MpiCall::Group::world ? Script::kWorld : group == MpiCall::Group::row ? kRowGroup : kColumnGroup;
  }

  CallLists lists_;
  CallRounds rounds_;
  Grid<2> grid_;
  bool mirrors_ = false, names_neighbours_ = false, names_ranks_ = false;
};

}  // namespace

Result<Pattern> call_pattern(CallLists lists) {
  const auto calls = std::make_shared<const CallScript>(std::move(lists));
  const auto& made = *calls;
  if (made.rounds() == 0) return Error{"no rank calls anything"};
  Pattern pattern;
  pattern.ranks = made.ranks();
  pattern.rounds = made.rounds();
  pattern.rounds_alike = false;
  pattern.content = [calls](std::uint32_t rank, std::uint64_t round) { return calls->content(rank, round); };
  pattern.relative = true;
  const Grid<2> grid = made.grid();
  if (made.mirrors() && grid.extents[0] != grid.extents[1])
    return Error{fmt::format("messages to mirrored places need a square number of ranks, not {}", pattern.ranks)};
  pattern.groups = {{"row", {{grid.extents[0], 1}}}, {"column", {{grid.extents[1], grid.extents[0]}}}};
  pattern.class_of = [calls](std::uint32_t rank) { return calls->class_of(rank); };
  pattern.append = [calls](Script& script, std::uint32_t rank, std::uint64_t round) {
    calls->append(script, rank, round);
  };
  return pattern;
}

}  // namespace orrery::motif
