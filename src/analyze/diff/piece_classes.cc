#include "analyze/diff/piece_classes.h"

#include "causal/part_edges.h"

namespace orrery::analyze {
namespace {

constexpr std::string_view kBeforeTheWindow = "(before the window)";

}  // namespace

std::uint32_t PieceClasses::number(causal::EdgeKind kind, std::string_view name) {
  const auto [at, is_new] = numbers_.try_emplace({kind, std::string(name)}, size());
  if (is_new) classes_.push_back({kind, std::string(name)});
  return at->second;
}

Column<std::uint32_t> classes_of(const causal::CausalGraph& job, PieceClasses& classes) {
  Column<std::uint32_t> slot_class(job.graph.edge_count(), kNoClass);
  // Most edges share a class with many others: their texts are looked up once per kind and number of the name.
  std::map<std::pair<causal::EdgeKind, StringId>, std::uint32_t> known;
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    if (!is_piece(job.kind(slot))) continue;
    const causal::PieceClass piece = job.class_of(slot);
    const auto [at, is_new] = known.try_emplace({piece.kind, piece.name}, 0);
    if (is_new)
      at->second = classes.number(
          piece.kind, piece.kind == causal::EdgeKind::before ? kBeforeTheWindow : job.strings.text(piece.name));
    slot_class[slot] = at->second;
  }
  return slot_class;
}

std::vector<std::vector<TimePs>> class_step_times(const causal::CausalGraph& job,
                                                  const Column<std::uint32_t>& slot_class) {
  std::vector<std::vector<TimePs>> times;
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const std::uint32_t rank = job.node_rank[job.graph.node_at(p)];
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      if (slot_class[slot] == kNoClass || rank == causal::kNoRank || causal::is_part(job, slot)) continue;
      const std::uint32_t step = job.step_of(slot, rank);
      if (step == causal::kNoStep) continue;
      if (slot_class[slot] >= times.size())
        times.resize(slot_class[slot] + 1, std::vector<TimePs>(job.steps.size(), 0));
      times[slot_class[slot]][step] += job.graph.weight(slot);
    }
  }
  return times;
}

}  // namespace orrery::analyze
