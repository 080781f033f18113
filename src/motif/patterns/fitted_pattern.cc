#include "motif/patterns/fitted_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "base/interrupt.h"
#include "base/random.h"
#include "motif/patterns/call_pattern.h"

// The flow of each class is walked once with the parameters of the run: loops take their formula's trips, chains draw
// their next block. Each site becomes a call with its bytes and partner by formula. Classes that run together must
// branch together, so that all draw from one seed in the order of the flow.

namespace orrery::motif {
namespace {

constexpr std::uint64_t kMostFittedCalls = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostFittedSteps =
    4 * kMostFittedCalls;  // through the flow: loops around nothing take some, too

using workload::Collective;

}  // namespace

std::optional<Collective> collective_of(std::string_view operation) {
  if (operation.starts_with("MPI_")) operation.remove_prefix(4);
  constexpr std::array<std::pair<std::string_view, Collective>, 16> kNames = {
      {{"Allreduce", Collective::all_reduce},
       {"Reduce", Collective::reduce},
       {"Bcast", Collective::broadcast},
       {"Allgather", Collective::all_gather},
       {"Allgatherv", Collective::all_gather},
       {"Gather", Collective::gather},
       {"Gatherv", Collective::gather},
       {"Scatter", Collective::scatter},
       {"Scatterv", Collective::scatter},
       {"Alltoall", Collective::all_to_all},
       {"Alltoallv", Collective::all_to_all},
       {"Alltoallw", Collective::all_to_all},
       {"Reduce_scatter", Collective::reduce_scatter},
       {"Reduce_scatter_block", Collective::reduce_scatter},
       {"Barrier", Collective::barrier},
       {"Scan", Collective::all_reduce}}};
  for (const auto& [name, collective] : kNames)
    if (operation == name) return collective;
  return std::nullopt;
}

namespace {

/// Everything that is one of these: "Isend" begins a message, "Waitall" ends all.
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Turns sites into calls of a run, and remembers what had to be assumed.
class CallMaker {
 public:
  CallMaker(const Motif& motif, const RunParameters& run, CallLists& lists)
      : motif_(motif), scope_(run, motif.size_meaning), lists_(lists) {}

  Result<MpiCall> make(std::uint32_t from, std::uint32_t to, std::uint32_t level, std::uint64_t pass) {
    const Site* const site = motif_.find_site(to);
    if (site == nullptr) return Error{fmt::format("the motif calls site {}, which it does not describe", to)};
    const Scope scope = scope_.at_level(level);
    MpiCall call;
    if (const Transition* const transition = motif_.find_transition(from, to))
      call.compute_ps = to_picoseconds(transition->compute_us.at(scope) * 1000);
    call.phase = phase_of(*site);
    // 2^50 bytes: no message is larger, and sums of them still fit.
    call.bytes = static_cast<std::int64_t>(std::llround(std::min(bytes_of_call(*site, scope), 0x1p50)));
    if (site->operation.empty())
      note(fmt::format("site {}: what it calls is not known, and it is taken for local work", site->id));
    std::string_view operation = site->operation;
    if (operation.starts_with("MPI_")) operation.remove_prefix(4);
    if (const auto collective = collective_of(operation)) return made_collective(call, *site, *collective);
    if (is_one_of(operation, {"Wait", "Waitall", "Waitany", "Waitsome", "Recv", "Mrecv"}))
      call.kind = MpiCall::Kind::wait;
    if (is_one_of(operation, {"Sendrecv", "Sendrecv_replace"})) made_exchange(call, *site, pass, true);
    if (is_one_of(operation, {"Send", "Isend", "Ssend", "Issend", "Bsend", "Ibsend", "Rsend", "Irsend"}))
      made_exchange(call, *site, pass, false);
    return call;
  }
  [[nodiscard]] const Scope& scope() const { return scope_; }
  [[nodiscard]] std::vector<std::string> notes() const { return {notes_.begin(), notes_.end()}; }

 private:
  std::uint32_t phase_of(const Site& site) {
    const auto known = phases_.find(site.id);
    if (known != phases_.end()) return known->second;
    lists_.phases.push_back(site.operation.empty() ? fmt::format("site {}", site.id)
                                                   : fmt::format("{} (site {})", site.operation, site.id));
    return phases_[site.id] = static_cast<std::uint32_t>(lists_.phases.size() - 1);
  }
  void note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
  }

