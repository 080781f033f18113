#include "causal/join/mpi_progress.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "match/mpi/mpi_function.h"

// In three rounds over the operations: the shortest transfer of each class; what waiters say, who were held until the
// late member was back in MPI or were not; and, in classes where nine of ten say yes, that moment as what others wait
// for.

namespace orrery::causal {
namespace {

using match::Ordering;

constexpr TimePs kMuchLonger = 4;  // than the shortest transfer, as in needs.cc
// Nine of ten: clocks and classes are not exact, so that a single contradiction proves nothing.
constexpr std::size_t kHeldPerRefuted = 9;
constexpr TimePs kNoTransferSeen = std::numeric_limits<TimePs>::max();

bool makes_progress(std::string_view name) {
  const match::MpiFunction* const function = match::find_mpi_function(name);
  if (function == nullptr) return false;
  using match::MpiRole;
  switch (function->role) {
    case MpiRole::local:
    case MpiRole::other: return false;
    // A call that begins something posts it and returns.
    case MpiRole::send:
    case MpiRole::receive:
    case MpiRole::send_receive:
    case MpiRole::collective:
    case MpiRole::agreement: return function->is_blocking;
    case MpiRole::wait_one:
    case MpiRole::wait_any:
    case MpiRole::wait_some:
    case MpiRole::wait_all:
    case MpiRole::test:
    case MpiRole::probe: return true;
  }
  return false;
}

/// What the operations of a class say of one side of messages, or of all members.
struct Evidence {
  std::size_t held = 0, refuted = 0;
  [[nodiscard]] bool needs_progress() const { return held > 0 && held >= kHeldPerRefuted * refuted; }
};

class ProgressJudge {
 public:
  ProgressJudge(std::span<const JobOperation> operations, std::span<const PartProgress> progress,
                std::span<JobPart> parts, std::span<PartMoments> moments)
      : operations_(operations), progress_(progress), parts_(parts), moments_(moments) {}

  void judge() {
    for (const JobOperation& operation : operations_) look_at_transfers(operation);
    for_each_late_part([&](const JobOperation& operation, std::uint32_t late) { look_at_waiters(operation, late); });
    for_each_late_part([&](const JobOperation& operation, std::uint32_t late) { apply(operation, late); });
  }

 private:
  using Class = std::tuple<StringId, StringId, std::int64_t, Ordering, bool>;
  enum class Role : std::uint8_t { member, sender, receiver, receiver_that_had_seen };
  using Side = std::pair<Class, Role>;

  [[nodiscard]] static Class class_of(const JobOperation& operation) {
    return {operation.what, operation.group, operation.bytes, operation.ordering, operation.on_host};
  }
  [[nodiscard]] Side side_of(const JobOperation& operation, std::uint32_t part) const {
    if (operation.ordering != Ordering::message) return {class_of(operation), Role::member};
    if (part == operation.first) return {class_of(operation), Role::sender};
    return {class_of(operation), progress_[part].had_seen ? Role::receiver_that_had_seen : Role::receiver};
  }

  template <typename Visit>
  void for_each_late_part(const Visit& visit) const {
    for (const JobOperation& operation : operations_) {
      for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p) {
        if (progress_[p].node != graph::kNoNode) visit(operation, p);
      }
    }
  }

  [[nodiscard]] TimePs last_arrival(const JobOperation& operation) const {
    TimePs last = moments_[operation.first].arrival;
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p)
      last = std::max(last, moments_[p].arrival);
    return last;
  }

  void look_at_transfers(const JobOperation& operation) {
    const TimePs last = last_arrival(operation);
    TimePs& least = least_transfer_.try_emplace(class_of(operation), kNoTransferSeen).first->second;
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p) {
      const TimePs ready = std::max(last, progress_[p].entered);
      // One that ended before all had come says nothing about how long it takes when all have.
      if (moments_[p].end >= ready) least = std::min(least, moments_[p].end - ready);
    }
  }

  void look_at_waiters(const JobOperation& operation, std::uint32_t late) {
    const TimePs least = least_transfer_.at(class_of(operation));
    if (least >= kNoTransferSeen / kMuchLonger) return;
    Evidence& evidence = evidence_[side_of(operation, late)];
    const TimePs last = last_arrival(operation), progress = progress_[late].moment;
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p) {
      if (p == late || progress - std::max(last, progress_[p].entered) <= kMuchLonger * least) continue;
      ++(moments_[p].end >= progress ? evidence.held : evidence.refuted);
    }
  }

  void apply(const JobOperation& operation, std::uint32_t late) {
    const auto evidence = evidence_.find(side_of(operation, late));
    if (evidence == evidence_.end() || !evidence->second.needs_progress()) return;
    // Seen in this very operation that somebody did not wait: then it did not.
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p) {
      if (p != late && moments_[p].end < progress_[late].moment) return;
    }
    parts_[late].progress = progress_[late].node;
    moments_[late].computes_on = progress_[late].moment - moments_[late].arrival;
  }

  std::span<const JobOperation> operations_;
  std::span<const PartProgress> progress_;
  std::span<JobPart> parts_;
  std::span<PartMoments> moments_;
  std::map<Class, TimePs> least_transfer_;
  std::map<Side, Evidence> evidence_;
};

}  // namespace

ProgressCalls::ProgressCalls(const trace::Trace& trace, const trace::RankTrace& rank, const RankGraph& step,
                             TimePs shift, graph::NodeId first_node) {
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    if (step.kind(slot) != EdgeKind::communication || step.graph.edge_tag(slot) == graph::kNoTag) continue;
    const trace::EventIndex event = step.owner_events[step.graph.edge_tag(slot)];
    if (rank.activity(event) != trace::Activity::mpi_call || !makes_progress(trace.name(rank, event))) continue;
    const graph::NodeId source = step.graph.source(slot);
    calls_.push_back({step.time[source] + shift, step.time[step.graph.target(slot)] + shift, first_node + source});
  }
  std::sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
    return std::tie(a.end, a.begin, a.node) < std::tie(b.end, b.begin, b.node);
  });
}

std::vector<ProgressCalls::Call>::const_iterator ProgressCalls::first_ending_after(TimePs moment) const {
  return std::partition_point(calls_.begin(), calls_.end(), [&](const Call& call) { return call.end <= moment; });
}

std::optional<ProgressCalls::Call> ProgressCalls::next_after(TimePs moment) const {
  const auto call = first_ending_after(moment);
  if (call == calls_.end() || call->begin <= moment) return std::nullopt;
  return *call;
}

bool ProgressCalls::was_inside(TimePs from, TimePs to) const {
  const auto call = first_ending_after(from);
  return call != calls_.end() && call->begin < to;
}

void find_progress(std::span<const JobOperation> operations, std::span<const PartProgress> progress,
                   std::span<JobPart> parts, std::span<PartMoments> moments) {
  ProgressJudge(operations, progress, parts, moments).judge();
}

}  // namespace orrery::causal
