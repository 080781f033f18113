#include "analyze/diff/straight_line.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "graph/parametric.h"

namespace orrery::analyze {
namespace {

using graph::kNoSlot;
using graph::Slot;

constexpr std::uint32_t kNoCell = ~std::uint32_t{0};

/// A piece that only the other run has: it grows at a position of the graph, or in front of a piece.
struct Growth {
  std::uint32_t at;  // position or slot
  std::uint32_t cell;
  TimePs time;
};

/// All that changes on the way.
class Way {
 public:
  Way(const WaySide& own, const WaySide& other, ChangeCells& cells)
      : own_(own), other_(other), cells_(cells), slot_cell_(own.job.graph.edge_count(), kNoCell) {
    slopes_.weights.assign(own.job.graph.edge_count(), 0);
    change_pieces();
  }

  void grow_new_pieces(std::span<const std::pair<std::uint32_t, std::uint32_t>> lanes) {
    for (const auto& [own, other] : lanes) grow_lane(own_.pieces.lanes[own], other_.pieces.lanes[other]);
    if (!behind_.empty()) slopes_.durations.assign(own_.job.graph.node_count(), 0);
    for (const Growth& growth : behind_) slopes_.durations[growth.at] += growth.time;
    for (const Growth& growth : before_) front_[growth.at] += growth.time;
    for (const auto& [slot, time] : front_) slopes_.weights[slot] += time;
    const auto by_place = [](const Growth& x, const Growth& y) { return x.at < y.at; };
    std::stable_sort(behind_.begin(), behind_.end(), by_place);
    std::stable_sort(before_.begin(), before_.end(), by_place);
  }

  WayContributions solve() {
    WayContributions result;
    result.added.assign(cells_.size(), 0);
    bool is_first = true;
    graph::for_each_parametric_piece(own_.job.graph, slopes_, own_.job.end, [&](const graph::ParametricPiece& piece) {
      if (is_first) result.from = piece.length;
      else ++result.corners;
      is_first = false;
      result.to = piece.length + piece.slope;
      add(piece, result.added);
    });
    return result;
  }

 private:
  void change_pieces() {
    const causal::CausalGraph& job = own_.job;
    for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
      const std::uint32_t rank = job.node_rank[job.graph.node_at(p)];
      for (const Slot slot : job.graph.incoming_at(p)) {
        if (own_.pieces.slot_class[slot] == kNoClass || rank == causal::kNoRank) continue;
        const Slot partner = own_.partner[slot];
        const TimePs change = (partner == kNoSlot ? 0 : other_.job.graph.weight(partner)) - job.graph.weight(slot);
        if (change == 0) continue;
        slopes_.weights[slot] = change;
        slot_cell_[slot] = cells_.number(own_.pieces.slot_class[slot], own_.pieces.ranks[rank]);
      }
    }
  }

  void grow_lane(const LanePieces& own, const LanePieces& other) {
    Slot before = kNoSlot;  // of this run: the piece that new ones come behind
    for (const Slot slot : other.slots) {
      if (other_.partner[slot] != kNoSlot) {
        before = other_.partner[slot];
        continue;
      }
      grow(own, before, slot);
      // What stands between it and the work before it on its stream comes with it; other delays are dependencies that
      // this graph does not have.
      for (const Slot delay : other_.pieces.delays[slot]) {
        if (other_.job.kind(delay) == causal::EdgeKind::kernel_gap) grow(own, before, delay);
      }
    }
  }

  void grow(const LanePieces& own, Slot before, Slot piece) {
    const TimePs time = other_.job.graph.weight(piece);
    if (time == 0) return;
    const std::uint32_t cell = cells_.number(other_.pieces.slot_class[piece], own.rank);
    // Behind a piece is behind all that its end waits for: the moment itself takes the time. With nothing before it, it
    // delays the first piece.
    if (before != kNoSlot) behind_.push_back({own_.job.graph.target_position(before), cell, time});
    else before_.push_back({own.slots.front(), cell, time});
  }

  void add(const graph::ParametricPiece& piece, std::vector<Int128>& added) const {
    const Int128 extent = piece.end.fixed() - piece.begin.fixed();
    const auto add_growths = [&](const std::vector<Growth>& growths, std::uint32_t at) {
      auto growth = std::partition_point(growths.begin(), growths.end(), [&](const Growth& g) { return g.at < at; });
      for (; growth != growths.end() && growth->at == at; ++growth) added[growth->cell] += extent * growth->time;
    };
    for (const Slot slot : piece.path.slots) {
      const auto front = before_.empty() ? front_.end() : front_.find(slot);
      const TimePs own_change = slopes_.weights[slot] - (front == front_.end() ? 0 : front->second);
      if (own_change != 0) added[slot_cell_[slot]] += extent * own_change;
      if (front != front_.end()) add_growths(before_, slot);
    }
    if (behind_.empty()) return;
    for (const graph::NodeId node : piece.path.nodes) add_growths(behind_, own_.job.graph.position(node));
  }

  const WaySide& own_;
  const WaySide& other_;
  ChangeCells& cells_;
  graph::Slopes slopes_;
  Column<std::uint32_t> slot_cell_;
  std::vector<Growth> behind_,
      before_;                    // by position of the moment they come behind; by slot of the piece they come before
  std::map<Slot, TimePs> front_;  // what all of before_ add to a slot
};

}  // namespace

std::uint32_t ChangeCells::number(std::uint32_t piece_class, std::int64_t rank) {
  const Cell cell{piece_class, rank};
  const auto [at, is_new] = numbers_.try_emplace(cell, static_cast<std::uint32_t>(cells_.size()));
  if (is_new) cells_.push_back(cell);
  return at->second;
}

WayContributions contributions_on_the_way(const WaySide& own, const WaySide& other,
                                          std::span<const std::pair<std::uint32_t, std::uint32_t>> lanes,
                                          ChangeCells& cells) {
  Way way(own, other, cells);
  way.grow_new_pieces(lanes);
  return way.solve();
}

std::vector<TimePs> mean_contributions(const WayContributions& forth, const WayContributions& back,
                                       const ChangeCells& cells, const PieceClasses& classes) {
  constexpr Int128 kWhole = Int128{1} << 61;  // a picosecond, in halves of the units that both ways are counted in
  const auto of = [](const WayContributions& way, std::size_t cell) {
    return cell < way.added.size() ? way.added[cell] : Int128{0};
  };
  std::vector<TimePs> whole(cells.size());
  std::vector<Int128> rest(cells.size());
  TimePs left = ((forth.to - forth.from) - (back.to - back.from)) / 2;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const Int128 twice = of(forth, cell) - of(back, cell);
    whole[cell] = static_cast<TimePs>(
        twice / kWhole);  // towards 0, as all rounding here: so that a sign is all that swapping changes
    rest[cell] = twice % kWhole;
    left -= whole[cell];
  }
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Int128 sign = left < 0 ? -1 : 1;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    if (rest[x] != rest[y]) return sign * rest[x] > sign * rest[y];
    return std::tie(cells[x].rank, classes[cells[x].piece_class]) <
           std::tie(cells[y].rank, classes[cells[y].piece_class]);
  });
  for (std::size_t i = 0; left != 0 && i < order.size(); ++i, left -= static_cast<TimePs>(sign))
    whole[order[i]] += static_cast<TimePs>(sign);
  return whole;
}

}  // namespace orrery::analyze
