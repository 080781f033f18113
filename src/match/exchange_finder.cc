#include "match/exchange_finder.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/column.h"
#include "base/sparse_rows.h"
#include "match/contradictions.h"
#include "match/messages.h"
#include "match/number_table.h"
#include "match/recorded_communication.h"
#include "match/ruled_order.h"
#include "match/unnumbered.h"

// Records of all nodes are numbered by what they have in common: kind, group and sequence number, or, without numbers,
// the pattern in which they follow each other. Records of one number are an exchange; several of one node under one
// number are split into rounds by their order. Messages are matched by themselves, and what cannot be one exchange is
// set apart.

namespace orrery::match {
namespace {

using trace::Field;

/// What every participant of one collective has in common.
struct CollectiveKey {
  std::int64_t sequence = 0;
  std::uint32_t operation = 0;

  friend bool operator==(const CollectiveKey&, const CollectiveKey&) = default;
  [[nodiscard]] std::uint64_t hash() const { return mix(mix(2, static_cast<std::uint64_t>(sequence)), operation); }
};

/// An unknown kind ("wait", "coalesced") promises nothing.
Ordering ordering_of(std::string_view text) {
  std::string kind;
  // Spellings differ by library: "all_reduce", "AllReduce", "all-reduce".
  for (const char c : text) {
    if (c != '_' && c != '-') kind += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const auto has = [&](std::string_view word) { return kind.find(word) != std::string::npos; };
  // Longer words first: "reduce_scatter" has "scatter" in it, "allgather" has "gather".
  if (has("permute") || has("send") || has("recv")) return Ordering::neighbours;
  if (has("allreduce") || has("allgather") || has("reducescatter") || has("alltoall") || has("barrier") ||
      has("dispatch") || has("combine"))
    return Ordering::everybody_waits;
  if (has("broadcast") || has("scatter")) return Ordering::root_first;
  if (has("reduce") || has("gather")) return Ordering::root_last;
  return Ordering::neighbours;
}

/// An event of a collective, on its way from node order to collective order.
struct PlacedRecord {
  std::uint32_t node;
  trace::EventIndex event;
  trace::EventIndex call = kNoCall;  ///< see CollectiveRecord
};

class Matcher {
 public:
  explicit Matcher(const trace::Trace& trace)
      : trace_(trace), nodes_(trace), sightings_(find_recorded_communication(trace)) {
    number_ruled_works(trace, sightings_);
    launches_.resize(trace.ranks.size());
    for (const trace::RankTrace& rank : trace.ranks) content_.emplace_back(trace, rank);
    for (const Operation& operation : sightings_.operations)
      orderings_.push_back(ordering_of(kind_of(trace, operation)));
  }

  Exchanges match() {
    out_.without_extent = sightings_.without_extent;
    out_.groups_inferred = sightings_.host.inferred;
    out_.groups_unclear = sightings_.host.group_unclear;
    out_.order_disagrees = sightings_.host.disagreeing;
    out_.reused_group_names = reused_group_names();
    number();
    group();
    out_.parts.reserve(placed_.entry_count());
    for (std::uint32_t c = 0; c < placed_.row_count(); ++c) emit(c);
    match_messages(trace_, sightings_.messages, out_);
    set_mispaired_apart(out_);
    out_.operations = std::move(sightings_.operations);
    out_.groups = sightings_.groups.all();
    return std::move(out_);
  }

 private:
  /// Of the groups that ranks list, and of those whose members are written beside their collectives.
  [[nodiscard]] std::vector<std::string> reused_group_names() const {
    std::vector<std::string> names = sightings_.groups.reused_names();
    std::map<StringId, StringId> members;
    for (const Operation& operation : sightings_.operations) {
      const std::string_view ranks = trace_.strings.text(operation.ranks);
      if (operation.group == 0 || !ranks.starts_with('[') || ranks.find("<=") != std::string_view::npos)
        continue;  // XLA has many in one
      const auto [at, is_new] = members.emplace(operation.group, operation.ranks);
      if (!is_new && at->second != operation.ranks) names.emplace_back(trace_.strings.text(operation.group));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  /// numbers_[sighting] = which collective it is of: equal keys, equal numbers.
  void number() {
    NumberTable<CollectiveKey> table;
    numbers_ = Column<std::uint32_t>(sightings_.all.size());
    for (std::size_t i = 0; i < sightings_.all.size(); ++i) {
      const CollectiveRecord& sighting = sightings_.all[i];
      numbers_[i] =
          sighting.sequence == kNoNumber ? kNotPaired : table.number_of({sighting.sequence, sighting.operation});
    }
    keys_ = table.keys();
    numbered_ = keys_.size();
    const UnnumberedPairs pairs = pair_unnumbered(trace_, sightings_);
    out_.unclear_pattern = pairs.unclear;
    for (const UnnumberedPairs::Pair& pair : pairs.pairs)
      numbers_[pair.sighting] = static_cast<std::uint32_t>(numbered_ + pair.collective);
    for (std::size_t i = 0; i < pairs.collectives.size(); ++i)
      keys_.push_back({pairs.collectives[i].place, pairs.collectives[i].operation});
  }

  /// The events of each collective, by node.
  void group() {
    placed_ = group_by_row<PlacedRecord, std::size_t>(keys_.size(), [&](const auto& add) {
      for (std::uint32_t node = 0; node < trace_.ranks.size(); ++node) {
        for (std::size_t i = sightings_.first_of_node[node]; i < sightings_.first_of_node[node + 1]; ++i) {
          if (numbers_[i] != kNotPaired)
            add(numbers_[i], PlacedRecord{node, sightings_.all[i].event, sightings_.all[i].call});
        }
      }
    });
  }

  /// Adds the collective or, if it was done several times under one number, each of them.
  void emit(std::uint32_t c) {
    PlacedRecord* const begin = placed_[c].data();
    PlacedRecord* const end = begin + placed_.length(c);
    // Seen by one node only, it says nothing about the clocks or the order of two.
    if (begin == end || begin->node == end[-1].node) {
      out_.unmatched += begin == end ? 0 : 1;
      return;
    }
    // The usual case, and the only one that needs no order within a node.
    const bool once_each = std::adjacent_find(begin, end, [](const PlacedRecord& a, const PlacedRecord& b) {
                             return a.node == b.node;
                           }) == end;
    if (once_each) {
      add(c, begin, end, true);
      return;
    }
    rounds_.clear();
    bool one_lane_each = true;
    for (PlacedRecord* node_begin = begin; node_begin != end;) {
      PlacedRecord* node_end = node_begin;
      while (node_end != end && node_end->node == node_begin->node) ++node_end;
      const std::size_t times = split_into_rounds(node_begin, node_end, one_lane_each);
      // One that is missing may be any of them: pairing the rest in order would put all behind it off by one.
      if (node_begin != begin && times != rounds_.size()) {
        ++out_.ambiguous;
        return;
      }
      node_begin = node_end;
    }
    for (const std::vector<PlacedRecord>& round : rounds_)
      add(c, round.data(), round.data() + round.size(), one_lane_each);
  }

  /// The n-th events of every lane of a node belong to rounds_[n]. Every device takes part for itself; of several
  /// threads of the host only the one that ends first does, since they may have shared the work of one participant.
  std::size_t split_into_rounds(PlacedRecord* begin, PlacedRecord* end, bool& one_lane_each) {
    const trace::RankTrace& rank = trace_.ranks[begin->node];
    // They come in the order of their starts, and of equal ones in one of content: only lanes are left to sort by.
    const auto place = [&](const PlacedRecord& placed) { return content_[placed.node].place(rank.lane[placed.event]); };
    std::stable_sort(begin, end, [&](const PlacedRecord& a, const PlacedRecord& b) { return place(a) < place(b); });
    const auto is_device = [&](const PlacedRecord& placed) { return rank.lanes[rank.lane[placed.event]].clock != 0; };
    std::vector<std::vector<PlacedRecord>> of_node;
    std::size_t n = 0;
    for (const PlacedRecord* at = begin; at != end; ++at, ++n) {
      if (at != begin && rank.lane[at->event] != rank.lane[at[-1].event]) n = 0, one_lane_each = false;
      if (n == of_node.size()) of_node.emplace_back();
      std::vector<PlacedRecord>& round = of_node[n];
      if (round.empty() || is_device(*at) || is_device(round.back())) round.push_back(*at);
      else if (rank.end(at->event) < rank.end(round.back().event)) round.back() = *at;
    }
    if (rounds_.empty()) rounds_.resize(of_node.size());
    if (rounds_.size() == of_node.size()) {
      for (std::size_t i = 0; i < of_node.size(); ++i)
        rounds_[i].insert(rounds_[i].end(), of_node[i].begin(), of_node[i].end());
    }
    return of_node.size();
  }

  void add(std::uint32_t c, const PlacedRecord* begin, const PlacedRecord* end, bool one_lane_each) {
    const Operation& operation = sightings_.operations[keys_[c].operation];
    Exchange collective;
    collective.operation = keys_[c].operation;
    collective.name = operation.name != 0 ? operation.name : trace_.ranks[begin->node].name[begin->event];
    collective.sequence = keys_[c].sequence;
    collective.by_pattern = c >= numbered_;
    collective.ordering = orderings_[keys_[c].operation];
    const std::string_view pairs = trace_.strings.text(operation.pairs), ranks = trace_.strings.text(operation.ranks);
    // With several devices on a node, which of them has which number is not written.
    if (!pairs.empty() && one_lane_each && add_permutation(collective, pairs, begin, end)) return;
    const bool is_xla_group = ranks.starts_with('{') || ranks.find("<=") != std::string_view::npos;
    if (is_xla_group) {
      const auto groups = parse_groups(ranks);
      if (groups && groups->size() > 1 && one_lane_each && add_groups(collective, *groups, begin, end)) return;
      // Several groups under one name, and who is in which is not known: no one can be said to wait for another.
      if (!groups || groups->size() > 1) collective.ordering = Ordering::neighbours;
    }
    add_parts(collective, begin, end);
    if (collective.ordering == Ordering::root_first || collective.ordering == Ordering::root_last)
      find_root(collective, operation);
    out_.all.push_back(collective);
  }

  void add_parts(Exchange& collective, const PlacedRecord* begin, const PlacedRecord* end) {
    collective.first = static_cast<std::uint32_t>(out_.parts.size());
    collective.count = static_cast<std::uint32_t>(end - begin);
    for (const PlacedRecord* at = begin; at != end; ++at) {
      Participation& part = out_.parts.emplace_back(participation(trace_, at->node, at->event));
      if (const HostWork* const work = sightings_.host.find(at->node, at->event); work != nullptr)
        part.call = work->call;
      if (at->call != kNoCall) {
        part.call = at->call;
        part.start_ps =
            trace_.ranks[at->node].start[at->call];  // it had arrived when it began, not when it began to wait
      }
    }
  }

  /// XLA numbers devices. Where every node has one and every number is that of a node, they are the nodes; else who is
  /// who is not known.
  const PlacedRecord* find(std::int64_t device, const PlacedRecord* begin, const PlacedRecord* end) const {
    const std::uint32_t node = nodes_.find(device);
    const PlacedRecord* const at =
        std::lower_bound(begin, end, node, [](const PlacedRecord& a, std::uint32_t b) { return a.node < b; });
    return at != end && at->node == node ? at : nullptr;
  }

  bool add_permutation(const Exchange& collective, std::string_view text, const PlacedRecord* begin,
                       const PlacedRecord* end) {
    const auto pairs = parse_groups(text);
    if (!pairs || pairs->empty()) return false;
    for (const std::vector<std::int64_t>& pair : *pairs) {
      if (pair.size() != 2 || nodes_.find(pair[0]) == NodeOfRank::kNone || nodes_.find(pair[1]) == NodeOfRank::kNone)
        return false;
    }
    for (const std::vector<std::int64_t>& pair : *pairs) {
      const PlacedRecord* const from = find(pair[0], begin, end);
      const PlacedRecord* const to = find(pair[1], begin, end);
      // The recordings of some nodes may be missing; the other pairs still count.
      if (from == nullptr || to == nullptr || from == to) continue;
      add_message(collective.name, collective.sequence, participation(trace_, from->node, from->event),
                  participation(trace_, to->node, to->event), out_);
    }
    return true;
  }

  bool add_groups(Exchange collective, const std::vector<std::vector<std::int64_t>>& groups, const PlacedRecord* begin,
                  const PlacedRecord* end) {
    for (const std::vector<std::int64_t>& group : groups) {
      if (std::any_of(group.begin(), group.end(),
                      [&](std::int64_t device) { return nodes_.find(device) == NodeOfRank::kNone; }))
        return false;
    }
    for (const std::vector<std::int64_t>& group : groups) {
      std::vector<PlacedRecord> members;
      for (const std::int64_t device : group) {
        if (const PlacedRecord* const member = find(device, begin, end); member != nullptr) members.push_back(*member);
      }
      // Of this group one member at most was recorded.
      if (members.size() < 2) continue;
      std::sort(members.begin(), members.end(),
                [](const PlacedRecord& a, const PlacedRecord& b) { return a.node < b.node; });
      add_parts(collective, members.data(), members.data() + members.size());
      out_.all.push_back(collective);
    }
    return true;
  }

  /// The root as any of the participants recorded it, if it took part.
  void find_root(Exchange& collective, const Operation& operation) {
    for (std::uint32_t i = collective.first; i < collective.first + collective.count; ++i) {
      const Participation& part = out_.parts[i];
      // On a host the call has the root; on a device the launch of the kernel has it.
      const std::int64_t place =
          part.call != kNoCall ? trace_.ranks[part.node].field(Field::group_rank).find(part.call).value_or(kNoNumber)
                               : launches_of(part.node).value(part.event, Field::group_rank);
      if (place == kNoNumber) continue;
      const auto rank = member(operation, place);
      const std::uint32_t node = rank ? nodes_.find(*rank) : NodeOfRank::kNone;
      for (std::uint32_t p = collective.first; p < collective.first + collective.count; ++p) {
        if (out_.parts[p].node == node) collective.root = p;
      }
      return;
    }
  }

  [[nodiscard]] std::optional<std::int64_t> member(const Operation& operation, std::int64_t place) const {
    if (operation.members == kNoGroup) return member_of_group(trace_.strings.text(operation.ranks), place);
    const std::vector<std::int64_t>& ranks = sightings_.groups.all()[operation.members].ranks;
    if (place < 0 || static_cast<std::size_t>(place) >= ranks.size()) return std::nullopt;
    return ranks[static_cast<std::size_t>(place)];
  }

  const Launches& launches_of(std::uint32_t node) {
    if (!launches_[node])
      launches_[node] = std::make_unique<Launches>(trace_.ranks[node], content_[node], launch_name(trace_));
    return *launches_[node];
  }

  const trace::Trace& trace_;
  NodeOfRank nodes_;
  RecordedCommunication sightings_;
  std::vector<Ordering> orderings_;           // by operation
  std::vector<trace::ContentOrder> content_;  // by node
  std::vector<std::unique_ptr<Launches>> launches_;
  std::vector<CollectiveKey> keys_;
  std::size_t numbered_ = 0;  // the first of keys_ that is of a collective without a number
  Column<std::uint32_t> numbers_;
  SparseRows<PlacedRecord, std::size_t> placed_;  // by collective
  std::vector<std::vector<PlacedRecord>> rounds_;
  Exchanges out_;
};

}  // namespace

Exchanges find_exchanges(const trace::Trace& trace) { return Matcher(trace).match(); }

}  // namespace orrery::match
