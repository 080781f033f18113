#include "causal/program/mpi_program.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "causal/diagnostics.h"
#include "causal/program/activity_chain.h"
#include "graph/longest_path.h"
#include "match/mpi/mpi_communicators.h"
#include "workload/program_builder.h"
#include "workload/workload.h"

// Calls are taken one by one in the order of the trace. `now_` is how far the rank's time is accounted for: a gap
// before a call is computing. `frontier_` has the activities that the next one waits for: the last one, or all that a
// blocking call or a completed request stands for. Beside it stand two tables over all ranks: tags that are unique over
// communicators, and the sizes of scatters, which only their roots know.

namespace orrery::causal {

using match::MpiFunction;
using match::MpiRole;
using trace::EventIndex;
using trace::Field;

MessageTags::MessageTags(const trace::Trace& trace, const std::vector<match::MpiCalls>& calls) {
  if (calls.empty()) return;
  if (const StringId world = trace.strings.find("world"); world != Interner::kMissing) world_ = world;
  std::int64_t highest = 0;
  // By name, since the numbers of texts depend on the order of files.
  std::map<std::pair<std::string_view, std::int64_t>, StringId> others;
  const auto take = [&](StringId group, std::int64_t tag) {
    highest = std::max(highest, tag);
    if (counted(group) != 0 && tag >= 0) others.emplace(std::pair(trace.strings.text(group), tag), group);
  };
  for (std::size_t node = 0; node < trace.ranks.size(); ++node) {
    const trace::RankTrace& rank = trace.ranks[node];
    if (calls[node].functions.empty()) continue;
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const MpiFunction* const function = calls[node].functions[e];
      if (function == nullptr) continue;
      const bool sends = function->role == MpiRole::send || function->role == MpiRole::send_receive;
      if (!sends && function->role != MpiRole::receive) continue;
      const auto group = static_cast<StringId>(rank.field(Field::group_name_text).find(e).value_or(0));
      const std::int64_t tag = rank.field(Field::tag).find(e).value_or(0);
      take(group, tag);
      if (function->role == MpiRole::send_receive) take(group, rank.field(Field::receive_tag).find(e).value_or(0));
      if (!sends) continue;
      const std::int64_t destination = rank.field(Field::destination_rank).find(e).value_or(-1);
      if (destination >= 0) sent_to_[destination][counted(group)].insert(std::max<std::int64_t>(0, tag));
    }
  }
  for (const auto& [named, group] : others) numbers_.emplace(std::pair(group, named.second), ++highest);
}

std::int64_t MessageTags::of(StringId group, std::int64_t tag) const {
  const auto at = numbers_.find({counted(group), tag});
  return at == numbers_.end() ? tag : at->second;
}

std::int64_t MessageTags::of_any(StringId group, std::int64_t rank, bool& is_exact) const {
  is_exact = true;
  const auto to_rank = sent_to_.find(rank);
  if (to_rank == sent_to_.end()) return workload::kAnyTag;
  // In a program tags alone tell communicators apart. A receive of any tag is exact if only one communicator sends
  // here, or if what is sent in it has one tag; otherwise it may take another communicator's message, and the caller
  // says so.
  const auto here = to_rank->second.find(counted(group));
  const bool is_only_one = here != to_rank->second.end() && to_rank->second.size() == 1;
  if (is_only_one) return workload::kAnyTag;
  if (here != to_rank->second.end() && here->second.size() == 1) return of(group, *here->second.begin());
  is_exact = false;
  return workload::kAnyTag;
}

namespace {

using match::MpiFunction;
using match::MpiRole;
using trace::EventIndex;
using trace::Field;
using workload::ActivityKind;
using workload::Collective;
using workload::Dependency;

constexpr std::int64_t kAssumedElementBytes = 8;  // a double, or an index of 64 bits
constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMostBytes : product;
}

std::int64_t sum(const std::vector<std::int64_t>& numbers) {
  std::int64_t total = 0;
  for (const std::int64_t number : numbers) {
    if (__builtin_add_overflow(total, number, &total)) return kMostBytes;
  }
  return total;
}

class MpiProgram {
 public:
  MpiProgram(const trace::Trace& trace, const trace::RankTrace& rank, const match::MpiCalls& calls,
             const MpiJobFacts& facts, Interner& strings, const LinkOptions& options, Diagnostics& diagnostics)
      : trace_(trace),
        rank_(rank),
        calls_(calls),
        facts_(facts),
        strings_(strings),
        options_(options),
        diagnostics_(diagnostics),
        compute_(strings.intern("compute")),
        begun_(rank.event_count()) {}

