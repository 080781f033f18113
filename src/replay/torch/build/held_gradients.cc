#include "replay/torch/build/held_gradients.h"

#include <algorithm>
#include <string_view>

#include "causal/host/coverage.h"

namespace orrery::replay::torch {
namespace {

// The rows of ranges that PyTorch names "Optimizer.step#class.function" and so on, in the order of their begins.
// Scrubbing keeps the part before "#", somewhere in the name.
std::vector<std::uint32_t> ranges_named(const RankSource& source, std::string_view part) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < source.host->name.size(); ++row) {
    if (source.strings->text(source.host->name[row]).find(part) != std::string_view::npos) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](std::uint32_t a, std::uint32_t b) { return source.order.begin[a] < source.order.begin[b]; });
  return rows;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> held_gradients(const RankSource& source,
                                                                    const trace::HostArguments& arguments,
                                                                    const Lifetimes& lifetimes) {
  const RowOrder& order = source.order;
  const std::vector<std::uint32_t> steps = ranges_named(source, "Optimizer.step"),
                                   clears = ranges_named(source, "Optimizer.zero_grad");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> held;
  for (const std::uint32_t step : steps) {
    const auto clear = std::find_if(clears.begin(), clears.end(),
                                    [&](std::uint32_t row) { return order.begin[row] > order.begin[step]; });
    const std::uint32_t until =
        clear == clears.end() ? static_cast<std::uint32_t>(order.visits.size()) - 1 : order.end[*clear];
    for (std::uint32_t position = order.begin[step]; position < order.end[step]; ++position) {
      const Visit visit = order.visits[position];
      if (visit.is_end || source.host->thread[visit.row] != source.host->thread[step]) continue;
      for (std::uint32_t use = arguments.first[visit.row]; use < arguments.first[visit.row + 1]; ++use) {
        const std::uint32_t lifetime = lifetimes.of_use[use];
        if (lifetime == kNoLifetime || !arguments.tensors[use].is_input) continue;
        const std::uint32_t maker = lifetimes.all[lifetime].maker;
        if (maker != causal::kNoRow && order.begin[maker] < order.begin[step]) held.emplace_back(lifetime, until);
      }
    }
  }
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  return held;
}

}  // namespace orrery::replay::torch