  MpiCall made_collective(MpiCall call, const Site& site, Collective collective) {
    if (site.group == Group::self || site.group == Group::none) return call;
    if (site.group == Group::unknown)
      note(fmt::format("site {} ({}): its communicator is not known and taken for all ranks", site.id, site.operation));
    call.kind = MpiCall::Kind::collective;
    call.collective = collective;
    call.group = site.group == Group::row      ? MpiCall::Group::row
                 : site.group == Group::column ? MpiCall::Group::column
                                               : MpiCall::Group::world;
    const std::uint32_t size = call.group == MpiCall::Group::row      ? lists_.columns
                               : call.group == MpiCall::Group::column ? lists_.rows
                                                                      : lists_.rows * lists_.columns;
    call.root = static_cast<std::uint32_t>(std::clamp<std::int64_t>(site.root, 0, size - 1));
    if (collective == Collective::all_to_all || collective == Collective::scatter)
      call.bytes *= size;  // what a site says is for each
    if (collective == Collective::barrier) call.bytes = 0;
    return call;
  }

  void made_exchange(MpiCall& call, const Site& site, std::uint64_t pass, bool blocks) {
    const auto in = [&](MpiCall::Group group, std::int64_t places) {
      call.peer = MpiCall::Peer::shift;
      call.group = group;
      call.offset = places;
    };
    call.kind = MpiCall::Kind::exchange;
    call.blocks = blocks;
    switch (site.peer) {
      case Peer::opposite: call.peer = MpiCall::Peer::transposed; return;
      case Peer::shift: return in(MpiCall::Group::world, site.peer_offset);
      case Peer::row_shift: return in(MpiCall::Group::row, site.peer_offset);
      case Peer::column_shift: return in(MpiCall::Group::column, site.peer_offset);
      case Peer::row_each: return in(MpiCall::Group::row, static_cast<std::int64_t>(pass) + 1);
      case Peer::column_each: return in(MpiCall::Group::column, static_cast<std::int64_t>(pass) + 1);
      case Peer::grid:
        call.peer = MpiCall::Peer::neighbour;
        call.offset = static_cast<std::int64_t>(pass);
        return;
      case Peer::fixed:
        call.peer = MpiCall::Peer::fixed;
        call.offset = std::clamp<std::int64_t>(site.peer_offset, 0, std::int64_t{lists_.rows} * lists_.columns - 1);
        return;
      default: break;
    }
    call.kind = MpiCall::Kind::local;
    if (site.peer != Peer::self)
      note(fmt::format("site {} ({}): whom it sends to is not known, and its messages are left out", site.id,
                       site.operation));
  }

  const Motif& motif_;
  Scope scope_;
  CallLists& lists_;
  std::map<std::uint32_t, std::uint32_t> phases_;  // by site
  std::vector<std::string> notes_;
};

/// The calls of one class in one run. Every class draws the same numbers in the same order, so that branches agree.
///
/// Draws are evenly spread: at each place of the flow they go on by the golden section of the unit interval from where
/// the seed began (an additive recurrence, Kronecker's sequence), so that each way is taken as often as its share says
/// to within one or two, in any order of the places. The total of traced runs varies by some per cent; with independent
/// draws the number of levels of 64 searches alone made it vary by 15 %.
class FlowWalk {
 public:
  FlowWalk(CallMaker& maker, std::uint64_t seed, std::vector<MpiCall>& calls)
      : maker_(maker), random_(seed), calls_(calls) {}

  Status walk(const Flow& flow, std::uint32_t level = 1, std::uint64_t pass = 0) {
    stop_if_requested();
    if (++steps_ > kMostFittedSteps) return Error{"the walk through the motif does not end"};
    switch (flow.kind) {
      case Flow::Kind::call: return call(flow.site, level, pass);
      case Flow::Kind::sequence: return walk_parts(flow, level, pass);
      case Flow::Kind::loop: return walk_loop(flow, level);
      case Flow::Kind::chain: return walk_chain(flow);
    }
    return {};
  }

