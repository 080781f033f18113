#include "analyze/whatif/recorded_collectives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/whatif/job_transfers.h"
#include "base/statistics.h"
#include "match/communication.h"
#include "match/exchange.h"
#include "match/group_table.h"
#include "match/recorded_communication.h"
#include "simulate/schedule.h"

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::JobOperation;

/// What, group, members and bytes: what calls are counted by.
using CallKey = std::tuple<std::string, std::string, std::uint32_t, std::int64_t>;

struct CallSums {
  std::uint64_t calls = 0;
  TimePs transfer = 0;
  TimePs wait = 0;
  std::vector<double> bus;
  struct Late {
    TimePs wait = 0;
    std::uint64_t calls = 0;
  };
  std::map<std::int64_t, Late> late;  // by rank
};

/// One call as its members saw it.
struct Call {
  TimePs transfer = 0;
  TimePs wait = 0;
  std::optional<std::int64_t> late_rank;
  bool tells_bandwidth = true;
};

/// Whose arrival the ready moment stands for: the latest that it needs; of equals the lowest rank's.
std::uint32_t last_needed(const CausalGraph& job, graph::NodeId ready) {
  graph::NodeId last = graph::kNoNode;
  const auto look_at = [&](graph::NodeId from) {
    if (last == graph::kNoNode || job.time[from] > job.time[last] ||
        (job.time[from] == job.time[last] && job.node_rank[from] < job.node_rank[last]))
      last = from;
  };
  for (const graph::Slot slot : job.graph.incoming(ready)) {
    const graph::NodeId source = job.graph.source(slot);
    if (!job.is_hub(source)) {
      look_at(source);
      continue;
    }
    // Whom the hub before it stands for came earlier.
    for (const graph::Slot arrival : job.graph.incoming(source)) {
      if (const graph::NodeId from = job.graph.source(arrival); !job.is_hub(from)) look_at(from);
    }
  }
  return last == graph::kNoNode ? causal::kNoRank : job.node_rank[last];
}

Call look_at_call(const CausalGraph& job, const JobOperation& operation) {
  Call call;
  std::uint32_t longest_waiter = operation.first;
  for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p) {
    call.transfer = std::max(call.transfer, job.graph.weight(job.parts[p].transfer));
    const TimePs wait = job.time[job.ready(p)] - job.time[job.parts[p].arrival];
    if (wait > call.wait) call.wait = wait, longest_waiter = p;
  }
  if (call.wait > 0) {
    const std::uint32_t late = last_needed(job, job.ready(longest_waiter));
    if (late != causal::kNoRank && late != job.parts[longest_waiter].rank) call.late_rank = job.ranks[late].rank;
  }
  if (operation.ordering != match::Ordering::message || operation.count != 2) return call;
  // The sender is done when its message has left: what moves it is the receiver's side, if that was there in time to
  // see it come.
  const causal::JobPart &sender = job.parts[operation.first], &receiver = job.parts[operation.first + 1];
  call.transfer = job.graph.weight(receiver.transfer);
  call.tells_bandwidth = job.time[receiver.arrival] <= job.time[sender.arrival];
  return call;
}

double bus_of(std::string_view what, std::int64_t bytes, std::uint32_t members, TimePs time) {
  if (bytes <= 0 || time <= 0) return 0;
  const auto collective = collective_called(what);
  if (collective) return simulate::bus_bytes_per_second(*collective, bytes, members, time);
  return what == "p2p" ? static_cast<double>(bytes) / static_cast<double>(time) * static_cast<double>(kPsPerSecond) : 0;
}

std::int64_t size_of(std::string_view what, std::int64_t bytes, std::uint32_t members) {
  const auto collective = collective_called(what);
  return bytes >= 0 && collective ? workload::whole_bytes(*collective, bytes, members) : bytes;
}

std::vector<CollectiveRow> rows_of(std::map<CallKey, CallSums>&& sums, bool knows_others) {
  std::vector<CollectiveRow> rows;
  for (auto& [key, sum] : sums) {
    CollectiveRow row{
        .what = std::get<0>(key), .group = std::get<1>(key), .members = std::get<2>(key), .bytes = std::get<3>(key)};
    row.calls = sum.calls;
    row.transfer = sum.transfer;
    if (knows_others) row.wait = sum.wait;
    if (!sum.bus.empty()) {
      row.slowest_bus = *std::min_element(sum.bus.begin(), sum.bus.end());
      row.median_bus = lower_median(sum.bus);
    }
    const auto less = [](const auto& a, const auto& b) { return a.second.wait < b.second.wait; };
    if (const auto late = std::max_element(sum.late.begin(), sum.late.end(), less); late != sum.late.end()) {
      row.late_rank = late->first;
      row.late_calls = late->second.calls;
    }
    rows.push_back(std::move(row));
  }
  // The map has them by what they are; that decides among equals.
  std::stable_sort(rows.begin(), rows.end(), [](const CollectiveRow& a, const CollectiveRow& b) {
    return a.transfer + a.wait.value_or(0) > b.transfer + b.wait.value_or(0);
  });
  return rows;
}

}  // namespace

