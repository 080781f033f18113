#include "query/collectives_table.h"

#include <algorithm>
#include <optional>

#include "match/communication.h"
#include "match/exchange.h"
#include "match/recorded_communication.h"
#include "query/rows.h"
#include "simulate/schedule.h"

// A row per rank and collective or message. For each part the arrival that it has to wait for is found: that of all, of
// the root or of the sender, by the kind of operation. What one rank recorded alone has no waits.

namespace orrery::query {
namespace {

constexpr std::size_t kCollectiveColumns = 12;

/// What all rows of one collective or message have in common.
struct CommonFacts {
  std::int64_t id = 0;
  std::string_view kind;
  std::string_view group;
  std::int64_t sequence = 0;
  std::size_t members = 0;
};

/// One rank's part of it. Times are the trace's.
struct OwnPart {
  std::uint32_t rank = 0;
  trace::EventIndex event = 0;
  TimePs start = 0, end = 0, arrival = 0;
};

class CollectiveRows {
 public:
  CollectiveRows(const Recording& recording, const EventNumbers& numbers)
      : trace_(recording.trace), numbers_(numbers) {}

  std::unique_ptr<ListRows> rows = std::make_unique<ListRows>(kCollectiveColumns);

  void add(const CommonFacts& facts, const OwnPart& part, std::optional<TimePs> last_arrival) {
    const std::optional<std::int64_t> bytes = match::bytes_of(trace_, {.node = part.rank, .event = part.event});
    // Nobody waits before it has come, nor longer than it was there.
    const std::optional<TimePs> wait =
        last_arrival ? std::optional(std::clamp<TimePs>(*last_arrival - part.arrival, 0,
                                                        std::max<TimePs>(part.end - part.arrival, 0)))
                     : std::nullopt;
    rows->add({facts.id, facts.kind, text_or_null(facts.group),
               facts.sequence == match::kNoNumber ? Value() : Value(facts.sequence), value_or_null(bytes),
               trace_.ranks[part.rank].rank, numbers_.id(part.rank, part.event), part.start, part.end, part.arrival,
               value_or_null(wait), bus(facts, part, bytes, part.arrival + wait.value_or(0))});
  }

  /// `call`: what asked for a message; kNoCall of a collective.
  [[nodiscard]] OwnPart part(std::uint32_t node, trace::EventIndex event, trace::EventIndex call) const {
    const trace::RankTrace& rank = trace_.ranks[node];
    OwnPart part{node, event, rank.start[event], rank.end(event), rank.start[event]};
    // A message of a host is on its way when it was asked for, which may be long before its own interval.
    if (call != match::kNoCall) part.arrival = std::min(part.arrival, rank.start[call]);
    return part;
  }

 private:
  /// From when all were there.
  [[nodiscard]] Value bus(const CommonFacts& facts, const OwnPart& part, std::optional<std::int64_t> bytes,
                          TimePs ready) const {
    const std::optional<match::CommunicationKind> kind = match::communication_kind(facts.kind);
    // Without size, partners or time there is no rate.
    if (!bytes || facts.members < 2 || !kind || kind->kind != workload::ActivityKind::collective || part.end <= ready)
      return {};
    simulate::CollectiveUse use;
    use.kind = kind->collective;
    // The size of what is gathered is that of all parts together.
    const bool is_gathered = use.kind == workload::Collective::all_gather || use.kind == workload::Collective::gather;
    if (__builtin_mul_overflow(*bytes, is_gathered ? static_cast<std::int64_t>(facts.members) : 1, &use.bytes))
      return {};
    use.ranks = static_cast<std::uint32_t>(facts.members);
    use.last_arrival_ps = ready;
    use.end_ps = part.end;
    return simulate::bus_bytes_per_second(use) / 1e9;
  }