 private:
  Status call(std::uint32_t site, std::uint32_t level, std::uint64_t pass) {
    if (calls_.size() == kMostFittedCalls)
      return Error{fmt::format("a rank makes more than {} calls", kMostFittedCalls)};
    const auto made = maker_.make(last_, site, level, pass);
    if (!made) return made.error();
    calls_.push_back(*made);
    last_ = site;
    return {};
  }
  Status walk_parts(const Flow& flow, std::uint32_t level, std::uint64_t pass) {
    for (const Flow& part : flow.parts)
      if (const Status walked = walk(part, level, pass); !walked) return walked;
    return {};
  }
  Status walk_loop(const Flow& flow, std::uint32_t level) {
    const double wanted = std::max(0.0, flow.trips.at(maker_.scope().at_level(level)));
    if (!(wanted <= static_cast<double>(kMostFittedCalls))) return Error{fmt::format("a loop of {} passes", wanted)};
    // A number between two is the one or the other, as often as it is near to it.
    // Formulas in floating point: what is a whole number but for rounding is one.
    const double whole = std::floor(wanted + 1e-9), rest = wanted - whole;
    const auto trips = static_cast<std::uint64_t>(whole) + (rest > 1e-6 && next_draw(flow, {}) < rest ? 1 : 0);
    for (std::uint64_t pass = 0; pass < trips; ++pass)
      if (const Status walked = walk_parts(flow, level, pass); !walked) return walked;
    return {};
  }
  Status walk_chain(const Flow& flow) {
    std::vector<std::uint32_t> history;
    std::vector<std::uint32_t> visits(flow.parts.size(), 0);
    for (std::uint32_t next = draw(flow, history); next != ChainStep::kEnd; next = draw(flow, history)) {
      if (next >= flow.parts.size()) return Error{"a chain leads to a block that is not there"};
      if (history.size() > kMostFittedCalls) return Error{"a chain does not end"};
      history.push_back(next);
      if (const Status walked = walk(flow.parts[next], ++visits[next], visits[next] - 1); !walked) return walked;
    }
    return {};
  }
  /// In proportion to the steps of the longest context that fits what was visited; the end where none does.
  std::uint32_t draw(const Flow& flow, const std::vector<std::uint32_t>& history) {
    const auto fits = [&](const ChainStep& step) {
      return step.context.empty() ? history.empty()
                                  : step.context.size() <= history.size() &&
                                        std::equal(step.context.rbegin(), step.context.rend(), history.rbegin());
    };
    std::size_t longest = 0;
    for (const ChainStep& step : flow.steps)
      if (fits(step)) longest = std::max(longest, step.context.size());
    const auto first = history.end() - static_cast<std::ptrdiff_t>(longest);
    double sum = 0;
    const auto each = [&](const auto& take) {
      for (const ChainStep& step : flow.steps)
        if (fits(step) && step.context.size() == longest && take(step, step.times.at(maker_.scope()))) return;
    };
    each([&](const ChainStep&, double times) { return sum += std::max(0.0, times), false; });
    if (!(sum > 0)) return ChainStep::kEnd;
    double left = next_draw(flow, {first, history.end()}) * sum;
    std::uint32_t chosen = ChainStep::kEnd;
    each([&](const ChainStep& step, double times) {
      if (times <= 0) return false;
      chosen = step.next;
      left -= times;
      return left < 0;
    });
    return chosen;
  }

  /// At least 0 and below 1, of a loop, or of a chain after the blocks of a context.
  double next_draw(const Flow& flow, std::vector<std::uint32_t> context) {
    const auto known = draws_.find({&flow, context});
    if (known == draws_.end()) return draws_[{&flow, std::move(context)}] = next_uniform(random_);
    const double further = known->second + (std::numbers::phi - 1);
    return known->second = further < 1 ? further : further - 1;
  }

  CallMaker& maker_;
  std::uint64_t random_;
  std::map<std::pair<const Flow*, std::vector<std::uint32_t>>, double>
      draws_;  // the last ones; asked for, never walked through
  std::vector<MpiCall>& calls_;
  std::uint32_t last_ = 0;  // the site called before; 0: the start
  std::uint64_t steps_ = 0;
};

}  // namespace

Result<FittedPattern> fitted_pattern(const Motif& motif, const RunParameters& run, std::uint64_t seed) {
  const double wanted = run.ranks();
  if (!(wanted >= 1 && wanted <= kMostRanks) || wanted != std::floor(wanted))
    return Error{fmt::format("{} ranks: a whole number from 1 to {}", wanted, kMostRanks)};
  const auto ranks = static_cast<std::uint32_t>(wanted);
  CallLists lists;
  lists.rows = static_cast<std::uint32_t>(grid_rows(ranks));
  lists.columns = ranks / lists.rows;
  std::vector<std::uint32_t> classes(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::size_t number = class_of(motif, rank, ranks);
    if (number == motif.classes.size())
      return Error{fmt::format("rank {} of {} belongs to no class of the motif", rank, ranks)};
    classes[rank] = static_cast<std::uint32_t>(number);
  }
  CallMaker maker(motif, run, lists);
  lists.by_class.resize(motif.classes.size());
  for (std::size_t number = 0; number < motif.classes.size(); ++number) {
    if (std::find(classes.begin(), classes.end(), number) == classes.end()) continue;
    if (const Status walked = FlowWalk(maker, seed, lists.by_class[number]).walk(motif.classes[number].flow); !walked)
      return walked.error();
  }
  lists.class_of = [classes = std::make_shared<const std::vector<std::uint32_t>>(std::move(classes))](
                       std::uint32_t rank) { return (*classes)[rank]; };
  auto pattern = call_pattern(std::move(lists));
  if (!pattern) return pattern.error();
  return FittedPattern{std::move(*pattern), maker.notes()};
}

}  // namespace orrery::motif
