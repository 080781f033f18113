#include "causal/program/program_columns.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "causal/diagnostics.h"
#include "causal/join/communication_parts.h"
#include "workload/delays.h"

// Each activity of the chain becomes a row: an event, a later part of one, or a delay with a name of its own. A
// communication that was cut to pieces has one part that stands for it, with kind, size and group; its other parts are
// plain time, so that a simulator prices the transfer once.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::Field;
using workload::ActivityKind;

workload::Delay delay_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::launch_delay: return workload::Delay::launch;
    case EdgeKind::kernel_gap: return workload::Delay::kernel_gap;
    case EdgeKind::stream_wait: return workload::Delay::stream_wait;
    case EdgeKind::sync_return: return workload::Delay::sync_return;
    case EdgeKind::handoff: return workload::Delay::handoff;
    case EdgeKind::idle_thread: return workload::Delay::idle_thread;
    // In a program nothing came before: a device that was at other work is one that does nothing yet.
    case EdgeKind::earlier_work:
    case EdgeKind::idle_device: return workload::Delay::idle_device;
    case EdgeKind::order: return workload::Delay::join;
    // What is left is time of the host between calls.
    default: return workload::Delay::host_gap;
  }
}

std::int32_t to_int32(std::int64_t value, std::int32_t otherwise) {
  const bool fits =
      value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(value) : otherwise;
}

}  // namespace

ProgramColumns::ProgramColumns(const trace::Trace& trace, const trace::RankTrace& rank, const OperatorIndex& operators,
                               const trace::HostTrace* host, const HostMatch* match,
                               const trace::HostArguments* arguments, const std::vector<workload::CommGroup>& groups,
                               std::span<const match::HostWork> work, Interner& strings, Diagnostics& diagnostics)
    : trace_(trace),
      rank_(rank),
      operators_(operators),
      match_(match),
      queues_(trace, rank),
      strings_(strings),
      diagnostics_(diagnostics),
      collectives_(trace, rank, operators, host, match, arguments, work),
      groups_(trace, rank, groups),
      translated_(trace.strings.size(), Interner::kMissing),
      continued_(trace.strings.size(), Interner::kMissing) {
  for (std::size_t kind = 0; kind < kJobEdgeKinds; ++kind)
    delay_names_[kind] = strings.intern(to_string(delay_of(static_cast<EdgeKind>(kind))));
}

StringId ProgramColumns::translate(StringId in_trace) {
  // One table for both: nothing to translate.
  if (&strings_ == &trace_.strings) return in_trace;
  StringId& id = translated_[in_trace];
  if (id == Interner::kMissing) id = strings_.intern(trace_.strings.text(in_trace));
  return id;
}

StringId ProgramColumns::continued(StringId in_trace) {
  StringId& id = continued_[in_trace];
  if (id == Interner::kMissing) id = strings_.intern(std::string(trace_.strings.text(in_trace)) + " (continued)");
  return id;
}

bool ProgramColumns::stands_for_event(std::uint32_t i, const ChainedActivity& activity) const {
  if (activity.event == kNoEvent) return false;
  // A profiler step is no work: a simulated run that has a piece of that name would be taken for a step of that length.
  if (rank_.activity(activity.event) == Activity::annotation &&
      trace_.name(rank_, activity.event).starts_with("ProfilerStep"))
    return false;
  return activity.kind == EdgeKind::communication ? communicates_[activity.event] == i : !activity.continues;
}

StringId ProgramColumns::name_of(std::uint32_t i, const ChainedActivity& activity) {
  if (activity.event == kNoEvent) return delay_names_[static_cast<std::size_t>(activity.kind)];
  const StringId name = rank_.name[activity.event];
  if (stands_for_event(i, activity)) return translate(name);
  if (activity.kind == EdgeKind::communication) return continued(name);
  // What runs in the rest of an annotation was not recorded.
  return rank_.activity(activity.event) == Activity::annotation
             ? delay_names_[static_cast<std::size_t>(EdgeKind::cpu_untraced)]
             : continued(name);
}

bool ProgramColumns::is_on_host(const ChainedActivity& activity) const {
  return activity.event != kNoEvent ? !is_device_work(rank_.activity(activity.event)) : !is_on_device(activity.kind);
}

std::int32_t ProgramColumns::place_of(const ChainedActivity& activity, bool on_host) const {
  if (!on_host && activity.event != kNoEvent) return to_int32(queues_.of(activity.event).stream, 0);
  if (activity.lane >= rank_.lanes.size()) return 0;
  // Threads with names instead of numbers are told apart by their lanes.
  return to_int32(rank_.lanes[activity.lane].thread.number, static_cast<std::int32_t>(activity.lane));
}

std::uint32_t ProgramColumns::row_of(std::uint32_t i, const ChainedActivity& activity, bool on_host) const {
  if (match_ == nullptr || !stands_for_event(i, activity)) return kNoRow;
  if (on_host) return match_->row_of_event[activity.event];
  // The host trace has no rows for kernels: what they do is said by the operator that launched them.
  const trace::EventIndex launcher = operators_.operator_of[activity.event];
  return launcher == kNoEvent ? kNoRow : match_->row_of_event[launcher];
}

