// Traces of several nodes, event by event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace orrery::match::test {

struct Event {
  std::string_view kind = "allreduce";
  std::int64_t sequence = -1;  ///< negative: none
  TimePs start = 0;
  TimePs end = 0;
  trace::LaneIndex lane = 0;
  std::string_view name = {};   ///< of the operation in the program
  std::string_view group = {};  ///< name of the group
  std::string_view ranks = {};
  std::string_view pairs = {};
  std::optional<std::int64_t> group_rank = {}, source = {}, destination = {}, external_id = {};
  std::string_view event_name = {};  ///< instead of the kind
};

class JobBuilder {
 public:
  explicit JobBuilder(std::size_t nodes) {
    trace.ranks.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      trace.ranks[i].rank = static_cast<std::int64_t>(i);
      trace.ranks[i].lanes.resize(2);
      trace.ranks[i].categories.resize(1);
    }
  }

  void add(std::size_t node, const Event& event) {
    using trace::Field;
    trace::RankTrace& rank = trace.ranks[node];
    const trace::EventIndex row =
        rank.append_event({.start = event.start,
                           .duration = event.end - event.start,
                           .name = trace.strings.intern(event.event_name.empty() ? event.kind : event.event_name),
                           .lane = event.lane,
                           .flags = trace::kHasDuration},
                          {.ordinal = static_cast<std::uint32_t>(rank.event_count())});
    const auto text = [&](Field field, std::string_view value) {
      if (!value.empty()) rank.field(field).push(row, trace.strings.intern(value));
    };
    const auto number = [&](Field field, std::optional<std::int64_t> value) {
      if (value) rank.field(field).push(row, *value);
    };
    text(Field::collective_text, event.kind);
    text(Field::operation_text, event.name);
    text(Field::group_name_text, event.group);
    text(Field::group_ranks_text, event.ranks);
    text(Field::pairs_text, event.pairs);
    if (event.sequence >= 0) number(Field::collective_sequence, event.sequence);
    number(Field::group_rank, event.group_rank);
    number(Field::source_rank, event.source);
    number(Field::destination_rank, event.destination);
    number(Field::external_id, event.external_id);
  }
  void add(std::size_t node, std::string_view kind, std::int64_t sequence, TimePs start, TimePs end,
           trace::LaneIndex lane = 0) {
    add(node, {.kind = kind, .sequence = sequence, .start = start, .end = end, .lane = lane});
  }

  trace::Trace trace;
};

}  // namespace orrery::match::test
