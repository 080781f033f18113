#include "match/recorded_communication.h"

#include <algorithm>

#include "base/numbers.h"
#include "match/host_work_finder.h"
#include "match/ruled_works.h"

// Each rank is scanned once: what a device did by its arguments or those of its launch, what a host did by the works
// that were found for it, and MPI by its functions. Lists of ranks come as "[0, 1]" from PyTorch and as "{{0,1},{2,3}}"
// from XLA; equal operations get one number over all ranks, by which they are matched later.

namespace orrery::match {
namespace {

/// The rank at the front of `text`, which is removed.
std::optional<std::int64_t> take_rank(std::string_view& text) {
  std::int64_t rank = -1;
  return take_number(text, rank) && rank >= 0 ? std::optional(rank) : std::nullopt;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

/// "{0,1}" at the front of `text`, which is removed.
std::optional<std::vector<std::int64_t>> take_list(std::string_view& text) {
  std::vector<std::int64_t> list;
  if (!take(text, '{')) return std::nullopt;
  do {
    const auto number = take_rank(text);
    if (!number) return std::nullopt;
    list.push_back(*number);
  } while (take(text, ','));
  if (!take(text, '}')) return std::nullopt;
  return list;
}

}  // namespace

std::optional<std::int64_t> member_of_group(std::string_view list, std::int64_t place) {
  if (place < 0 || !take(list, '[')) return std::nullopt;
  for (std::int64_t i = 0;; ++i) {
    skip_spaces(list);
    const auto number = take_rank(list);
    if (!number) return std::nullopt;
    if (i == place) return number;
    skip_spaces(list);
    if (!take(list, ',')) return std::nullopt;
  }
}

std::optional<std::vector<std::vector<std::int64_t>>> parse_groups(std::string_view text) {
  std::vector<std::vector<std::int64_t>> groups;
  // "[1,8]<=[8]" is XLA's short form of one group of all: as good as none listed.
  if (text.empty() || text == "{}" || text.starts_with("[1,")) return groups;
  if (!take(text, '{')) return std::nullopt;
  do {
    auto list = take_list(text);
    if (!list) return std::nullopt;
    groups.push_back(std::move(*list));
  } while (take(text, ','));
  if (text != "}") return std::nullopt;
  return groups;
}

std::optional<std::int64_t> peer_in_pairs(std::string_view pairs, std::int64_t rank, bool is_send) {
  const auto lists = parse_groups(pairs);
  if (!lists) return std::nullopt;
  std::optional<std::int64_t> peer;
  for (const std::vector<std::int64_t>& pair : *lists) {
    if (pair.size() != 2 || pair[is_send ? 0 : 1] != rank) continue;
    // Two pairs with this rank on this side: which of them is meant is not written.
    if (peer) return std::nullopt;
    peer = pair[is_send ? 1 : 0];
  }
  return peer;
}

namespace {

using trace::EventIndex;
using trace::Field;

/// The other side of a message: as recorded, or by its place in the group, or by the pairs of the instruction.
class Peers {
 public:
  Peers(const trace::Trace& trace, const trace::RankTrace& rank, const Launches& launches)
      : strings_(trace.strings), rank_(rank), launches_(launches) {}

  [[nodiscard]] std::int64_t of(EventIndex event, bool is_send, StringId ranks, StringId pairs) const {
    const std::int64_t recorded = launches_.value(event, is_send ? Field::destination_rank : Field::source_rank);
    if (recorded != kNoNumber) return recorded;
    if (pairs != 0) return peer_in_pairs(strings_.text(pairs), rank_.rank, is_send).value_or(kNoNumber);
    const std::int64_t place = launches_.value(event, Field::group_rank);
    return place == kNoNumber ? kNoNumber : member_of_group(strings_.text(ranks), place).value_or(kNoNumber);
  }

 private:
  const Interner& strings_;
  const trace::RankTrace& rank_;
  const Launches& launches_;
};

class Finder {
 public:
  explicit Finder(const trace::Trace& trace)
      : trace_(trace),
        launch_(launch_name(trace)),
        send_(trace.strings.find("send")),
        recv_(trace.strings.find("recv")),
        out_{.groups = ProcessGroups(trace)} {
    out_.host = find_host_works(trace, out_.groups);
    if (std::any_of(trace.ranks.begin(), trace.ranks.end(), is_mpi_rank)) out_.mpi = find_mpi_calls(trace);
  }

  RecordedCommunication find() {
    for (std::uint32_t node = 0; node < trace_.ranks.size(); ++node) {
      out_.first_of_node.push_back(out_.all.size());
      scan(node);
    }
    out_.first_of_node.push_back(out_.all.size());
    if (moved_) renumber_operations();
    out_.operations = operations_.keys();
    return std::move(out_);
  }