ProgramColumns::Communication ProgramColumns::communication_of(const ChainedActivity& activity, ProgramParts& parts) {
  Communication result;
  result.details = collectives_.find(activity.event);
  const CollectiveDetails& details = result.details;
  const auto name = [&] { return std::string(trace_.name(rank_, activity.event)); };
  if (!details.kind) {
    diagnostics_.add(kUnknownCommunication, name);
    return result;
  }
  const bool is_message = details.kind->kind != ActivityKind::collective;
  if (is_message && !details.peer) {
    diagnostics_.add(kMessageWithoutPeer, name);
    return result;
  }
  // A barrier has no size to be missed.
  if (!details.bytes && details.kind->collective != workload::Collective::barrier)
    diagnostics_.add(kCollectiveWithoutSize, name);
  match::GroupTable::Group group{0, nullptr};
  if (details.group_name != 0) group = groups_.find(details.group_name, details.group_size, diagnostics_);
  else if (!is_message) diagnostics_.add(kGroupNotRecorded, name);
  if (group.name != 0) {
    result.group = translate(group.name);
    const auto same = [&](const workload::CommGroup& other) { return other.name == result.group; };
    if (std::none_of(parts.groups.begin(), parts.groups.end(), same))
      parts.groups.push_back({result.group, *group.ranks});
  }
  result.peer = details.peer.value_or(0);
  // Peers are written by their place in the group; a program names ranks.
  if (group.ranks != nullptr && result.peer >= 0 && std::cmp_less(result.peer, group.ranks->size()))
    result.peer = (*group.ranks)[static_cast<std::size_t>(result.peer)];
  result.kind = details.kind->kind;
  return result;
}

void ProgramColumns::set_communication(std::size_t i, const ChainedActivity& activity, ProgramParts& parts) {
  workload::Program& program = parts.program;
  const Communication communication = communication_of(activity, parts);
  program.kinds[i] = communication.kind;
  if (communication.kind == ActivityKind::compute) return;
  // Sizes that are not known count as 0, and were remarked on.
  program.bytes[i] = std::max<std::int64_t>(0, communication.details.bytes.value_or(0));
  program.flags[i] |= workload::activity::kHasBytes;
  if (communication.kind == ActivityKind::collective) {
    program.collectives.set(i, communication.details.kind->collective);
    program.group_names.set(i, communication.group);
    // Only these have a root, which is written where messages have their peer.
    if (workload::is_rooted(communication.details.kind->collective)) {
      program.peers.set(i, to_int32(communication.peer, 0));
      if (communication.details.peer) program.flags[i] |= workload::activity::kHasPeer;
    }
    return;
  }
  program.peers.set(i, to_int32(communication.peer, 0));
  program.tags.set(i, communication.details.tag.value_or(0));
  program.flags[i] |= workload::activity::kHasPeer | workload::activity::kHasTag;
}

void ProgramColumns::set_memory(std::size_t i, const ChainedActivity& activity, workload::Program& program) const {
  // By the name, which CUDA and HIP write differently; everything else counts as a store.
  const bool is_load = trace_.name(rank_, activity.event).find("HtoD") != std::string_view::npos ||
                       trace_.name(rank_, activity.event).find("HostToDevice") != std::string_view::npos;
  program.kinds[i] = is_load ? ActivityKind::memory_load : ActivityKind::memory_store;
  if (const auto bytes = rank_.field(Field::bytes).find(activity.event); bytes && *bytes >= 0) {
    program.bytes[i] = *bytes;
    program.flags[i] |= workload::activity::kHasBytes;
  }
}

ProgramParts ProgramColumns::make(const ActivityChain& chain) {
  ProgramParts parts;
  workload::Program& program = parts.program;
  const auto count = static_cast<std::uint32_t>(chain.activities.size());
  communicates_ = communicating_parts(trace_, rank_, chain);
  program.ids.resize_uninitialized(count);
  program.names.resize_uninitialized(count);
  program.kinds.assign(count, ActivityKind::compute);
  program.flags.resize_uninitialized(count);
  program.bytes.assign(count, 0);
  parts.host_row.resize_uninitialized(count);
  parts.event.resize_uninitialized(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ChainedActivity& activity = chain.activities[i];
    const bool on_host = is_on_host(activity);
    program.ids[i] = std::uint64_t{i} + 1;
    program.names[i] = name_of(i, activity);
    program.flags[i] = on_host ? workload::activity::kOnHost : 0;
    program.starts_ps.set(i, activity.start);
    program.lanes.set(i, place_of(activity, on_host));
    parts.host_row[i] = row_of(i, activity, on_host);
    parts.event[i] = activity.event;
    if (activity.event != kNoEvent && communicates_[activity.event] == i) set_communication(i, activity, parts);
    else if (activity.kind == EdgeKind::memory_copy || activity.kind == EdgeKind::memory_set)
      set_memory(i, activity, program);
  }
  program.peers.complete(count);
  program.tags.complete(count);
  program.collectives.complete(count);
  program.group_names.complete(count);
  program.starts_ps.complete(count);
  program.lanes.complete(count);
  return parts;
}

}  // namespace orrery::causal
