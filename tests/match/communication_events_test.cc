#include "match/communication.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "align/alignment.h"
#include "formats/kineto/reader.h"
#include "match/exchange_finder.h"
#include "trace/select_events.h"

using namespace orrery;
using namespace orrery::match;

namespace {

trace::Trace recorded(const std::string& prefix, const std::string& suffix, int ranks) {
  std::vector<std::string> paths;
  for (int r = 0; r < ranks; ++r)
    paths.push_back(std::string(ORRERY_SOURCE_DIR) + "/data/" + prefix + std::to_string(r) + suffix);
  Diagnostics diagnostics;
  Result<trace::Trace> job = kineto::read_job(paths, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

/// The same texts, and of every rank its communication events alone.
trace::Trace sieved(const trace::Trace& whole) {
  trace::Trace part;
  part.epoch_unix_ns = whole.epoch_unix_ns;
  for (StringId id = 1; id < whole.strings.size(); ++id) part.strings.intern(whole.strings.text(id));
  for (const trace::RankTrace& rank : whole.ranks)
    part.ranks.push_back(trace::select_events(rank, communication_events(whole, rank)));
  return part;
}

/// Everything that Exchanges say, with events by their place in the file.
std::string described(const trace::Trace& trace, const Exchanges& exchanges) {
  std::string text;
  const auto add = [&](auto value) { text += std::to_string(value) + ' '; };
  const auto add_event = [&](std::uint32_t node, trace::EventIndex event) {
    add(event == kNoCall ? -1 : static_cast<std::int64_t>(trace.ranks[node].ordinal[event]));
  };
  for (const std::vector<Exchange>* list : {&exchanges.all, &exchanges.mispaired}) {
    for (const Exchange& exchange : *list) {
      text += std::string(trace.strings.text(exchange.name)) + ' ';
      add(exchange.operation), add(exchange.sequence), add(static_cast<int>(exchange.ordering)),
          add(exchange.by_pattern), add(exchange.root);
      for (std::uint32_t p = exchange.first; p < exchange.first + exchange.count; ++p) {
        const Participation& part = exchanges.parts[p];
        add(part.node), add_event(part.node, part.event), add(part.start_ps), add(part.end_ps),
            add_event(part.node, part.call);
        add(bytes_of(trace, part).value_or(-1));
      }
      text += '\n';
    }
  }
  for (const std::size_t count :
       {exchanges.operations.size(), exchanges.groups.size(), exchanges.unmatched, exchanges.ambiguous,
        exchanges.unclear_pattern, exchanges.without_extent, exchanges.messages_unmatched, exchanges.messages_ambiguous,
        exchanges.peers_unknown, exchanges.groups_inferred, exchanges.groups_unclear, exchanges.order_disagrees})
    add(count);
  return text;
}

void check_same(const trace::Trace& whole, bool is_smaller) {
  const trace::Trace part = sieved(whole);
  if (is_smaller) CHECK(part.ranks[0].event_count() < whole.ranks[0].event_count() / 2);
  const Exchanges expected = find_exchanges(whole);
  CHECK(described(part, find_exchanges(part)) == described(whole, expected));
  CHECK(!expected.all.empty());
  Diagnostics diagnostics;
  const Result<align::Alignment> a = align::align(whole, {}, {}, diagnostics),
                                 b = align::align(part, {}, {}, diagnostics);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  for (std::size_t r = 0; r < whole.ranks.size(); ++r) {
    for (const TimePs at : {whole.ranks[r].start[0], whole.ranks[r].start[whole.ranks[r].event_count() - 1]}) {
      CHECK(a->nodes[r].host.map(at) == b->nodes[r].host.map(at));
      CHECK(a->nodes[r].host.uncertainty(at) == b->nodes[r].host.uncertainty(at));
      CHECK(a->nodes[r].tracer.map(at) == b->nodes[r].tracer.map(at));
    }
  }
}

}  // namespace

TEST_CASE("a trace of its communication events alone has the same exchanges and clocks") {
  SUBCASE("all-reduces of hosts") { check_same(recorded("ddp4.rank", ".kineto.json.gz", 4), true); }
  SUBCASE("every kind of call") { check_same(recorded("calls4.rank", ".kineto.json.gz", 4), false); }
}

TEST_CASE("selected events keep their order and arguments") {
  const trace::Trace whole = recorded("calls4.rank", ".kineto.json.gz", 1);
  const trace::RankTrace& rank = whole.ranks[0];
  std::vector<std::uint8_t> is_kept(rank.event_count(), 0);
  for (std::size_t e = 0; e < is_kept.size(); e += 3) is_kept[e] = 1;
  const trace::RankTrace part = trace::select_events(rank, is_kept);
  REQUIRE(part.event_count() == (rank.event_count() + 2) / 3);
  for (trace::EventIndex e = 0; e < part.event_count(); ++e) {
    REQUIRE(part.start[e] == rank.start[3 * e]);
    REQUIRE(part.name[e] == rank.name[3 * e]);
    REQUIRE(part.ordinal[e] == rank.ordinal[3 * e]);
    for (const trace::FieldInfo& info : trace::kFields)
      REQUIRE(part.field(info.field).find(e) == rank.field(info.field).find(3 * e));
  }
}
