// Collectives with parts of unequal size: MPI's v-collectives.
#include <algorithm>

#include "simulate/collective/schedules.h"

namespace orrery::simulate {
namespace {

using workload::Collective;

/// Calls f(from, to, bytes) for every transfer; from and to are places in the group.
template <typename F>
void for_transfers(Collective collective, std::span<const std::int64_t> parts, std::size_t ranks, std::size_t root,
                   const F& f) {
  for (std::size_t i = 0; i < ranks; ++i) {
    switch (collective) {
      case Collective::gather: f(i, root, parts[i]); break;
      case Collective::scatter: f(root, i, parts[i]); break;
      case Collective::all_gather:
        for (std::size_t to = 0; to < ranks; ++to) f(i, to, parts[i]);
        break;
      case Collective::reduce_scatter:
        for (std::size_t from = 0; from < ranks; ++from) f(from, i, parts[i]);
        break;
      default:
        for (std::size_t to = 0; to < ranks; ++to) f(i, to, parts[i * ranks + to]);
    }
  }
}

}  // namespace

Phases unequal_phases(const Draft& draft, Collective collective, std::span<const std::uint32_t> ranks, std::size_t root,
                      std::span<const std::int64_t> parts, double whole_bytes) {
  const auto most = static_cast<double>(*std::max_element(parts.begin(), parts.end()));
  TimePs latency = 0;
  bool travels = false;
  for_transfers(collective, parts, ranks.size(), root, [&](std::size_t from, std::size_t to, std::int64_t bytes) {
    if (from == to || bytes == 0) return;
    travels = true;
    latency = std::max(latency, draft.weights.add(ranks[from], ranks[to], static_cast<double>(bytes) / most));
  });
  // Everybody keeps what it has, as in MPI_Alltoallv of a matrix that is only permuted inside ranks: a phase without
  // links would never end.
  if (!travels) return {};
  const TimePs issue = static_cast<TimePs>(ranks.size() - 1) * draft.message_overhead_ps;
  return {draft.phase(most / whole_bytes, latency + issue, 1)};
}

}  // namespace orrery::simulate
