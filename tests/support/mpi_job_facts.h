// Facts of a recorded job that must hold whatever the program did: every message has both its ends, every collective
// all its members.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "match/exchange_finder.h"
#include "match/mpi/mpi_communicators.h"
#include "match/mpi/mpi_function.h"
#include "trace/trace.h"

namespace orrery::testing {

using trace::EventIndex;
using trace::Field;

inline std::string text_of(const trace::Trace& job, const trace::RankTrace& rank, Field field, EventIndex e) {
  const auto id = rank.field(field).find(e);
  return id ? std::string(job.strings.text(static_cast<StringId>(*id))) : std::string();
}

inline std::size_t count_calls(const trace::Trace& job, const trace::RankTrace& rank, std::string_view name) {
  std::size_t count = 0;
  for (EventIndex e = 0; e < rank.event_count(); ++e) count += job.name(rank, e) == name ? 1 : 0;
  return count;
}

/// Source, destination, communicator and tag, and what was sent there, in order; the same of what was received.
struct Channels {
  using Key = std::tuple<std::int64_t, std::int64_t, std::string, std::int64_t>;
  std::map<Key, std::vector<std::int64_t>> sent, received;
  std::size_t messages = 0;
};

inline Channels channels_of(const trace::Trace& job) {
  Channels channels;
  for (const trace::RankTrace& rank : job.ranks) {
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const std::string_view name = job.name(rank, e);
      // Made, but not started; looked at, but not taken; one-sided: no messages.
      if (name.ends_with("_init") || name.ends_with("robe")) continue;
      const auto destination = rank.field(Field::destination_rank).find(e),
                 source = rank.field(Field::source_rank).find(e);
      const auto tag = rank.field(Field::tag).find(e), bytes = rank.field(Field::bytes).find(e);
      const std::string group = text_of(job, rank, Field::group_name_text, e);
      if (destination && tag && *destination >= 0) {
        channels.sent[{rank.rank, *destination, group, *tag}].push_back(bytes.value_or(-1));
        ++channels.messages;
      }
      if (!source || *source < 0) continue;
      const auto receive_tag = destination ? rank.field(Field::receive_tag).find(e) : tag;
      const auto receive_bytes = destination ? rank.field(Field::receive_bytes).find(e) : bytes;
      channels.received[{*source, rank.rank, group, receive_tag.value_or(-5)}].push_back(receive_bytes.value_or(-2));
    }
  }
  return channels;
}

struct CollectiveFacts {
  std::string kind, ranks;
  std::set<std::int64_t> members;
  std::set<std::int64_t> roots;
};

/// By communicator and number.
inline std::map<std::pair<std::string, std::int64_t>, CollectiveFacts> collectives_of(const trace::Trace& job) {
  std::map<std::pair<std::string, std::int64_t>, CollectiveFacts> all;
  for (const trace::RankTrace& rank : job.ranks) {
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const auto sequence = rank.field(Field::collective_sequence).find(e);
      if (!sequence) continue;
      CollectiveFacts& facts = all[{text_of(job, rank, Field::group_name_text, e), *sequence}];
      const std::string kind = text_of(job, rank, Field::collective_text, e),
                        ranks = text_of(job, rank, Field::group_ranks_text, e);
      CAPTURE(rank.rank);
      CAPTURE(kind);
      CHECK((facts.kind.empty() || facts.kind == kind));
      CHECK((facts.ranks.empty() || facts.ranks == ranks));
      facts.kind = kind;
      facts.ranks = ranks;
      CHECK(facts.members.insert(rank.rank).second);
      if (const auto root = rank.field(Field::group_rank).find(e)) facts.roots.insert(*root);
    }
  }
  return all;
}

/// Every collective was recorded by all its members, and they agree on its root.
inline std::size_t check_collectives(const trace::Trace& job) {
  const auto all = collectives_of(job);
  for (const auto& [key, facts] : all) {
    CAPTURE(key.first);
    CAPTURE(key.second);
    std::set<std::int64_t> expected;
    for (const std::int64_t rank : match::parse_list(facts.ranks)) expected.insert(rank);
    CHECK(facts.members == expected);
    CHECK(facts.roots.size() <= 1);
  }
  return all.size();
}

/// All messages and collectives are found as Exchanges, as many as the calls say, and nothing is left over.
/// Communicators of one member and messages to oneself are none.
inline void check_exchanges(const trace::Trace& job) {
  std::size_t collectives = 0;
  for (const auto& [key, facts] : collectives_of(job)) collectives += facts.members.size() > 1 ? 1 : 0;
  const Channels channels = channels_of(job);
  const match::Exchanges exchanges = match::find_exchanges(job);
  std::size_t messages = 0;
  for (const match::Exchange& exchange : exchanges.all) {
    messages += exchange.ordering == match::Ordering::message ? 1 : 0;
    CHECK_FALSE(exchange.by_pattern);
  }
  CHECK(messages == channels.messages);
  CHECK(exchanges.all.size() - messages == collectives);
  CHECK(exchanges.mispaired.empty());
  CHECK(exchanges.unmatched == 0);
  CHECK(exchanges.ambiguous == 0);
  CHECK(exchanges.unclear_pattern == 0);
  CHECK(exchanges.without_extent == 0);
  CHECK(exchanges.messages_unmatched == 0);
  CHECK(exchanges.messages_ambiguous == 0);
  CHECK(exchanges.peers_unknown == 0);
}

/// Every request that is not persistent completes exactly once.
inline void check_requests(const trace::Trace& job) {
  for (const trace::RankTrace& rank : job.ranks) {
    std::map<std::int64_t, int> begun, completed;
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const std::string_view name = job.name(rank, e);
      if (const auto request = rank.field(Field::request).find(e); request && !name.ends_with("_init"))
        ++begun[*request];
      for (const std::int64_t request : match::parse_list(text_of(job, rank, Field::requests_text, e)))
        ++completed[request];
    }
    CAPTURE(rank.rank);
    CHECK(begun == completed);
  }
}

/// Calls of a thread follow one another, and end after they begin.
inline void check_order(const trace::Trace& job) {
  for (const trace::RankTrace& rank : job.ranks) {
    std::map<trace::LaneIndex, TimePs> ends;
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      CHECK(rank.duration[e] >= 0);
      const auto before = ends.find(rank.lane[e]);
      if (before != ends.end()) CHECK(rank.start[e] >= before->second);
      ends[rank.lane[e]] = rank.end(e);
    }
  }
}

}  // namespace orrery::testing
