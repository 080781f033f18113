#include "analyze/path/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/distribution.h"
#include "analyze/whatif/edit_language.h"
#include "base/percent.h"
#include "graph/edits.h"

namespace orrery::analyze {
namespace {

using causal::EdgeKind;

struct BoundWords {
  std::uint32_t kinds;            // what counts as it, a bit per EdgeKind
  std::string_view phrase;        // "71 % CPU-bound"; of compute the device's type comes before it
  std::string_view edit;          // what an edit calls it
  std::string_view free;          // "free kernels save"
  std::string_view close_behind;  // as what takes another's place
};

constexpr std::array<BoundWords, kBounds> kWords = {{
    {bit_of(EdgeKind::cpu_operator) | bit_of(EdgeKind::cpu_python) | bit_of(EdgeKind::cpu_untraced) |
         bit_of(EdgeKind::handoff),
     "CPU-bound", "cpu", "a free host saves", "the host is"},
    {bit_of(EdgeKind::cpu_runtime) | bit_of(EdgeKind::launch_delay) | bit_of(EdgeKind::sync_return),
     "launch- and sync-bound (time in the device runtime)", "runtime", "free runtime calls save",
     "what launches and returns take is"},
    {bit_of(EdgeKind::data_loading), "bound by data loading", "loading", "free data loading saves", "data loading is"},
    {bit_of(EdgeKind::kernel) | bit_of(EdgeKind::memory_set), "compute-bound", "kernel", "free kernels save",
     "the device is"},
    {bit_of(EdgeKind::communication), "bound by communication", "comm", "free communication saves", "communication is"},
    {bit_of(EdgeKind::memory_copy), "bound by memory copies", "copy", "free copies save", "copying is"},
    {bit_of(EdgeKind::kernel_gap) | bit_of(EdgeKind::stream_wait), "gaps between kernels", "", "",
     "the gaps between kernels are"},
    {bit_of(EdgeKind::before), "before the last rank had begun", "", "", "the begin of the last rank is"},
    {bit_of(EdgeKind::earlier_work), "work from before the recording", "", "", "work from before the recording is"},
    {edit_kinds::kIdle, "idle without a recorded cause", "", "", "what was not recorded is"},
}};

const BoundWords& words_of(Bound bound) { return kWords[static_cast<std::size_t>(bound)]; }

/// The kinds of time that the edit takes away, which may be more than what counts as it: a free host makes no runtime
/// calls either.
std::uint32_t kinds_of_edit(Bound bound) {
  const auto* const word = std::find_if(kEditWhat.begin(), kEditWhat.end(),
                                        [&](const EditWord& w) { return w.name == words_of(bound).edit; });
  return word == kEditWhat.end() ? 0 : word->kinds;
}

}  // namespace

std::vector<BoundShare> bound_shares(std::span<const TimePs> on_path) {
  std::vector<BoundShare> shares;
  for (std::size_t b = 0; b < kBounds; ++b) {
    BoundShare& share = shares.emplace_back(BoundShare{static_cast<Bound>(b), 0});
    for (std::size_t kind = 0; kind < on_path.size(); ++kind) {
      if ((kWords[b].kinds >> kind & 1) != 0) share.on_path = plus_capped(share.on_path, on_path[kind]);
    }
  }
  // Stable: of equal shares the order of the table decides.
  std::stable_sort(shares.begin(), shares.end(),
                   [](const BoundShare& a, const BoundShare& b) { return a.on_path > b.on_path; });
  return shares;
}

std::string_view word_of(Bound bound) { return words_of(bound).edit; }

std::optional<Relief> relieve(const graph::Solution& solution, std::span<const TimePs> on_path, graph::NodeId end) {
  const BoundShare most = bound_shares(on_path).front();
  const std::uint32_t kinds = kinds_of_edit(most.bound);
  if (kinds == 0 || most.on_path == 0) return std::nullopt;
  const graph::Graph& graph = solution.graph();
  graph::Edits edits(graph);
  for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) {
    if ((kinds >> graph.type(slot) & 1) != 0) edits.set_weight(slot, 0);
  }
  const graph::Solution relieved = graph::solve(edits, end);
  Relief relief{most.bound, solution.length() - relieved.length(), {}, relieved.length()};
  for (const graph::Slot slot : relieved.path().slots) {
    TimePs& time = relief.on_path[graph.type(slot)];
    time = plus_capped(time, relieved.weight(slot));
  }
  return relief;
}

std::string but_clause(const Relief& relief, TimePs claimed, TimePs length) {
  // Half, not all: a little always takes the place of what goes, and nobody would call that a wrong answer.
  if (relief.gain >= claimed / 2) return {};
  const BoundShare next = bound_shares(relief.on_path).front();
  return fmt::format(", but {} close behind: {} {:.0f} %", words_of(next.bound).close_behind,
                     words_of(relief.bound).free, share_percent(relief.gain, length));
}

std::string verdict(std::span<const TimePs> on_path, TimePs length, const std::optional<Relief>& relief,
                    std::string_view device_type) {
  const std::vector<BoundShare> shares = bound_shares(on_path);
  std::string text;
  for (const BoundShare& share : shares) {
    const double percent = share_percent(share.on_path, length);
    if (!text.empty() && percent < 10.0) break;  // a phrase, not a table: what is below a tenth does not bound the step
    text += fmt::format("{}{:.0f} % ", text.empty() ? "" : ", ", percent);
    if (share.bound == Bound::compute) text += fmt::format("{} ", device_type);
    text += words_of(share.bound).phrase;
  }
  if (relief && relief->bound == shares.front().bound) text += but_clause(*relief, shares.front().on_path, length);
  return text;
}

}  // namespace orrery::analyze