  Result<LinkedRank> make() {
    linked_.rank = rank_.rank;
    linked_.epoch_us = rank_.epoch_unix_ns / 1000;
    if (rank_.event_count() == 0) return Error{"there is no call in this trace", rank_.source.path};
    linked_.begin_ps = start(0);
    now_ = linked_.begin_ps;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) take(e);
    linked_.measured_ps = now_ - linked_.begin_ps;
    remark();
    Result<workload::Program> program = std::move(builder_).build();
    if (!program) return program.error();
    linked_.program = std::move(*program);
    linked_.host_row = Column<std::uint32_t>(linked_.program.size());
    std::fill(linked_.host_row.begin(), linked_.host_row.end(), kNoRow);
    linked_.replayed_ps = graph::solve(linked_.program.dependencies).length();
    return std::move(linked_);
  }

 private:
  // Moments are rounded, not durations: then sums along the program stay right.
  [[nodiscard]] TimePs rounded(TimePs time) const {
    return options_.whole_microseconds ? to_whole_microsecond(time) : time;
  }
  [[nodiscard]] TimePs start(EventIndex e) const { return rounded(rank_.start[e]); }
  [[nodiscard]] TimePs end(EventIndex e) const { return rounded(rank_.end(e)); }
  [[nodiscard]] std::string describe(EventIndex e) const {
    std::string text = rank_.source.path;
    if (!rank_.source_offset.empty()) text += ": byte " + std::to_string(rank_.source_offset[e]);
    return text + ": " + std::string(trace_.name(rank_, e));
  }

  void take(EventIndex e) {
    // Calls of a recorder that rounds may overlap by less than its unit: time does not go back.
    if (start(e) > now_) add_compute(compute_, now_, start(e), kNoEvent);
    const MpiFunction* const function = calls_.functions[e];
    const MpiRole role = function == nullptr ? MpiRole::local : function->role;
    switch (role) {
      case MpiRole::send:
      case MpiRole::receive:
      case MpiRole::send_receive: take_message(e, *function); break;
      case MpiRole::collective: take_collective(e, *function); break;
      case MpiRole::wait_one:
      case MpiRole::wait_any:
      case MpiRole::wait_some:
      case MpiRole::wait_all:
      case MpiRole::test: take_completion(e); break;
      // They wait for others whom the trace does not name: their time stays the rank's own.
      case MpiRole::agreement:
      case MpiRole::probe:
      case MpiRole::other:
        diagnostics_.add(kMpiUnknownPartners, [&] { return describe(e); });
        add_own_time(e);
        break;
      case MpiRole::local: add_own_time(e); break;
    }
    now_ = std::max(now_, end(e));
  }

  // --- activities ---

  std::uint64_t add(workload::Activity activity, EventIndex e) {
    activity.id = ++last_id_;
    builder_.add(activity);
    for (const Need& need : frontier_) {
      builder_.depend(need.id, need.type);
      ++linked_.dependencies[static_cast<std::size_t>(need.cause)];
    }
    linked_.event.push_back(e);
    return activity.id;
  }

  void go_on_after(std::uint64_t id) { frontier_ = {{id, Dependency::data, DependencyCause::call_order}}; }

  void add_compute(StringId name, TimePs from, TimePs to, EventIndex e) {
    workload::Activity activity;
    activity.name = name;
    activity.kind = ActivityKind::compute;
    // The program's own work is what the rank's processor is for; time inside MPI is not.
    activity.flags = e == kNoEvent ? 0 : workload::activity::kOnHost;
    activity.duration_ps = to - from;
    activity.start_ps = from;
    go_on_after(add(activity, e));
  }

  /// What the rank spends inside a call that leaves no other trace in the program.
  void add_own_time(EventIndex e) {
    const TimePs from = std::max(now_, start(e));
    if (end(e) > from) add_compute(name_of(e), from, end(e), e);
  }

  StringId name_of(EventIndex e) { return strings_.intern(trace_.name(rank_, e)); }

  /// A call that communicates: it lasts until it returns, or until another call completes it.
  [[nodiscard]] workload::Activity communication(EventIndex e, const MpiFunction& function) {
    const EventIndex completed = function.is_blocking ? e : calls_.requests.completed_by[e];
    workload::Activity activity;
    activity.name = name_of(e);
    activity.flags = workload::activity::kOnHost;
    activity.start_ps = std::max(now_, start(e));
    const TimePs until = completed == match::kNotCompleted ? end(e) : end(completed);
    activity.duration_ps = std::max<TimePs>(0, until - activity.start_ps);
    return activity;
  }

  /// Blocking: the program waits for what was added. Else it goes on, after the time that the call itself took.
  void follow(EventIndex e, const MpiFunction& function, std::vector<std::uint64_t> ids) {
    if (!function.is_blocking) {
      begun_[e] = std::move(ids);
      add_own_time(e);
      return;
    }
    frontier_.clear();
    for (const std::uint64_t id : ids) frontier_.push_back({id, Dependency::data, DependencyCause::call_order});
  }

  // --- calls ---

  void take_message(EventIndex e, const MpiFunction& function) {
    const workload::Activity base = communication(e, function);
    std::vector<std::uint64_t> ids;
    const std::int64_t world = rank_.source.world_size.value_or(0);
    const std::int64_t destination = value(e, Field::destination_rank, -1), source = calls_.sources[e];
    const auto group = static_cast<StringId>(value(e, Field::group_name_text, 0));
    if (function.role != MpiRole::receive && destination >= 0 && destination < world) {
      workload::Activity send = base;
      send.kind = ActivityKind::send;
      send.flags |= workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag;
      send.bytes = std::max<std::int64_t>(0, value(e, Field::bytes, 0));
      send.peer = static_cast<std::int32_t>(destination);
      send.tag = facts_.tags.of(group, std::max<std::int64_t>(0, value(e, Field::tag, 0)));
      ids.push_back(add(send, e));
    }
    // MPI_PROC_NULL: sent to nobody, or got from nobody. Which is recorded as a rank below 0, or not at all.
    const bool receives = function.role != MpiRole::send && source < world && source >= workload::kAnyPeer;
    if (receives) {
      workload::Activity receive = base;
      receive.kind = ActivityKind::recv;
      receive.flags |= workload::activity::kHasPeer | workload::activity::kHasTag;
      receive.peer = static_cast<std::int32_t>(source);
      const Field tag = function.role == MpiRole::receive ? Field::tag : Field::receive_tag;
      // Where tags are not recorded all sends have 0, and so have receives whose source is known.
      receive.tag = receive_tag(e, group, value(e, tag, source == workload::kAnyPeer ? workload::kAnyTag : 0));
      ids.push_back(add(receive, e));
    }
    if (ids.empty()) return add_own_time(e);
    follow(e, function, std::move(ids));
  }

  std::int64_t receive_tag(EventIndex e, StringId group, std::int64_t tag) {
    if (tag != workload::kAnyTag) return facts_.tags.of(group, tag);
    bool is_exact = true;
    const std::int64_t any = facts_.tags.of_any(group, rank_.rank, is_exact);
    if (!is_exact) diagnostics_.add(kMpiAnyTag, [&] { return describe(e); });
    return any;
  }

  void take_completion(EventIndex e) {
    std::vector<Need> completed;
    for (const EventIndex begun : completed_by(e)) {
      for (const std::uint64_t id : begun_[begun])
        completed.push_back({id, Dependency::data, DependencyCause::synchronization});
    }
    // A call that completed nothing took its time all the same.
    if (completed.empty()) return add_own_time(e);
    frontier_.insert(frontier_.end(), completed.begin(), completed.end());
  }

  [[nodiscard]] const std::vector<EventIndex>& completed_by(EventIndex e) {
    if (completions_.empty()) {
      for (EventIndex begun = 0; begun < rank_.event_count(); ++begun) {
        const EventIndex by = calls_.requests.completed_by[begun];
        if (by != match::kNotCompleted) completions_[by].push_back(begun);
      }
    }
    return completions_[e];
  }

  void take_collective(EventIndex e, const MpiFunction& function) {
    const auto group = static_cast<StringId>(value(e, Field::group_name_text, 0));
    if (group == 0 || !function.collective) {
      diagnostics_.add(kMpiUnknownPartners, [&] { return describe(e); });
      return add_own_time(e);
    }
    workload::Activity activity = communication(e, function);
    activity.kind = ActivityKind::collective;
    activity.collective = *function.collective;
    activity.group_name = group_name(e, group);
    std::vector<std::int64_t> parts = set_size(e, function, activity);
    if (workload::is_rooted(activity.collective)) set_root(e, activity);
    const std::uint64_t id = add(activity, e);
    // Equal parts need no list: the size in all says it.
    const bool equal = std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) == parts.end();
    if (!equal) builder_.set_parts(std::move(parts));
    follow(e, function, {id});
  }

  void set_root(EventIndex e, workload::Activity& activity) {
    const auto place = rank_.field(Field::group_rank).find(e);
    if (!place) {
      diagnostics_.add(kMpiRootUnknown, [&] { return describe(e); });
      return;
    }
    const std::vector<std::int64_t>& members = members_of(e);
    if (*place < 0 || static_cast<std::size_t>(*place) >= members.size()) return;
    activity.peer = static_cast<std::int32_t>(members[static_cast<std::size_t>(*place)]);
    activity.flags |= workload::activity::kHasPeer;
  }

  /// Sets the size; returns the parts of a collective that has a list of them.
  std::vector<std::int64_t> set_size(EventIndex e, const MpiFunction& function, workload::Activity& activity) {
    const auto size = static_cast<std::int64_t>(members_of(e).size());
    const std::int64_t bytes = std::max<std::int64_t>(0, value(e, Field::bytes, 0));
    activity.flags |= workload::activity::kHasBytes;
    activity.bytes = bytes;
    switch (activity.collective) {
      case Collective::all_to_all: {
        std::vector<std::int64_t> parts = parts_of(e, Field::send_counts_text);
        // MPI gives the size for one member; a program has what a member sends in all.
        activity.bytes = parts.empty() ? times(bytes, size) : sum(parts);
        return parts;
      }
      case Collective::reduce_scatter: {
        std::vector<std::int64_t> parts = parts_of(e, Field::receive_counts_text);
        // MPI_Reduce_scatter_block is given the size of one part.
        if (!parts.empty()) activity.bytes = sum(parts);
        else if (function.name.ends_with("_block")) activity.bytes = times(bytes, size);
        return parts;
      }
      case Collective::scatter: return set_scatter_size(e, size, activity);
      case Collective::barrier: activity.bytes = 0; return {};
      default: return {};
    }
  }

  std::vector<std::int64_t> set_scatter_size(EventIndex e, std::int64_t size, workload::Activity& activity) {
    // Only the root knows what is scattered, and it gives the size for one member.
    const RootSizes::Sizes* const sizes = facts_.root_sizes.find(
        static_cast<StringId>(value(e, Field::group_name_text, 0)), value(e, Field::collective_sequence, 0));
    if (sizes == nullptr) return {};
    activity.bytes = times(sizes->bytes, size);
    std::vector<std::int64_t> parts =
        sizes->counts == 0 ? std::vector<std::int64_t>() : match::parse_list(trace_.strings.text(sizes->counts));
    if (static_cast<std::int64_t>(parts.size()) != size) return {};
    for (std::int64_t& part : parts)
      part = times(part, sizes->element_bytes > 0 ? sizes->element_bytes : kAssumedElementBytes);
    activity.bytes = sum(parts);
    return parts;
  }

  /// Bytes per member; empty if they are not recorded.
  std::vector<std::int64_t> parts_of(EventIndex e, Field field) {
    const auto text = rank_.field(field).find(e);
    if (!text) return {};
    std::vector<std::int64_t> parts = match::parse_list(trace_.strings.text(static_cast<StringId>(*text)));
    if (parts.size() != members_of(e).size()) return {};
    const auto element_bytes = rank_.field(Field::element_bytes).find(e);
    if (!element_bytes && sum(parts) > 0) diagnostics_.add(kMpiElementAssumed, [&] { return describe(e); });
    for (std::int64_t& part : parts) part = times(part, element_bytes.value_or(kAssumedElementBytes));
    return parts;
  }

  // --- what the trace says of a call ---

  [[nodiscard]] std::int64_t value(EventIndex e, Field field, std::int64_t missing) const {
    return rank_.field(field).find(e).value_or(missing);
  }

  struct Group {
    std::vector<std::int64_t> members;
    StringId name = 0;  // in strings_; 0: the world
  };

  const Group& group_of(EventIndex e, StringId name) {
    const auto [at, is_new] = groups_.try_emplace(name);
    if (!is_new) return at->second;
    at->second.members =
        match::parse_list(trace_.strings.text(static_cast<StringId>(value(e, Field::group_ranks_text, 0))));
    if (trace_.strings.text(name) == "world") return at->second;
    at->second.name = strings_.intern(trace_.strings.text(name));
    workload::CommGroup group{at->second.name, {}};
    for (const std::int64_t member : at->second.members) group.ranks.push_back(static_cast<std::uint32_t>(member));
    linked_.groups.push_back(std::move(group));
    return at->second;
  }
  StringId group_name(EventIndex e, StringId name) { return group_of(e, name).name; }
  const std::vector<std::int64_t>& members_of(EventIndex e) {
    return group_of(e, static_cast<StringId>(value(e, Field::group_name_text, 0))).members;
  }

  void remark() {
    const std::string& path = rank_.source.path;
    if (calls_.requests.assumed > 0) diagnostics_.add_many(kMpiCompletionAssumed, calls_.requests.assumed, path);
    if (calls_.requests.open > 0) diagnostics_.add_many(kMpiNeverCompleted, calls_.requests.open, path);
    if (calls_.receives_inferred > 0) diagnostics_.add_many(kMpiSourceInferred, calls_.receives_inferred, path);
    if (calls_.receives_open > 0) diagnostics_.add_many(kMpiSourceUnknown, calls_.receives_open, path);
  }

  struct Need {
    std::uint64_t id;
    Dependency type;
    DependencyCause cause;
  };

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const match::MpiCalls& calls_;
  const MpiJobFacts& facts_;
  Interner& strings_;
  const LinkOptions& options_;
  Diagnostics& diagnostics_;
  StringId compute_;
  workload::ProgramBuilder builder_;
  std::uint64_t last_id_ = 0;
  TimePs now_ = 0;
  std::vector<Need> frontier_;                     // what the next activity waits for
  std::vector<std::vector<std::uint64_t>> begun_;  // per event: activities of a call that another completes
  std::map<EventIndex, std::vector<EventIndex>> completions_;
  std::map<StringId, Group> groups_;  // by name in the trace
  LinkedRank linked_;
};

}  // namespace