 private:
  void scan(std::uint32_t node) {
    const trace::RankTrace& rank = trace_.ranks[node];
    if (is_mpi_rank(rank)) return scan_mpi(node);
    const trace::SparseColumn& kinds = rank.field(Field::collective_text);
    const trace::ContentOrder content(trace_, rank);
    const Launches launches(rank, content, launch_);
    const Peers peers(trace_, rank, launches);
    trace::InOrder sequences(rank.field(Field::collective_sequence)), groups(rank.field(Field::group_name_text)),
        ranks(rank.field(Field::group_ranks_text));
    trace::InOrder names(rank.field(Field::operation_text)), modules(rank.field(Field::module_text)),
        pairs(rank.field(Field::pairs_text));
    const std::size_t first_message = out_.messages.size();
    for (std::size_t i = 0; i < kinds.event.size(); ++i) {
      const EventIndex event = kinds.event[i];
      if (!rank.has_duration(event) || (launch_ != 0 && rank.name[event] == launch_)) continue;
      if (rank.duration[event] <= 0) {
        ++out_.without_extent;
        continue;
      }
      const auto kind = static_cast<StringId>(kinds.value[i]);
      if (const HostWork* const work = out_.host.find(node, event); work != nullptr) {
        add_host_work(node, kind, *work);
        continue;
      }
      std::int64_t sequence = sequences.find(event, kNoNumber);
      if (sequence == kNoNumber) sequence = launches.value(event, Field::collective_sequence);
      const Operation operation{
          kind, names.text(event), modules.text(event), groups.text(event), ranks.text(event), pairs.text(event)};
      if (kind == send_ || kind == recv_) {
        const std::int64_t peer = peers.of(event, kind == send_, operation.ranks, operation.pairs);
        out_.messages.push_back({node, event, operation.group, kind == send_, peer, sequence});
        continue;
      }
      out_.all.push_back({sequence, event, operations_.number_of(operation)});
    }
    for (const RuledWork& work : find_ruled_works(trace_, rank))
      out_.all.push_back({kNoNumber, work.event,
                          operations_.number_of({.rule = work.rule,
                                                 .group_size = work.group_size,
                                                 .block = work.group_size == 0 ? 0 : block_of(rank, work)})});
    put_in_order(content, out_.all, out_.first_of_node[node]);
    put_in_order(content, out_.messages, first_message);
  }

  [[nodiscard]] static std::uint32_t block_of(const trace::RankTrace& rank, const RuledWork& work) {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(0, rank.rank) / work.group_size);
  }

  /// What MPI was asked for by calls of this rank: the functions tell, and each call is its own record. Calls are in
  /// the order of the program.
  void scan_mpi(std::uint32_t node) {
    const trace::RankTrace& rank = trace_.ranks[node];
    const MpiCalls& calls = out_.mpi[node];
    trace::InOrder kinds(rank.field(Field::collective_text)), sequences(rank.field(Field::collective_sequence)),
        groups(rank.field(Field::group_name_text)), ranks(rank.field(Field::group_ranks_text)),
        destinations(rank.field(Field::destination_rank)), tags(rank.field(Field::tag)),
        receive_tags(rank.field(Field::receive_tag));
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const MpiFunction* const function = calls.functions[e];
      if (function == nullptr) continue;
      const EventIndex completed = function->is_blocking ? e : calls.requests.completed_by[e];
      const bool is_message = function->role == MpiRole::send || function->role == MpiRole::receive ||
                              function->role == MpiRole::send_receive;
      if (function->role != MpiRole::collective && !is_message) continue;
      // Of what nobody waited for it is not known when it ended. A call that took no time stays: recorders that count
      // microseconds have many, a clock may stand still for a moment, and leaving one out would pair all that follow it
      // on its channel with the wrong partner.
      if (completed == kNotCompleted || rank.end(completed) < rank.start[e]) {
        ++out_.without_extent;
        continue;
      }
      const EventIndex call = completed == e ? kNoCall : e;
      const StringId group = groups.text(e);
      if (is_message)
        add_mpi_message(node, e, completed, group, destinations.find(e, kNoNumber), tags.find(e, kNoNumber),
                        receive_tags.find(e, kNoNumber));
      else if (group != 0)
        out_.all.push_back({sequences.find(e, kNoNumber), completed,
                            operations_.number_of({.kind = kinds.text(e), .group = group, .ranks = ranks.text(e)}),
                            call});
    }
  }

