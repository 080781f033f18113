#include "formats/mpitrace/rank_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/mpitrace/diagnostics.h"
#include "match/mpi/mpi_communicators.h"

// Call by call: the record's fields become the fields of an event, with what is only known later (source, tag and size
// of a receive that was begun before) taken from the completion of its request. Communicators are listed when they are
// first used.

namespace orrery::mpitrace {

using match::MpiRole;
using trace::Field;

namespace {

bool got_message(const Completion* completion) {
  return completion != nullptr && (completion->flags & tracer::kIsReceive) != 0;
}

}  // namespace

RankBuilder::RankBuilder(const FileHead& head, const std::string& path, const Definitions& definitions,
                         const RequestTable& requests, Interner& strings, Diagnostics& diagnostics)
    : head_(head),
      path_(path),
      definitions_(definitions),
      requests_(requests),
      strings_(strings),
      diagnostics_(diagnostics) {
  rank_.rank = head.rank;
  rank_.epoch_unix_ns = head.unix_offset_ns + static_cast<std::int64_t>(head.start_ns);
  rank_.categories.push_back({strings.intern("mpi"), trace::Activity::mpi_call});
  lane_of(0);
  groups_.resize(definitions.communicators().size());
}

std::string RankBuilder::example(const CallRecord& call) const {
  return fmt::format("{}: {} at {} ns", path_, definitions_.text(call.function), call.enter_ns);
}

trace::LaneIndex RankBuilder::lane_of(std::uint64_t thread) {
  const auto [at, is_new] = lanes_.try_emplace(thread, static_cast<trace::LaneIndex>(rank_.lanes.size()));
  if (is_new) {
    const std::string name = thread == 0 ? "main thread" : fmt::format("thread {}", thread);
    rank_.lanes.push_back(
        {{head_.rank}, {static_cast<std::int64_t>(thread)}, strings_.intern("MPI rank"), strings_.intern(name)});
  }
  return at->second;
}

void RankBuilder::add(const CallRecord& call, trace::SourcePosition position) {
  const Int128 start = (Int128{call.enter_ns} - Int128{head_.start_ns}) * 1000,
               end = (Int128{call.exit_ns} - Int128{head_.start_ns}) * 1000;
  if (!trace::is_moment(start) || !trace::is_moment(end)) {
    diagnostics_.add(kUnusableTime, [&] { return example(call); });
    return;
  }
  const Times times{static_cast<TimePs>(start), static_cast<TimePs>(end)};
  if (!call.started.empty()) return add_started(call, times, position);
  begin_event(call, times, position);
  set_call(call, call.has(tracer::kRequest) ? requests_.completion(call.request, 0) : nullptr);
}

/// A call may start several persistent requests, which are as many messages: each is an event, in equal parts of the
/// time.
void RankBuilder::add_started(const CallRecord& call, Times times, trace::SourcePosition position) {
  const auto parts = static_cast<std::int64_t>(call.started.size());
  const TimePs part = (times.end - times.start) / parts;
  for (std::int64_t i = 0; i < parts; ++i) {
    const TimePs begin = times.start + i * part;
    begin_event(call, {begin, i + 1 == parts ? times.end : begin + part}, position);
    const std::uint64_t request = call.started[static_cast<std::size_t>(i)];
    const CallRecord* prepared = requests_.prepared(request);
    CallRecord started = prepared != nullptr ? *prepared : CallRecord{};
    started.function = call.function;
    started.site = call.site;
    started.request = request;
    started.fields |= tracer::kRequest;
    set_call(started, requests_.completion(request, starts_[request]++));
  }
}

void RankBuilder::begin_event(const CallRecord& call, Times times, trace::SourcePosition position) {
  const std::string_view name = definitions_.text(call.function);
  function_ = match::find_mpi_function(name);
  event_ = rank_.append_event({.start = times.start,
                               .duration = times.end - times.start,
                               .name = strings_.intern(name),
                               .lane = lane_of(call.thread)},
                              position);
}

void RankBuilder::set_call(const CallRecord& call, const Completion* completion) {
  if (function_ != nullptr && function_->role == MpiRole::collective) set_text(Field::collective_text, function_->kind);
  set_sizes(call, completion);
  set_message(call, completion);
  set_communicator(call);
  set_counts(call);
  set_site(call);
  set_requests(call);
  set_extras(call);
}

void RankBuilder::set_sizes(const CallRecord& call, const Completion* completion) {
  const bool sends = call.has(tracer::kSendBytes), receives = call.has(tracer::kReceiveBytes);
  // What came, where that is known; else the room for it.
  std::int64_t received = call.receive_bytes;
  if (call.has(tracer::kActual)) received = call.actual_bytes;
  if (got_message(completion)) received = completion->bytes;
  // One size is what counts for matching: what was sent, or else what came.
  if (sends || receives || call.has(tracer::kActual)) set(Field::bytes, sends ? call.send_bytes : received);
  const bool is_exchange = call.has(tracer::kDestination) && call.has(tracer::kSource);
  if (sends && receives && (is_exchange || call.receive_bytes != call.send_bytes)) set(Field::receive_bytes, received);
}

void RankBuilder::set_message(const CallRecord& call, const Completion* completion) {
  const bool sends = call.has(tracer::kDestination), receives = call.has(tracer::kSource);
  // What was cancelled never was a message.
  if (completion != nullptr && (completion->flags & tracer::kIsCancelled) != 0) {
    set_named("cancelled", 1);
    return set(sends ? Field::destination_rank : Field::source_rank, match::kNobody);
  }
  if (sends) set(Field::destination_rank, call.destination);
  if (sends && call.has(tracer::kSendTag)) set(Field::tag, call.send_tag);
  if (receives) {
    std::int64_t source = call.source, tag = call.receive_tag;
    if (call.has(tracer::kActual)) source = call.actual_source, tag = call.actual_tag;
    if (got_message(completion)) source = completion->source, tag = completion->tag;
    // A receive from nobody gets MPI_ANY_TAG as its tag, which is no wildcard.
    if (call.source == tracer::kNoRank) tag = call.receive_tag;
    set(Field::source_rank, source);
    set(sends ? Field::receive_tag : Field::tag, tag);
    if (call.source == tracer::kAnyRank && source != call.source) set_named("asked_source", call.source);
    if (call.receive_tag == tracer::kAnyTag && tag != call.receive_tag) set_named("asked_tag", call.receive_tag);
  }
  const bool is_foreign =
      (sends && call.destination == tracer::kForeignRank) || (receives && call.source == tracer::kForeignRank);
  if (is_foreign) diagnostics_.add(kForeignPeer, [&] { return example(call); });
}

RankBuilder::Group* RankBuilder::use(std::uint64_t number, const CallRecord& call) {
  const CommunicatorRecord* communicator = definitions_.communicator(number);
  if (communicator == nullptr) return nullptr;
  Group& group = groups_[number - 1];
  if (group.place >= 0) return &group;
  std::vector<std::int64_t> members = communicator->members;
  // Between two groups everybody of both takes part; the one with the lowest first member comes first, so that both
  // sides say the same.
  if (!communicator->remote.empty()) {
    const bool is_first = members.front() < communicator->remote.front();
    members.insert(is_first ? members.end() : members.begin(), communicator->remote.begin(),
                   communicator->remote.end());
  }
  group.name = strings_.intern(communicator->name);
  group.ranks = strings_.intern(match::list_text(members));
  group.place = static_cast<std::ptrdiff_t>(rank_.source.groups.size());
  rank_.source.groups.push_back({std::string(communicator->name), std::move(members)});
  if ((communicator->flags & tracer::kIsFound) != 0)
    diagnostics_.add(kFoundCommunicator, [&] { return example(call); });
  return &group;
}

void RankBuilder::set_communicator(const CallRecord& call) {
  Group* group = call.has(tracer::kComm) ? use(call.comm, call) : nullptr;
  if (group == nullptr) return;
  const std::vector<std::int64_t>& members = rank_.source.groups[static_cast<std::size_t>(group->place)].ranks;
  set(Field::group_name_text, group->name);
  set(Field::group_ranks_text, group->ranks);
  set(Field::group_size, static_cast<std::int64_t>(members.size()));
  if (function_ != nullptr && function_->role == MpiRole::collective)
    // The n-th collective of a communicator is the same on all members, as MPI demands.
    set(Field::collective_sequence, group->collectives++);
  if (!call.has(tracer::kRoot)) return;
  // Of an intercommunicator only the root itself says so.
  const std::int64_t root = call.root == tracer::kIsRoot ? head_.rank : call.root;
  const auto place = std::find(members.begin(), members.end(), root);
  if (place != members.end()) set(Field::group_rank, place - members.begin());
}

void RankBuilder::set_counts(const CallRecord& call) {
  const bool sends = call.has(tracer::kSendCounts), receives = call.has(tracer::kReceiveCounts);
  if (!sends && !receives) return;
  const auto are_multiples = [&](const std::vector<std::int64_t>& counts) {
    return std::all_of(counts.begin(), counts.end(),
                       [&](std::int64_t bytes) { return bytes % call.element_bytes == 0; });
  };
  // The two sides may have different types, and MPI_Alltoallw one per member: then elements are bytes.
  const bool has_elements = call.has(tracer::kElementBytes) && call.element_bytes > 0 &&
                            (!sends || are_multiples(call.send_counts)) &&
                            (!receives || are_multiples(call.receive_counts));
  const std::int64_t element_bytes = has_elements ? call.element_bytes : 1;
  const auto text_of = [&](std::vector<std::int64_t> counts) {
    for (std::int64_t& count : counts) count /= element_bytes;
    return match::list_text(counts);
  };
  set(Field::element_bytes, element_bytes);
  if (sends) set_text(Field::send_counts_text, text_of(call.send_counts));
  if (receives) set_text(Field::receive_counts_text, text_of(call.receive_counts));
}

void RankBuilder::set_site(const CallRecord& call) {
  set(Field::callsite, static_cast<std::int64_t>(call.site));
  const auto [at, is_new] = site_texts_.try_emplace({call.function, call.site}, 0);
  if (is_new)
    at->second =
        strings_.intern(fmt::format("{} {}", definitions_.text(call.function), definitions_.site_text(call.site)));
  set(Field::callsite_text, at->second);
}

void RankBuilder::set_requests(const CallRecord& call) {
  const bool begins = call.has(tracer::kRequest) && function_ != nullptr && function_->role != MpiRole::local;
  if (begins) set(Field::request, static_cast<std::int64_t>(call.request));
  // Also one that completed nothing says so: readers of other formats do not know, and must assume.
  const bool may_complete =
      function_ != nullptr && function_->role >= MpiRole::wait_one && function_->role <= MpiRole::test;
  if (!call.has(tracer::kCompleted) && !may_complete) return;
  std::vector<std::int64_t> numbers;
  for (const Completion& done : call.completed) {
    if (requests_.is_known(done.request)) numbers.push_back(static_cast<std::int64_t>(done.request));
    else diagnostics_.add(kUnseenRequest, [&] { return example(call); });
  }
  set_text(Field::requests_text, match::list_text(numbers));
}

void RankBuilder::set_extras(const CallRecord& call) {
  const WindowRecord* window = call.has(tracer::kWindow) ? definitions_.window(call.window) : nullptr;
  if (window != nullptr) set_named("window", static_cast<std::int64_t>(window->ordinal));
  const Group* created = call.has(tracer::kCreated) ? use(call.created, call) : nullptr;
  if (created != nullptr) rank_.arguments.named(kCreatedArgument, trace::ValueType::text).push(event_, created->name);
  if (call.has(tracer::kPolls)) {
    set_named("polls", static_cast<std::int64_t>(std::min<std::uint64_t>(call.polls, std::uint64_t{1} << 62)));
    set_named("polls_inside_ns", call.polls_inside_ns);
  }
  if (call.has(tracer::kValues) && !call.values.empty()) set_named("value", call.values.front());
  if (!call.has(tracer::kError)) return;
  set_named("error", call.error);
  diagnostics_.add(kFailedCall, [&] { return example(call); });
}

}  // namespace orrery::mpitrace