RootSizes::RootSizes(const trace::Trace& trace, const std::vector<match::MpiCalls>& calls) {
  if (calls.empty()) return;
  for (std::size_t node = 0; node < trace.ranks.size(); ++node) {
    const trace::RankTrace& rank = trace.ranks[node];
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const MpiFunction* const function = calls[node].functions.empty() ? nullptr : calls[node].functions[e];
      if (function == nullptr || function->collective != Collective::scatter) continue;
      const auto group = rank.field(Field::group_name_text).find(e),
                 sequence = rank.field(Field::collective_sequence).find(e);
      if (!group || !sequence) continue;
      const std::vector<std::int64_t> members = match::parse_list(
          trace.strings.text(static_cast<StringId>(rank.field(Field::group_ranks_text).find(e).value_or(0))));
      const auto place = rank.field(Field::group_rank).find(e);
      const bool is_root = place && *place >= 0 && static_cast<std::size_t>(*place) < members.size() &&
                           members[static_cast<std::size_t>(*place)] == rank.rank;
      Sizes here{std::max<std::int64_t>(0, rank.field(Field::bytes).find(e).value_or(0)),
                 static_cast<StringId>(rank.field(Field::send_counts_text).find(e).value_or(0)),
                 rank.field(Field::element_bytes).find(e).value_or(0), is_root};
      const auto [at, is_new] = sizes_.try_emplace({static_cast<StringId>(*group), *sequence}, here);
      // Who is the root may not be recorded; others give sizes that mean nothing, mostly none.
      if (!is_new && !at->second.is_of_root && (is_root || here.bytes > at->second.bytes)) at->second = here;
    }
  }
}

const RootSizes::Sizes* RootSizes::find(StringId group, std::int64_t sequence) const {
  const auto at = sizes_.find({group, sequence});
  return at == sizes_.end() ? nullptr : &at->second;
}

Result<LinkedRank> link_mpi_rank(const trace::Trace& trace, const trace::RankTrace& rank, const match::MpiCalls& calls,
                                 const MpiJobFacts& facts, Interner& strings, const LinkOptions& options,
                                 Diagnostics& diagnostics) {
  return MpiProgram(trace, rank, calls, facts, strings, options, diagnostics).make();
}

}  // namespace orrery::causal
