// The messages of collectives as MPI libraries make them: which algorithm by size and number of ranks is for
// mpi_choice.h to say. Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005; Bruck et al., 1997.
#include <algorithm>
#include <bit>

#include "simulate/collective/algorithm.h"
#include "simulate/loggops/collectives.h"

namespace orrery::simulate::loggops {
namespace {

using workload::Collective;
using workload::MessagePattern;

/// What one rank does round by round, as MPI_Sendrecv does it: a round's message leaves when the round before is over.
class Rounds {
 public:
  Rounds(MessagePattern& pattern, std::uint32_t place, std::uint32_t ranks, std::uint32_t root)
      : pattern_(pattern), ranks_(ranks), root_(root), place_((place + ranks - root) % ranks) {}

  /// Counted from the root on, round about.
  [[nodiscard]] std::uint32_t place() const { return place_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }

  void send(std::uint32_t to, std::int64_t bytes) {
    const auto step = pattern_.send(real(to), bytes);
    pattern_.wait_for(received_);
    pattern_.wait_for(sent_);
    sent_ = step;
  }
  void recv(std::uint32_t from, std::int64_t bytes) { next_received_ = pattern_.recv(real(from), bytes); }
  /// What comes after waits for what was received.
  void end_round() {
    if (next_received_ != MessagePattern::kNothing) received_ = next_received_;
    next_received_ = MessagePattern::kNothing;
  }
  void exchange(std::uint32_t to, std::int64_t sent, std::uint32_t from, std::int64_t received) {
    send(to, sent);
    recv(from, received);
    end_round();
  }
  void swap(std::uint32_t with, std::int64_t bytes) { exchange(with, bytes, with, bytes); }

 private:
  [[nodiscard]] std::uint32_t real(std::uint32_t place) const { return (place + root_) % ranks_; }

  MessagePattern& pattern_;
  std::uint32_t ranks_, root_, place_;
  MessagePattern::StepId sent_ = MessagePattern::kNothing, received_ = MessagePattern::kNothing,
                         next_received_ = MessagePattern::kNothing;
};

/// All bytes with partners at doubling distances. Beyond a power of two, even ranks hand theirs to the next, and get
/// the result from there.
void doubling_all_reduce(Rounds& rounds, std::int64_t bytes) {
  const std::uint32_t power = std::bit_floor(rounds.ranks()), beyond = rounds.ranks() - power, place = rounds.place();
  const bool is_folded = place < 2 * beyond;
  if (is_folded && place % 2 == 0) {
    rounds.send(place + 1, bytes);
    rounds.recv(place + 1, bytes);
    return rounds.end_round();
  }
  if (is_folded) {
    rounds.recv(place - 1, bytes);
    rounds.end_round();
  }
  const std::uint32_t own = is_folded ? place / 2 : place - beyond;
  for (std::uint32_t distance = 1; distance < power; distance *= 2) {
    const std::uint32_t other = own ^ distance;
    rounds.swap(other < beyond ? 2 * other + 1 : other + beyond, bytes);
  }
  if (is_folded) rounds.send(place - 1, bytes);
}

/// Halves with partners at halving distances: each ends with its block. For powers of two.
void halving(Rounds& rounds, std::int64_t block) {
  for (std::uint32_t distance = rounds.ranks() / 2; distance > 0; distance /= 2)
    rounds.swap(rounds.place() ^ distance, block * distance);
}

/// The way back: all get all blocks. For powers of two.
void doubling(Rounds& rounds, std::int64_t block) {
  for (std::uint32_t distance = 1; distance < rounds.ranks(); distance *= 2)
    rounds.swap(rounds.place() ^ distance, block * distance);
}

void ring(Rounds& rounds, std::int64_t block) {
  const std::uint32_t next = (rounds.place() + 1) % rounds.ranks(),
                      before = (rounds.place() + rounds.ranks() - 1) % rounds.ranks();
  for (std::uint32_t step = 1; step < rounds.ranks(); ++step) rounds.exchange(next, block, before, block);
}

/// Bruck's: block after block from ranks at doubling distances.
void bruck_all_gather(Rounds& rounds, std::int64_t block) {
  const std::uint32_t n = rounds.ranks();
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    const std::int64_t bytes = block * std::min(distance, n - distance);
    rounds.exchange((rounds.place() + n - distance) % n, bytes, (rounds.place() + distance) % n, bytes);
  }
}

/// In round k all that has to go 2^k further, itself or on its way.
void bruck_all_to_all(Rounds& rounds, std::int64_t pair) {
  const std::uint32_t n = rounds.ranks();
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    std::int64_t blocks = 0;
    for (std::uint32_t i = 0; i < n; ++i) blocks += (i & distance) != 0 ? 1 : 0;
    rounds.exchange((rounds.place() + distance) % n, pair * blocks, (rounds.place() + n - distance) % n, pair * blocks);
  }
}

