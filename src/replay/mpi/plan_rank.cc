#include "replay/mpi/plan_rank.h"

#include <algorithm>
#include <string>
#include <utility>

#include "replay/mpi/mpi_call.h"
#include "workload/agreement.h"
#include "workload/collective_parts.h"

// Communicators first, since operations name them by place; then lines (who comes after whom on a stream or a channel);
// then each operation with its partner, sizes and parts; at last the two halves of MPI_Sendrecv and the edges, those by
// end before those by start.

namespace orrery::replay {
namespace {

using simulate::Resource;
using workload::Collective;
using workload::Communicator;
using workload::Program;

constexpr TimePs kPicosPerNano = 1000;
constexpr std::int64_t kMostBuffered = std::int64_t{1} << 30;
constexpr std::int64_t kBufferedOverhead = 512;  // more than MPI_BSEND_OVERHEAD of any MPI

class RankPlanner {
 public:
  RankPlanner(const RankFacts& facts, std::uint32_t rank)
      : facts_(facts),
        matching_(facts.matching),
        job_(facts.matching.workload()),
        rank_(rank),
        program_(job_.program(rank)),
        lines_(matching_.lines(rank)) {}

  RankProgram make() {
    add_communicators();
    add_lines();
    for (std::size_t kind = 0; kind < kReplaySlotKinds; ++kind)
      made_.slots[kind] = std::max<std::uint32_t>(1, facts_.program.recorded_lanes[kind]);
    made_.operations.resize(program_.size());
    for (std::uint32_t i = 0; i < program_.size(); ++i) add_operation(i);
    // MPI takes the size of its buffer as an int; what was delivered makes room for the next.
    made_.buffered_bytes = std::min(made_.buffered_bytes, kMostBuffered);
    pair_halves();
    add_successors();
    return std::move(made_);
  }

 private:
  // --- communicators ---

  static bool is_world(const Communicator& communicator) { return communicator.name == 0 && !communicator.is_role; }

  void add_communicators() {
    stream_place_.assign(lines_.streams.size(), 0);
    std::map<std::uint32_t, RankCommunicator> by_number;  // number 0 is the world
    // Numbers of others begin at 1, so that the same number means the same communicator on all ranks.
    by_number[0] = {"world", {}, 0};
    for (std::uint32_t stream = 0; stream < lines_.streams.size(); ++stream) {
      const std::uint32_t number = matching_.communicator_number(rank_, stream);
      const Communicator& communicator = matching_.communicators()[number];
      if (is_world(communicator)) continue;
      by_number[number + 1] = {
          name_of(communicator), {communicator.ranks.begin(), communicator.ranks.end()}, number + 1};
    }
    // Messages of a role pass those by that name ranks. All ranks make it, whether they need it or not: making it is
    // for all.
    for (std::size_t role = 0; role < facts_.message_roles.size(); ++role) {
      const auto number = static_cast<std::uint32_t>(matching_.communicators().size() + 1 + role);
      std::vector<std::int32_t> all(job_.rank_count());
      for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = static_cast<std::int32_t>(rank);
      by_number[number] = {"messages in " + std::string(job_.strings.text(facts_.message_roles[role])), std::move(all),
                           number};
    }
    // In the order of their numbers: making one is collective, so all ranks have to make them in one order.
    for (auto& [number, communicator] : by_number) {
      place_of_number_[number] = static_cast<std::uint32_t>(made_.communicators.size());
      made_.communicators.push_back(std::move(communicator));
    }
    for (std::uint32_t stream = 0; stream < lines_.streams.size(); ++stream) {
      const std::uint32_t number = matching_.communicator_number(rank_, stream);
      stream_place_[stream] = is_world(matching_.communicators()[number]) ? 0 : place_of_number_[number + 1];
    }
  }

  [[nodiscard]] std::string name_of(const Communicator& communicator) const {
    std::string name(job_.strings.text(communicator.name));
    if (communicator.is_role) return name + ":" + std::to_string(communicator.ranks[0]);
    // A group of this name is not the communicator of all processes.
    return name == "world" ? "group world" : name;
  }

