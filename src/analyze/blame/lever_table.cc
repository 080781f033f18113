#include "analyze/blame/lever_table.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "analyze/distribution.h"
#include "analyze/whatif/edit_words.h"
#include "causal/part_edges.h"
#include "graph/scaled_classes.h"

namespace orrery::analyze {
namespace {

using causal::EdgeKind;

constexpr std::uint32_t kNoLever = graph::kNoClass;

/// kernel:"gemm"; of steps, whose class has no number, untraced:"ProfilerStep#*".
std::string selection_of_work(EdgeKind kind, std::string_view name, bool numbered) {
  const std::string word(word_of(kind));
  if (!numbered) return word + ":" + exact_pattern(name);
  // A pattern that is none of a glob already is made one by what the number may be.
  std::string pattern = exact_pattern(name);
  pattern.insert(pattern.size() - (pattern.front() == '/' ? 2 : 1), pattern.front() == '/' ? "\\d+" : "*");
  return word + ":" + pattern;
}

}  // namespace

const char* identifier(LeverScope scope) {
  static constexpr const char* kNames[] = {"op", "group", "gap"};
  return kNames[static_cast<std::size_t>(scope)];
}

/// Gives every edge its lever, making levers as they appear.
class LeverTable::Numbering {
 public:
  Numbering(const causal::CausalGraph& job, std::vector<Lever>& levers)
      : job_(job),
        levers_(levers),
        of_class_(causal::kJobEdgeKinds * job.strings.size(), kNoLever),
        of_operation_(job.operations.size(), kNoLever) {
    for (std::size_t kind = 0; kind < causal::kJobEdgeKinds; ++kind) {
      is_gap_[kind] = !gap_word_of(static_cast<EdgeKind>(kind)).empty();
      is_work_[kind] = !word_of(static_cast<EdgeKind>(kind)).empty();
    }
    std::map<std::pair<StringId, StringId>, std::uint32_t> of_group;
    for (std::size_t o = 0; o < job.operations.size(); ++o) {
      const causal::JobOperation& operation = job.operations[o];
      const auto [at, is_new] =
          of_group.try_emplace({operation.what, operation.group}, static_cast<std::uint32_t>(levers_.size()));
      if (is_new) add_group(operation);
      of_operation_[o] = at->second;
    }
  }

  std::uint32_t of(graph::Slot slot) {
    const EdgeKind kind = job_.kind(slot);
    if (job_.is_transfer(slot)) return of_operation_[job_.parts[job_.part_of(job_.graph.source(slot))].operation];
    const auto number = static_cast<std::size_t>(kind);
    if (is_gap_[number] != 0) return of_gap(kind);
    if (is_work_[number] == 0)
      return kNoLever;  // order and arrivals cost nothing, and when a rank begins is not its work
    const causal::PieceClass piece = job_.class_of(slot);
    std::uint32_t& lever = of_class_[number * job_.strings.size() + piece.name];
    if (lever == kNoLever)
      lever = add_class(piece, piece.name != 0 && job_.owners[job_.graph.edge_tag(slot)].name != piece.name);
    return lever;
  }

 private:
  void add_group(const causal::JobOperation& operation) {
    Lever lever{
        .scope = LeverScope::group, .kind = EdgeKind::communication, .what = operation.what, .group = operation.group};
    const std::string_view what = job_.strings.text(operation.what);
    lever.select = fmt::format("group:{} {}", exact_pattern(job_.strings.text(operation.group)),
                               what == "p2p" ? std::string(what) : fmt::format("collective:{}", what));
    levers_.push_back(std::move(lever));
  }

  std::uint32_t add_class(const causal::PieceClass& piece, bool numbered) {
    Lever lever{.scope = LeverScope::op, .kind = piece.kind, .name = piece.name};
    lever.select = selection_of_work(piece.kind, job_.strings.text(piece.name), numbered);
    // What found no partners may be called like what did. One rank alone has no partners, and edits of it know no
    // groups.
    if (piece.kind == EdgeKind::communication && job_.ranks.size() > 1) lever.select = "group:\"\" " + lever.select;
    levers_.push_back(std::move(lever));
    return static_cast<std::uint32_t>(levers_.size() - 1);
  }

  std::uint32_t of_gap(EdgeKind kind) {
    std::uint32_t& lever = of_class_[static_cast<std::size_t>(kind) * job_.strings.size()];
    if (lever != kNoLever) return lever;
    const std::string_view word = gap_word_of(kind);
    for (std::uint32_t other = 0; other < levers_.size(); ++other) {  // two kinds are one sort: idle
      if (levers_[other].scope == LeverScope::gap && gap_word_of(levers_[other].kind) == word) return lever = other;
    }
    lever = static_cast<std::uint32_t>(levers_.size());
    levers_.push_back({.scope = LeverScope::gap, .kind = kind, .select = fmt::format("gap:{}", word)});
    return lever;
  }

  const causal::CausalGraph& job_;
  std::vector<Lever>& levers_;
  Column<std::uint32_t> of_class_;
  std::vector<std::uint32_t> of_operation_;
  std::array<std::uint8_t, causal::kJobEdgeKinds> is_gap_{}, is_work_{};
};

LeverTable::LeverTable(const causal::CausalGraph& job, const graph::Path& path) : lever_of_(job.graph.edge_count()) {
  Numbering numbering(job, levers_);
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    lever_of_[slot] = numbering.of(slot);
    if (lever_of_[slot] == kNoLever || causal::is_part(job, slot)) continue;
    TimePs& total = levers_[lever_of_[slot]].total;
    total = plus_capped(total, job.graph.weight(slot));
  }
  for (const graph::Slot slot : path.slots) {
    if (lever_of_[slot] == kNoLever) continue;
    TimePs& on_path = levers_[lever_of_[slot]].on_path;
    on_path = plus_capped(on_path, job.graph.weight(slot));
  }
}

}  // namespace orrery::analyze
