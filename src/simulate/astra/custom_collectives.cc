#include "simulate/astra/custom_collectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/delays.h"

namespace orrery::simulate::astra {
namespace {

using workload::ActivityKind;

constexpr std::int64_t kCustomTagModulus = 500'000'000;  // as of messages of the workload: they share their tags

}  // namespace

std::uint32_t CustomCollectives::rank_at(const Run& run, std::uint32_t place) {
  // Without a group the members are all ranks, and a place is a rank.
  return run.call.group == nullptr ? place : run.call.group->ranks[place];
}

bool CustomCollectives::start(const CollectiveCall& call, const std::string& prefix) {
  // Without a trace for this place the caller goes on with its own algorithm.
  if (programs_ == nullptr) return false;
  const auto found = programs_->find(prefix);
  if (found == programs_->end() || call.index >= found->second.rank_count() ||
      found->second.program(call.index).size() == 0)
    return false;
  // Actions name a run by its number; numbers of runs that have ended are used again.
  std::uint32_t number = static_cast<std::uint32_t>(runs_.size());
  if (free_runs_.empty()) runs_.emplace_back();
  else number = free_runs_.back(), free_runs_.pop_back();
  Run& run = runs_[number];
  run.call = call;
  run.program = &found->second.program(call.index);
  const auto count = static_cast<std::uint32_t>(run.program->size());
  run.nodes_left = count;
  run.dependencies_left.resize(count);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t node = 0; node < count; ++node) {
    run.dependencies_left[node] = static_cast<std::uint32_t>(run.program->dependencies.incoming(node).size());
    if (run.dependencies_left[node] == 0) ready.push_back(node);
  }
  // Only when all counters stand, as a node may end as soon as it begins.
  for (const std::uint32_t node : ready) begin(number, node);
  return true;
}

void CustomCollectives::begin(std::uint32_t number, std::uint32_t node) {
  const Run& run = runs_[number];
  const workload::Program& program = *run.program;
  const Action done{ActionKind::custom_done, number, node};
  const auto fail = [&](std::string_view problem) {
    dispatcher_.fail(
        {fmt::format("node {} of a custom collective, place {}, {}", program.ids[node], run.call.index, problem)});
  };
  if (program.kinds[node] == ActivityKind::compute) {
    // ASTRA-sim's ticks are nanoseconds of whole microseconds, and no computation takes none.
    const std::int64_t recorded = workload::in_whole_microseconds(program.duration_ps(node)) / kPsPerNs;
    return ticks_.add(run.call.rank, recorded == 0 ? 1 : recorded, done);
  }
  const bool is_send = program.kinds[node] == ActivityKind::send;
  if (!is_send && program.kinds[node] != ActivityKind::recv) return fail("is neither a message nor a computation");
  const auto place = static_cast<std::uint32_t>(program.peers[node]);
  // Without a group any place may be a rank; whether it is there is checked below.
  const std::size_t members = run.call.group == nullptr ? ~std::size_t{0} : run.call.group->ranks.size();
  if (!program.has(node, workload::activity::kHasPeer) || place >= members)
    return fail("names nobody of the communicator");
  const std::uint32_t peer = rank_at(run, place), rank = run.call.rank;
  if (peer == rank || peer >= ranks_) return fail("sends to itself, or to a rank that is not there");
  if (program.bytes[node] <= 0) return fail("is a message of 0 bytes");
  const std::int64_t tag = program.tags[node] % kCustomTagModulus;
  if (is_send) transport_.send(rank, peer, program.bytes[node], tag, done);
  else transport_.receive(peer, rank, program.bytes[node], tag, done);
}

void CustomCollectives::node_done(std::uint32_t number, std::uint32_t node) {
  const workload::Program& program = *runs_[number].program;
  std::vector<std::uint32_t> ready;
  for (const graph::OutgoingEdge& edge : program.dependencies.outgoing(node)) {
    const std::uint32_t target = program.dependencies.node_at(edge.target_position);
    if (--runs_[number].dependencies_left[target] == 0) ready.push_back(target);
  }
  // Edges are in the order of positions; nodes begin in that of their numbers, as at the start.
  std::sort(ready.begin(), ready.end());
  // Counted before others begin, so that whichever node ends last sees zero.
  const bool ended = --runs_[number].nodes_left == 0;
  for (const std::uint32_t next : ready) begin(number, next);
  if (!ended) return;
  // Copied out before the place is given back, as what runs next may take it.
  const Action done{ActionKind::node_done, runs_[number].call.rank, runs_[number].call.node};
  free_runs_.push_back(number);
  dispatcher_.run(done);
}

}  // namespace orrery::simulate::astra