  std::uint32_t message_communicator(StringId role) {
    if (role == 0) return 0;
    const auto at =
        std::find(facts_.message_roles.begin(), facts_.message_roles.end(), role) - facts_.message_roles.begin();
    return place_of_number_[static_cast<std::uint32_t>(matching_.communicators().size() + 1 +
                                                       static_cast<std::size_t>(at))];
  }

  // --- lines: streams, then channels ---

  void add_lines() {
    const auto add = [&](const std::vector<std::uint32_t>& activities) {
      made_.line_operations.insert(made_.line_operations.end(), activities.begin(), activities.end());
      made_.line_begins.push_back(static_cast<std::uint32_t>(made_.line_operations.size()));
    };
    for (const workload::Stream& stream : lines_.streams) add(stream.activities);
    for (const workload::Channel& channel : lines_.channels) add(channel.activities);
  }

  // --- operations ---

  void add_operation(std::uint32_t i) {
    OrreryReplayOperation& operation = made_.operations[i];
    const Resource resource = facts_.program.activities[i].resource;
    operation.dependencies = facts_.program.activities[i].dependency_count;
    switch (resource) {
      case Resource::compute:
      case Resource::host:
      case Resource::memory:
        operation.kind = kReplayCompute;
        operation.slot = static_cast<std::uint8_t>(resource);
        // Rounded to the nearest nanosecond.
        operation.duration_ns = (program_.duration_ps(i) + kPicosPerNano / 2) / kPicosPerNano;
        return;
      case Resource::collective: return add_collective(i, operation);
      case Resource::send:
      case Resource::recv: return add_message(i, operation);
      case Resource::timed:
      case Resource::nothing: return;
    }
  }

  void add_message(std::uint32_t i, OrreryReplayOperation& operation) {
    const workload::LinePlace here = lines_.places[i];
    const workload::ChannelKey& key = lines_.channels[here.line].key;
    const std::uint32_t peer = matching_.membership().peer(rank_, key);
    operation.kind = key.is_send ? kReplaySend : kReplayReceive;
    operation.call = recorded_call(name(i), program_.kinds[i]);
    operation.peer = peer == workload::Membership::kNoRank ? -1 : static_cast<std::int32_t>(peer);
    operation.tag = tag_of(key.tag);
    operation.communicator = message_communicator(key.role);
    operation.line = static_cast<std::uint32_t>(lines_.streams.size()) + here.line;
    operation.place = here.place;
    operation.bytes = program_.bytes[i];
    if (!key.is_send) {
      const std::optional<workload::Message> message = matching_.message(rank_, i);
      // Who receives without a known message makes room for the largest that there is.
      operation.bytes = message ? message->bytes : facts_.largest_message;
    }
    if ((operation.call & kReplayBuffered) != 0) made_.buffered_bytes += operation.bytes + kBufferedOverhead;
  }

  [[nodiscard]] std::int32_t tag_of(std::int64_t tag) const {
    if (tag == workload::kAnyTag) return -1;
    return facts_.tags.empty() ? static_cast<std::int32_t>(tag) : facts_.tags.at(tag);
  }

  void add_collective(std::uint32_t i, OrreryReplayOperation& operation) {
    const workload::LinePlace here = lines_.places[i];
    const Communicator& communicator = matching_.communicator(rank_, i);
    const Collective kind = program_.collectives[i];
    operation.kind = kReplayCollective;
    operation.collective = static_cast<OrreryReplayCollective>(kind);
    operation.call = recorded_call(name(i), program_.kinds[i]);
    operation.communicator = stream_place_[here.line];
    operation.line = here.line;
    operation.place = here.place;
    operation.bytes = program_.bytes[i];
    if (workload::is_rooted(kind))
      operation.peer = static_cast<std::int32_t>(workload::root_place(communicator, program_, i));
    add_parts(communicator, here.place, operation);
  }

