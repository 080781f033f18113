#include "motif/patterns/call_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "motif/patterns/call_rounds.h"
#include "motif/patterns/grid.h"

namespace orrery::motif {
namespace {

constexpr std::uint32_t kRowGroup = 0, kColumnGroup = 1;

class CallScript {
 public:
  explicit CallScript(CallLists lists) : lists_(std::move(lists)), rounds_(lists_.by_class), grid_{{lists_.columns, lists_.rows}} {
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
    if (names_ranks_) return rank;
    const auto [column, row] = grid_.place(rank);
    const std::uint64_t diagonal = mirrors_ ? std::uint64_t{column} + lists_.rows - row : 0;
    return (lists_.class_of(rank) * (std::uint64_t{2} * ranks() + 1) + diagonal) * 64 + (names_neighbours_ ? grid_.class_of(rank) : 0);
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
      case MpiCall::Kind::collective: return script.collective(call.collective, call.bytes, group_of(call.group), call.root);
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
    constexpr std::array<std::array<int, 2>, 4> kTowards = {{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}};  // up, down, left, right
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
  pattern.append = [calls](Script& script, std::uint32_t rank, std::uint64_t round) { calls->append(script, rank, round); };
  return pattern;
}

}  // namespace orrery::motif