  void add_mpi_message(std::uint32_t node, EventIndex e, EventIndex completed, StringId group, std::int64_t destination,
                       std::int64_t tag, std::int64_t receive_tag) {
    const MpiRole role = out_.mpi[node].functions[e]->role;
    const EventIndex call = completed == e ? kNoCall : e;
    if (role != MpiRole::receive && destination != kNobody)
      out_.messages.push_back({node, completed, group, true, destination, kNoNumber, tag, call});
    const std::int64_t source = out_.mpi[node].sources[e];
    if (role == MpiRole::send || source == kNobody) return;
    out_.messages.push_back(
        {node, completed, group, false, source, kNoNumber, role == MpiRole::receive ? tag : receive_tag, call});
  }

  /// What was found on a node, from `first` on. Columns are read in the order of the file, but nobody may see that
  /// order.
  template <typename Item>
  void put_in_order(const trace::ContentOrder& content, std::vector<Item>& items, std::size_t first) {
    const auto before = [&](const Item& a, const Item& b) { return content.before(a.event, b.event); };
    const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
    // Recorders write what a lane did in order, and the lane of collectives is often the only one: then there is
    // nothing to do.
    if (std::is_sorted(begin, items.end(), before)) return;
    std::sort(begin, items.end(), before);
    moved_ = true;
  }

  /// Numbers the operations again, by where they come first now.
  void renumber_operations() {
    NumberTable<Operation> in_order;
    for (CollectiveRecord& sighting : out_.all)
      sighting.operation = in_order.number_of(operations_.keys()[sighting.operation]);
    operations_ = std::move(in_order);
  }

  void add_host_work(std::uint32_t node, StringId kind, const HostWork& work) {
    const trace::RankTrace& rank = trace_.ranks[node];
    const std::uint32_t members = work.group == kNoGroup ? kNoGroup : out_.groups.number(node, work.group);
    if (work.kind.kind == workload::ActivityKind::collective) {
      if (members == kNoGroup && !rank.source.groups.empty()) return;  // counted as HostWorks::group_unclear
      // By the full name (gloo:all_reduce), so that it never meets one of another backend with the same number.
      out_.all.push_back({work.sequence, work.event,
                          operations_.number_of({.kind = kind, .name = rank.name[work.event], .members = members})});
      return;
    }
    std::int64_t peer = work.peer;
    if (members != kNoGroup && peer >= 0) {
      const std::vector<std::int64_t>& ranks = out_.groups.all()[members].ranks;
      peer = static_cast<std::size_t>(peer) < ranks.size() ? ranks[static_cast<std::size_t>(peer)] : kNoNumber;
    }
    const bool is_send = work.kind.kind == workload::ActivityKind::send;
    out_.messages.push_back({node, work.event, 0, is_send, peer, kNoNumber, work.tag, work.call});
  }

  const trace::Trace& trace_;
  StringId launch_, send_, recv_;
  NumberTable<Operation> operations_;
  bool moved_ = false;  // some node's file had them in another order
  RecordedCommunication out_;
};

}  // namespace

RecordedCommunication find_recorded_communication(const trace::Trace& trace) { return Finder(trace).find(); }

std::string_view kind_of(const trace::Trace& trace, const Operation& operation) {
  return operation.rule == trace::Rules::kNoRule ? trace.strings.text(operation.kind)
                                                 : std::string_view(trace.rules->communication()[operation.rule].kind);
}

StringId launch_name(const trace::Trace& trace) {
  const StringId name = trace.strings.find("record_param_comms");
  return name == Interner::kMissing ? 0 : name;
}

Launches::Launches(const trace::RankTrace& rank, const trace::ContentOrder& content, StringId launch_name)
    : rank_(rank) {
  if (launch_name == 0) return;
  trace::InOrder ids(rank.field(Field::external_id));
  for (const EventIndex event : rank.field(Field::collective_text).event) {
    if (rank.name[event] != launch_name) continue;
    const std::int64_t id = ids.find(event, kNoNumber);
    if (id != kNoNumber) by_id_.push_back({id, event});
  }
  std::sort(by_id_.begin(), by_id_.end(), [&](const Launch& a, const Launch& b) {
    return a.external_id != b.external_id ? a.external_id < b.external_id : content.before(a.event, b.event);
  });
}

std::int64_t Launches::value(EventIndex event, Field field) const {
  if (const auto own = rank_.field(field).find(event)) return *own;
  if (by_id_.empty()) return kNoNumber;
  const auto id = rank_.field(Field::external_id).find(event);
  if (!id) return kNoNumber;
  const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), *id,
                                   [](const Launch& a, std::int64_t b) { return a.external_id < b; });
  if (at == by_id_.end() || at->external_id != *id) return kNoNumber;
  return rank_.field(field).find(at->event).value_or(kNoNumber);
}

}  // namespace orrery::match
