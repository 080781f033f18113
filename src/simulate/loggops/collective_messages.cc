// Which messages a collective is made of.
#include <bit>

#include "simulate/loggops/collectives.h"

namespace orrery::simulate::loggops {
namespace {

using workload::Collective;
using workload::MessagePattern;

AllReduceAlgorithm choose(std::uint32_t ranks, std::int64_t bytes, const CollectiveOptions& options) {
  AllReduceAlgorithm algorithm = options.all_reduce;
  if (algorithm == AllReduceAlgorithm::automatic)
    algorithm =
        bytes <= options.largest_small_bytes ? AllReduceAlgorithm::recursive_doubling : AllReduceAlgorithm::ring;
  const bool needs_power_of_two =
      algorithm == AllReduceAlgorithm::recursive_doubling || algorithm == AllReduceAlgorithm::recursive_halving;
  return needs_power_of_two && !std::has_single_bit(ranks) ? AllReduceAlgorithm::tree : algorithm;
}

}  // namespace

CollectiveOptions options_of(machine::CollectiveAlgorithm algorithm) {
  CollectiveOptions options;
  options.as_mpi = algorithm == machine::CollectiveAlgorithm::mpi;
  return options;
}

void append_collective(MessagePattern& pattern, Collective collective, std::uint32_t place, std::uint32_t ranks,
                       std::uint32_t root, std::int64_t bytes, const CollectiveOptions& options) {
  if (ranks < 2) return;
  if (options.as_mpi) return append_mpi_collective(pattern, collective, place, ranks, root, bytes);
  const std::int64_t share = bytes / ranks + (bytes % ranks != 0 ? 1 : 0);
  switch (collective) {
    case Collective::all_reduce:
      switch (choose(ranks, bytes, options)) {
        case AllReduceAlgorithm::automatic:
        case AllReduceAlgorithm::ring: return append_ring(pattern, place, ranks, 2 * (ranks - 1), share);
        case AllReduceAlgorithm::recursive_doubling: return append_recursive_doubling(pattern, place, ranks, bytes);
        case AllReduceAlgorithm::recursive_halving: return append_recursive_halving(pattern, place, ranks, bytes);
        case AllReduceAlgorithm::tree: {
          append_binomial_reduce(pattern, place, ranks, 0, bytes);
          const auto reduced = static_cast<MessagePattern::StepId>(pattern.steps().size());
          append_binomial_broadcast(pattern, place, ranks, 0, bytes);
          return pattern.sequence(reduced);
        }
      }
      return;
    case Collective::reduce: return append_binomial_reduce(pattern, place, ranks, root, bytes);
    case Collective::broadcast: return append_binomial_broadcast(pattern, place, ranks, root, bytes);
    case Collective::all_gather:
    case Collective::reduce_scatter: return append_ring(pattern, place, ranks, ranks - 1, share);
    case Collective::gather: return append_linear_gather(pattern, place, ranks, root, share);
    case Collective::scatter: return append_linear_scatter(pattern, place, ranks, root, share);
    case Collective::all_to_all: return append_linear_all_to_all(pattern, place, ranks, share);
    case Collective::barrier: return append_dissemination(pattern, place, ranks, 1);
  }
}

void append_unequal_collective(MessagePattern& pattern, Collective collective, std::uint32_t place, std::uint32_t ranks,
                               std::uint32_t root, std::span<const std::int64_t> parts) {
  // What one member sends another; the others send nothing.
  const auto bytes = [&](std::uint32_t from, std::uint32_t to) -> std::int64_t {
    switch (collective) {
      case Collective::gather: return to == root ? parts[from] : -1;
      case Collective::scatter: return from == root ? parts[to] : -1;
      case Collective::all_gather: return parts[from];
      case Collective::reduce_scatter: return parts[to];
      default: return parts[std::size_t{from} * ranks + to];
    }
  };
  for (std::uint32_t step = 1; step < ranks; ++step) {  // the next one first
    const std::uint32_t to = (place + step) % ranks, from = (place + ranks - step) % ranks;
    if (bytes(place, to) >= 0) pattern.send(to, bytes(place, to));
    if (bytes(from, place) >= 0) pattern.recv(from, bytes(from, place));
  }
}

}  // namespace orrery::simulate::loggops