std::vector<CollectiveRow> recorded_collectives(const CausalGraph& job) {
  std::map<CallKey, CallSums> sums;
  for (const JobOperation& operation : job.operations) {
    const std::string what(job.strings.text(operation.what));
    const std::int64_t bytes = size_of(what, operation.bytes, operation.members);
    CallSums& sum = sums[{what, std::string(job.strings.text(operation.group)), operation.members, bytes}];
    const Call call = look_at_call(job, operation);
    ++sum.calls;
    sum.transfer += call.transfer;
    sum.wait += call.wait;
    if (call.late_rank) {
      CallSums::Late& late = sum.late[*call.late_rank];
      late.wait += call.wait;
      ++late.calls;
    }
    if (const double bus = bus_of(what, bytes, operation.members, call.transfer); bus > 0 && call.tells_bandwidth)
      sum.bus.push_back(bus);
  }
  return rows_of(std::move(sums), true);
}

std::vector<CollectiveRow> recorded_collectives(const trace::Trace& trace, std::size_t place) {
  const match::RecordedCommunication sightings = match::find_recorded_communication(trace);
  const trace::RankTrace& rank = trace.ranks[place];
  std::map<CallKey, CallSums> sums;
  for (std::size_t i = sightings.first_of_node[place]; i < sightings.first_of_node[place + 1]; ++i) {
    const match::CollectiveRecord& seen = sightings.all[i];
    const match::Operation& operation = sightings.operations[seen.operation];
    const std::string_view kind = match::kind_of(trace, operation);
    const auto known = match::communication_kind(kind);
    const std::string what(known ? workload::to_string(known->collective) : kind);
    const match::ProcessGroups::Group* const listed =
        operation.members == match::kNoGroup ? nullptr : &sightings.groups.all()[operation.members];
    const std::uint32_t members = listed != nullptr ? static_cast<std::uint32_t>(listed->ranks.size())
                                                    : match::group_members(trace, rank, operation, seen.event, 0);
    const match::Participation part{.node = static_cast<std::uint32_t>(place), .event = seen.event};
    const std::int64_t bytes = size_of(what, match::bytes_of(trace, part).value_or(-1), members);
    const std::string group = listed != nullptr ? listed->name : std::string(trace.strings.text(operation.group));
    CallSums& sum = sums[{what, group, members, bytes}];
    ++sum.calls;
    sum.transfer += rank.duration[seen.event];
    if (const double bus = bus_of(what, bytes, members, rank.duration[seen.event]); bus > 0) sum.bus.push_back(bus);
  }
  return rows_of(std::move(sums), false);
}

report::Sheet recorded_collectives_sheet(const std::vector<CollectiveRow>& rows) {
  using report::Cell;
  using report::Type;
  using report::Unit;
  report::Sheet sheet("collectives");
  sheet.add({.name = "what", .title = "communication"})
      .add({.name = "group", .title = "group"})
      .add({.name = "members", .type = Type::integer, .title = "ranks"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "transfer", .type = Type::time, .unit = Unit::us, .title = "transfer"})
      .add({.name = "wait", .type = Type::time, .unit = Unit::us, .title = "wait for the last"})
      .add({.name = "slowest_bus", .type = Type::real, .unit = Unit::gb_per_s, .title = "slowest bus"})
      .add({.name = "median_bus", .type = Type::real, .unit = Unit::gb_per_s, .title = "median bus"})
      .add({.name = "late_rank", .type = Type::integer, .title = "late rank", .decimals = report::kExact})
      .add({.name = "late_calls", .type = Type::integer, .title = "late in"});
  const auto rate = [](const std::optional<double>& bytes_per_second) {
    return bytes_per_second ? Cell(*bytes_per_second / 1e9) : Cell(nullptr);
  };
  for (const CollectiveRow& row : rows) {
    sheet.add_row({row.what, row.group.empty() ? Cell(nullptr) : Cell(row.group),
                   row.members == 0 ? Cell(nullptr) : Cell(row.members),
                   row.bytes < 0 ? Cell(nullptr) : Cell(row.bytes), row.calls, row.transfer,
                   row.wait ? Cell(*row.wait) : Cell(nullptr), rate(row.slowest_bus), rate(row.median_bus),
                   row.late_rank ? Cell(*row.late_rank) : Cell(nullptr),
                   row.late_rank ? Cell(row.late_calls) : Cell(nullptr)});
  }
  return sheet;
}

}  // namespace orrery::analyze