  /// Bytes per member, where they are not equal, cannot be, or were given as a list.
  void add_parts(const Communicator& communicator, std::uint64_t place, OrreryReplayOperation& operation) {
    const auto kind = static_cast<Collective>(operation.collective);
    const std::size_t members = communicator.ranks.size();
    const auto me = static_cast<std::size_t>(std::find(communicator.ranks.begin(), communicator.ranks.end(), rank_) -
                                             communicator.ranks.begin());
    workload::collect_parts(matching_, communicator, place, parts_);
    const bool has_own_share =
        kind == Collective::all_to_all || kind == Collective::scatter || kind == Collective::reduce_scatter;
    const bool may_list = workload::may_have_unequal_parts(kind) || has_own_share;
    const auto count = static_cast<std::int64_t>(members);
    const bool is_uneven = has_own_share && operation.bytes % count != 0;
    // Equal parts need no list, unless the recorded call took one.
    if (parts_.empty() && (!may_list || (!is_uneven && (operation.call & kReplayLists) == 0))) return;
    operation.first_part = static_cast<std::uint32_t>(made_.parts.size());
    if (!parts_.empty()) {
      if (kind != Collective::all_to_all) {
        made_.parts.insert(made_.parts.end(), parts_.begin(), parts_.end());
        return;
      }
      // First what this rank sends to each, then what it receives from each: as MPI_Alltoallv takes them.
      for (std::size_t other = 0; other < members; ++other) made_.parts.push_back(parts_[me * members + other]);
      for (std::size_t other = 0; other < members; ++other) made_.parts.push_back(parts_[other * members + me]);
      return;
    }
    // The first members get a byte more, so that the sum is what was asked for.
    const auto part = [&](std::size_t member) {
      return has_own_share
                 ? operation.bytes / count + (static_cast<std::int64_t>(member) < operation.bytes % count ? 1 : 0)
                 : operation.bytes;
    };
    for (std::size_t other = 0; other < members; ++other) made_.parts.push_back(part(other));
    if (kind == Collective::all_to_all) made_.parts.insert(made_.parts.end(), members, part(me));
  }

  /// The send and the receive of MPI_Sendrecv come one after the other, and wait for the same.
  void pair_halves() {
    for (std::uint32_t i = 0; i + 1 < program_.size(); ++i) {
      const OrreryReplayOperation &send = made_.operations[i], &receive = made_.operations[i + 1];
      if (send.kind != kReplaySend || receive.kind != kReplayReceive || program_.names[i] != program_.names[i + 1])
        continue;
      if (is_send_and_receive(name(i))) made_.operations[i].partner = i + 1;
    }
  }

  void add_successors() {
    for (std::uint32_t i = 0; i < program_.size(); ++i) {
      OrreryReplayOperation& operation = made_.operations[i];
      operation.first_successor = static_cast<std::uint32_t>(made_.successors.size());
      const auto after_end = facts_.program.successors_of(i);
      made_.successors.insert(made_.successors.end(), after_end.begin(), after_end.end());
      operation.successors = static_cast<std::uint32_t>(after_end.size());
      if (!facts_.program.activities[i].starts_others) continue;
      for (const simulate::StartEdge& edge : facts_.program.started_by(i)) {
        made_.successors.push_back(edge.target);
        ++operation.started_successors;
      }
    }
  }

  [[nodiscard]] std::string_view name(std::uint32_t i) const { return job_.strings.text(program_.names[i]); }

  const RankFacts& facts_;
  const workload::Matching& matching_;
  const workload::Workload& job_;
  std::uint32_t rank_;
  const Program& program_;
  const workload::ProgramLines& lines_;
  std::vector<std::uint32_t> stream_place_;  // by stream: into made_.communicators
  std::map<std::uint32_t, std::uint32_t> place_of_number_;
  std::vector<std::int64_t> parts_;
  RankProgram made_;
};

}  // namespace

RankProgram plan_rank(const RankFacts& facts, std::uint32_t rank) { return RankPlanner(facts, rank).make(); }

}  // namespace orrery::replay
