#include "analyze/hta/kernel_sequences.h"

#include <algorithm>
#include <map>

#include "analyze/hta/call_graph.h"

namespace orrery::analyze::hta {
namespace {

using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

constexpr int kOutside = -1;  // HTA's depth of rows outside the graph

// The root's name and the names of the device rows below it, by start.
std::vector<StringId> pattern_of(const Rows& rows, std::vector<RowIndex> below, RowIndex root) {
  std::stable_sort(below.begin(), below.end(), [&](RowIndex a, RowIndex b) { return rows.ts[a] < rows.ts[b]; });
  std::vector<StringId> pattern = {rows.name(root)};
  for (const RowIndex r : below) {
    if (rows.stream[r] != -1) pattern.push_back(rows.name(r));
  }
  return pattern;
}

// As HTA spells the whole pattern.
std::string spelled(const KernelSequence& sequence) {
  std::string text = sequence.operator_name;
  for (const std::string& kernel : sequence.kernels) text += "|" + kernel;
  return text;
}

}  // namespace

Result<std::vector<KernelSequence>> kernel_sequences(const RankRows& rank, std::string_view operator_name,
                                                     std::size_t min_length) {
  const Rows& rows = rank.rows;
  const Interner& strings = rows.trace->strings;
  const Result<CallGraph> graph = CallGraph::make(rank);
  if (!graph) return graph.error();
  std::vector<RowIndex> candidates;
  for (const RowIndex r : rows.frame) {
    if (rows.name_text(r).find(operator_name) != std::string_view::npos) candidates.push_back(r);
  }
  std::vector<KernelSequence> sequences;
  if (candidates.empty()) return sequences;
  const auto depth_of = [&](RowIndex r) { return graph->depth(r).value_or(kOutside); };
  int least = depth_of(candidates.front());
  for (const RowIndex r : candidates) least = std::min(least, depth_of(r));
  std::map<std::vector<StringId>, std::size_t> place_of;
  for (const RowIndex r : candidates) {
    const CallGraph::Below below = graph->below(r);
    // The outermost operators of that name only: inner ones would count their kernels twice.
    if (depth_of(r) != least || below.kernels < min_length || !graph->depth(r)) continue;
    const std::vector<RowIndex> subtree = graph->subtree(r);
    const std::vector<StringId> pattern = pattern_of(rows, subtree, r);
    const auto [at, is_new] = place_of.try_emplace(pattern, sequences.size());
    if (is_new) {
      sequences.push_back({.rank = rank.number, .operator_name = std::string(strings.text(pattern.front()))});
      for (std::size_t i = 1; i < pattern.size(); ++i) sequences.back().kernels.emplace_back(strings.text(pattern[i]));
    }
    KernelSequence& sequence = sequences[at->second];
    ++sequence.count;
    sequence.device += below.duration;
    sequence.host += rows.dur[r];
    sequence.rows.insert(sequence.rows.end(), subtree.begin(), subtree.end());
  }
  std::stable_sort(sequences.begin(), sequences.end(), [](const KernelSequence& a, const KernelSequence& b) {
    return a.count != b.count ? a.count > b.count : spelled(a) < spelled(b);
  });
  return sequences;
}

std::string joined(const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& kernel : kernels) text += (text.empty() ? "" : " -> ") + kernel;
  return text;
}

report::Sheet sequences_sheet(const std::vector<KernelSequence>& sequences) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("sequences");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "operator", .title = "operator"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "device", .type = Type::time, .unit = Unit::us, .title = "device"})
      .add({.name = "host", .type = Type::time, .unit = Unit::us, .title = "host"})
      .add({.name = "kernels", .title = "kernels"});
  for (const KernelSequence& sequence : sequences)
    sheet.add_row({sequence.rank, sequence.operator_name, sequence.count, sequence.device, sequence.host,
                   joined(sequence.kernels)});
  return sheet;
}

}  // namespace orrery::analyze::hta
