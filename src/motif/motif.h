// Motif: a workload learnt from MPI traces. What the ranks of a program do, as a function of the run's parameters:
// which rank belongs to which class, the control flow of each class, and per call and per transition the laws of bytes
// and times (formula.h).
//
// A plain value: written and read as YAML (motif_yaml.h, docs/formats/motif.md), evaluated by predict.h, turned into a
// Workload by whoever runs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "motif/formula.h"

namespace orrery::motif {

// The words that motif files and messages use for the enumerators below, in their order.

inline constexpr std::array<std::string_view, 2> kSizeMeaningNames = {"exponent", "amount"};
inline constexpr std::array<std::string_view, 6> kGroupNames = {"unknown", "none", "world", "row", "column", "self"};
inline constexpr std::array<std::string_view, 11> kPeerNames = {"none",      "self",         "opposite", "shift",
                                                                "row_shift", "column_shift", "row_each", "column_each",
                                                                "grid",      "fixed",        "any"};
inline constexpr std::array<std::string_view, 9> kMembersNames = {
    "all", "diagonal", "off_diagonal", "first", "others", "last", "corner", "edge", "interior"};

/// Which ranks a communicator has, as seen by a member. Ranks stand on a grid row by row: rank = row * q + column.
enum class Group : std::uint8_t {
  unknown,  ///< the trace does not say
  none,     ///< the call has no communicator of interest (MPI_Wait, MPI_Type_commit)
  world,
  row,
  column,
  self,
};

/// Whom a point-to-point call speaks to. For calls that know their partner (Send, Isend, Sendrecv).
enum class Peer : std::uint8_t {
  none,  ///< not point-to-point, or the trace does not say
  self,
  opposite,   ///< the rank at the transposed place of the grid
  shift,      ///< rank + peer_offset, around the ends
  row_shift,  ///< the rank `peer_offset` columns further in the same row, around the ends
  column_shift,
  row_each,  ///< each rank of the own row in turn, one per pass of the loop around: the k-th pass speaks to column + k
  column_each,
  grid,   ///< the existing neighbours in the grid (up, down, left, right), one per pass of the loop around
  fixed,  ///< the rank `peer_offset`
  any,    ///< several, without a pattern that was found
};

/// One place in the program that calls MPI. The same on all ranks and in all runs, whatever number a tracer gave it
/// there.
struct Site {
  std::uint32_t id = 0;        ///< from 1; 0 is the start of the program
  std::string operation = {};  ///< "MPI_Allreduce"; empty: the trace does not say
  std::string stack = {};      ///< "bfs.cc:120 main", where it is known
  Group group = Group::unknown;
  Peer peer = Peer::none;
  std::int64_t peer_offset = 0;
  std::int64_t root = 0;  ///< in the communicator, of rooted collectives
  Formula bytes =
      {};  ///< sent by one rank in one call (to each, for an all-to-all), in the mean over the calls of a run
  /// How the visits of the chain's block around the call differ: the k-th sends bytes * level_weights[k - 1], later
  /// ones as the last. Empty: alike.
  std::vector<double> level_weights = {};

  /// Whatever the library does there, nobody else sees it: all of the time that leads to it is the rank's own.
  [[nodiscard]] bool is_local() const { return operation == "local"; }
  bool operator==(const Site&) const = default;
};

/// One way on in a chain: after the blocks of `context` (the last one is where we are), so often per entry into the
/// chain.
struct ChainStep {
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  std::vector<std::uint32_t> context = {};  ///< places in Flow::parts, the newest last; empty: at the entry
  std::uint32_t next = kEnd;                ///< a place in Flow::parts, or the end of the chain
  /// Expected number per entry. What a walk does next is drawn in proportion to the steps of the longest context that
  /// fits; where the laws do not balance, these proportions count (chain_rates.h).
  Formula times = {};