void pairwise(Rounds& rounds, std::int64_t bytes) {
  const std::uint32_t n = rounds.ranks();
  for (std::uint32_t step = 1; step < n; ++step)
    rounds.exchange((rounds.place() + step) % n, bytes, (rounds.place() + n - step) % n, bytes);
}

/// How many blocks lie on the branch of a child that hangs `distance` below its parent.
std::int64_t below(std::uint32_t child, std::uint32_t distance, std::uint32_t ranks) {
  return std::min(distance, ranks - child);
}

/// From the root down a binomial tree: everything, or to each child the blocks of all below it.
void tree_down(Rounds& rounds, std::int64_t whole, std::int64_t block) {
  const std::uint32_t n = rounds.ranks(), place = rounds.place();
  const auto bytes = [&](std::uint32_t child, std::uint32_t distance) {
    return block > 0 ? block * below(child, distance, n) : whole;
  };
  std::uint32_t own = place == 0 ? std::bit_ceil(n) : place & (~place + 1);  // the distance to its parent
  if (place != 0) {
    rounds.recv(place - own, bytes(place, own));
    rounds.end_round();
  }
  while ((own /= 2) > 0)
    if (place + own < n) rounds.send(place + own, bytes(place + own, own));
}

void tree_up(Rounds& rounds, std::int64_t whole, std::int64_t block) {
  const std::uint32_t n = rounds.ranks(), place = rounds.place();
  const auto bytes = [&](std::uint32_t child, std::uint32_t distance) {
    return block > 0 ? block * below(child, distance, n) : whole;
  };
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    if ((place & distance) != 0) return rounds.send(place - distance, bytes(place, distance));
    if (place + distance >= n) continue;
    rounds.recv(place + distance, bytes(place + distance, distance));
    rounds.end_round();
  }
}

}  // namespace

void append_mpi_collective(MessagePattern& pattern, Collective collective, std::uint32_t place, std::uint32_t ranks,
                           std::uint32_t root, std::int64_t bytes) {
  if (ranks < 2) return;
  const Algorithm algorithm = mpi_choice(collective, ranks, static_cast<double>(bytes));
  const std::int64_t block = bytes / ranks + (bytes % ranks != 0 ? 1 : 0);
  const bool in_halves = algorithm == Algorithm::halving_doubling;
  Rounds rounds(pattern, place, ranks, workload::is_rooted(collective) ? root : 0);
  switch (collective) {
    case Collective::all_reduce:
      if (algorithm == Algorithm::recursive_doubling) return doubling_all_reduce(rounds, bytes);
      if (in_halves) return halving(rounds, block), doubling(rounds, block);
      return ring(rounds, block), ring(rounds, block);
    case Collective::reduce:
      if (in_halves) return halving(rounds, block), tree_up(rounds, bytes, block);
      return tree_up(rounds, bytes, 0);
    case Collective::broadcast:
      if (algorithm == Algorithm::binomial_tree) return tree_down(rounds, bytes, 0);
      tree_down(rounds, bytes, block);
      return in_halves ? doubling(rounds, block) : ring(rounds, block);
    case Collective::all_gather:
      if (in_halves) return doubling(rounds, block);
      return algorithm == Algorithm::bruck ? bruck_all_gather(rounds, block) : ring(rounds, block);
    case Collective::all_to_all:
      if (algorithm == Algorithm::direct) return append_linear_all_to_all(pattern, place, ranks, block);
      return algorithm == Algorithm::bruck ? bruck_all_to_all(rounds, block) : pairwise(rounds, block);
    case Collective::reduce_scatter: return in_halves ? halving(rounds, block) : pairwise(rounds, block);
    case Collective::gather: return tree_up(rounds, bytes, block);
    case Collective::scatter: return tree_down(rounds, bytes, block);
    case Collective::barrier: return append_dissemination(pattern, place, ranks, 1);
  }
}

}  // namespace orrery::simulate::loggops