  const trace::Trace& trace_;
  const EventNumbers& numbers_;
};

void add_exchanges(const Recording& recording, CollectiveRows& out) {
  const match::Exchanges& exchanges = recording.job->exchanges();
  for (std::size_t i = 0; i < exchanges.all.size(); ++i) {
    const match::Exchange& exchange = exchanges.all[i];
    CommonFacts facts{static_cast<std::int64_t>(i), "p2p", {}, exchange.sequence, exchange.count};
    if (exchange.operation != match::kNoOperation) {
      const match::Operation& operation = exchanges.operations[exchange.operation];
      facts.kind = match::kind_of(recording.trace, operation),
      facts.group = recording.trace.strings.text(operation.group);
    }
    std::vector<OwnPart> parts;
    const bool is_message = exchange.ordering == match::Ordering::message;
    for (std::uint32_t p = exchange.first; p < exchange.first + exchange.count; ++p) {
      const match::Participation& part = exchanges.parts[p];
      parts.push_back(out.part(part.node, part.event, is_message ? part.call : match::kNoCall));
    }
    // The last of all is what everybody waits for, unless the operation says otherwise.
    TimePs last = parts.front().arrival;
    for (const OwnPart& part : parts) last = std::max(last, part.arrival);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      // Where not everybody waits for everybody, a rank needs the root, or the sender; of a reduce only the root needs
      // the others.
      const bool is_root = exchange.first + p == exchange.root;
      std::optional<TimePs> needed = last;
      if (is_message) needed = p == 0 ? parts[0].arrival : std::max(parts[0].arrival, parts[p].arrival);
      else if (exchange.ordering == match::Ordering::root_first)
        needed = exchange.root == match::kUnknownRoot ? std::nullopt
                                                      : std::optional(parts[exchange.root - exchange.first].arrival);
      else if (exchange.ordering == match::Ordering::root_last)
        needed = exchange.root == match::kUnknownRoot ? std::nullopt : std::optional(is_root ? last : parts[p].arrival);
      else if (exchange.ordering == match::Ordering::neighbours) needed = std::nullopt;
      out.add(facts, parts[p], needed);
    }
  }
}

/// What one rank recorded, without the others: nobody knows how long it waited.
void add_sightings(const Recording& recording, CollectiveRows& out) {
  const match::RecordedCommunication sightings = match::find_recorded_communication(recording.trace);
  const Interner& strings = recording.trace.strings;
  std::int64_t id = 0;
  for (std::size_t node = 0; node + 1 < sightings.first_of_node.size(); ++node) {
    for (std::size_t i = sightings.first_of_node[node]; i < sightings.first_of_node[node + 1]; ++i) {
      const match::CollectiveRecord& sighting = sightings.all[i];
      const match::Operation& operation = sightings.operations[sighting.operation];
      const auto size = recording.trace.ranks[node].field(trace::Field::group_size).find(sighting.event);
      out.add({id++, match::kind_of(recording.trace, operation), strings.text(operation.group), sighting.sequence,
               static_cast<std::size_t>(size.value_or(0))},
              out.part(static_cast<std::uint32_t>(node), sighting.event, match::kNoCall), std::nullopt);
    }
  }
  for (const match::MessageSide& side : sightings.messages)
    out.add({id++, "p2p", strings.text(side.group), side.sequence, 2}, out.part(side.node, side.event, side.call),
            std::nullopt);
}

}  // namespace

Table collectives_table(const Recording& recording, const EventNumbers& numbers) {
  return {"collectives",
          {{"id", "INTEGER"},
           {"kind", "TEXT"},
           {"group_name", "TEXT"},
           {"seq", "INTEGER"},
           {"bytes", "INTEGER"},
           {"rank", "INTEGER"},
           {"event", "INTEGER"},
           {"start_ps", "INTEGER"},
           {"end_ps", "INTEGER"},
           {"arrival_ps", "INTEGER"},
           {"wait_ps", "INTEGER"},
           {"bus_gbps", "REAL"}},
          made_once([&recording, &numbers]() -> Result<std::unique_ptr<Rows>> {
            CollectiveRows out(recording, numbers);
            if (recording.job != nullptr) add_exchanges(recording, out);
            else add_sightings(recording, out);
            return std::unique_ptr<Rows>(std::move(out.rows));
          })};
}

}  // namespace orrery::query