  bool operator==(const ChainStep&) const = default;
};

inline constexpr int kDeepestFlow = 12;  ///< loops and chains inside one another, of a file

/// A node of the control-flow tree.
struct Flow {
  enum class Kind : std::uint8_t {
    call,      ///< one call at `site`
    sequence,  ///< the parts, in order
    loop,      ///< the parts in order, `trips` times
    chain,     ///< blocks visited in an order that chance decides: a Markov chain over the parts
  };

  Kind kind = Kind::sequence;
  std::uint32_t site = 0;             ///< of a call
  std::vector<Flow> parts = {};       ///< of the others
  Formula trips = {};                 ///< of a loop
  std::vector<ChainStep> steps = {};  ///< of a chain

  bool operator==(const Flow&) const = default;
};

/// Which ranks belong to a class.
enum class Members : std::uint8_t {
  all,
  diagonal,  ///< row = column of the square grid
  off_diagonal,
  first,   ///< rank 0
  others,  ///< every rank that no class before it has
  last,
  corner,    ///< two neighbours in the grid that does not wrap around
  edge,      ///< three
  interior,  ///< four
};

struct RankClass {
  std::string name;
  Members members = Members::all;
  Formula share = Formula(1.0);  ///< of the ranks
  Flow flow = {};

  bool operator==(const RankClass&) const = default;
};

/// What passes between the end of one call and the end of the next: local work and the time inside the next call.
struct Transition {
  std::uint32_t from = 0, to = 0;  ///< sites
  Formula time_us = {};            ///< all of it: what a prediction without a network adds up
  Formula compute_us = {};         ///< the local part: what a simulation takes, since the network makes the rest

  bool operator==(const Transition&) const = default;
};

/// How sure the total is. The interval around a prediction is total * exp(+-1.645 sigma), sigma^2 = residual^2 +
/// spread(nodes, size)^2.
struct Uncertainty {
  double residual = 0;  ///< robust standard deviation of the logarithm of predictions of runs that were left out
  std::vector<double> nodes = {}, sizes = {};  ///< the grid of `spread`, ascending
  std::vector<double> spread =
      {};  ///< standard deviation of the logarithm over resampled fits, size by size for each of `nodes`

  bool operator==(const Uncertainty&) const = default;
};

/// What it was fitted to, and how well.
struct FitRecord {
  std::uint32_t runs = 0;
  double fewest_nodes = 0, most_nodes = 0, smallest_size = 0, largest_size = 0;
  double error_pct = 0;           ///< mean error of the totals of the runs it was fitted to
  double left_out_error_pct = 0;  ///< the same of runs that were left out of the fit
  std::string times_family =
      {};  ///< how times were modelled, and what else was tried: "dictionary (5.2 %), power law (16 %)"
  std::vector<std::string> notes = {};

  bool operator==(const FitRecord&) const = default;
};

struct Motif {
  std::string program = {};
  SizeMeaning size_meaning = SizeMeaning::exponent;
  std::vector<Site> sites = {};  ///< ascending by id
  std::vector<RankClass> classes = {};
  std::vector<Transition> transitions = {};  ///< ascending by (from, to); from 0 is the start
  Uncertainty uncertainty = {};
  FitRecord fit = {};

  [[nodiscard]] const Site* find_site(std::uint32_t id) const;
  [[nodiscard]] const Transition* find_transition(std::uint32_t from, std::uint32_t to) const;
  bool operator==(const Motif&) const = default;
};

/// What a call at the site sends in the visit that the scope's `level` says.
double bytes_of_call(const Site& site, const Scope& scope);

/// Which class a rank belongs to in a run with so many ranks: the first whose members include it; classes.size() if
/// none does. Grids are square where the ranks are a square number, otherwise as square as they can be (rows <=
/// columns).
std::size_t class_of(const Motif& motif, std::uint64_t rank, std::uint64_t ranks);
/// The rows of the grid that so many ranks stand on.
std::uint64_t grid_rows(std::uint64_t ranks);
bool is_member(Members members, std::uint64_t rank, std::uint64_t ranks);

}  // namespace orrery::motif
