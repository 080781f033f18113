#include "align/collectives.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace orrery::align {
namespace {

using trace::Field;

struct Sighting {
  StringId kind;
  StringId name;
  StringId module;
  StringId group;
  std::int64_t sequence;
  std::uint32_t node;
  std::uint32_t lane;
  TimePs start;
  trace::EventIndex event;

  [[nodiscard]] auto key() const { return std::tie(kind, name, module, group, sequence); }
  [[nodiscard]] auto order() const { return std::tie(kind, name, module, group, sequence, node, lane, start, event); }
};

Ordering ordering_of(std::string_view kind) {
  const auto has = [&](std::string_view word) { return kind.find(word) != std::string_view::npos; };
  if (has("permute") || has("send") || has("recv")) return Ordering::neighbours;
  if (has("broadcast") || (has("scatter") && !has("reduce"))) return Ordering::root_first;
  if ((has("reduce") && !has("all") && !has("scatter")) || (has("gather") && !has("all"))) return Ordering::root_last;
  return Ordering::everybody_waits;
}

std::vector<Sighting> find_sightings(const trace::Trace& trace) {
  std::vector<Sighting> sightings;
  for (std::uint32_t node = 0; node < trace.ranks.size(); ++node) {
    const trace::RankTrace& rank = trace.ranks[node];
    const auto dense = [&](Field field, std::int64_t missing) { return rank.field(field).dense(rank.event_count(), missing); };
    const Column<std::int64_t> sequences = dense(Field::collective_sequence, -1), groups = dense(Field::group_name_text, 0);
    const Column<std::int64_t> operations = dense(Field::operation_text, 0), modules = dense(Field::module_text, 0);
    const trace::SparseColumn& kinds = rank.field(Field::collective_text);
    for (std::size_t i = 0; i < kinds.event.size(); ++i) {
      const trace::EventIndex event = kinds.event[i];
      if (sequences[event] == -1 || !rank.has_duration(event)) continue;
      const StringId name = operations[event] != 0 ? static_cast<StringId>(operations[event]) : rank.name[event];
      sightings.push_back({static_cast<StringId>(kinds.value[i]), name, static_cast<StringId>(modules[event]),
                           static_cast<StringId>(groups[event]), sequences[event], node, rank.lane[event], rank.start[event], event});
    }
  }
  std::sort(sightings.begin(), sightings.end(), [](const Sighting& a, const Sighting& b) { return a.order() < b.order(); });
  return sightings;
}

/// The occurrences of one name and number on one node, the n-th of every lane together: [n] is the one that ends first.
std::vector<const Sighting*> occurrences(const trace::RankTrace& rank, const Sighting* begin, const Sighting* end) {
  std::vector<const Sighting*> firsts;
  std::size_t n = 0;
  for (const Sighting* s = begin; s != end; ++s, ++n) {
    if (s != begin && s->lane != s[-1].lane) n = 0;
    if (n == firsts.size()) firsts.push_back(s);
    else if (rank.end(s->event) < rank.end(firsts[n]->event)) firsts[n] = s;
  }
  return firsts;
}

}  // namespace

MatchedCollectives match_collectives(const trace::Trace& trace) {
  const std::vector<Sighting> sightings = find_sightings(trace);
  MatchedCollectives matched;
  for (std::size_t begin = 0, end = 0; begin < sightings.size(); begin = end) {
    std::vector<std::vector<const Sighting*>> by_node;
    while (end < sightings.size() && sightings[end].key() == sightings[begin].key()) {
      const std::size_t node_begin = end;
      while (end < sightings.size() && sightings[end].key() == sightings[begin].key() && sightings[end].node == sightings[node_begin].node)
        ++end;
      by_node.push_back(occurrences(trace.ranks[sightings[node_begin].node], &sightings[node_begin], sightings.data() + end));
    }
    if (by_node.size() < 2) {
      ++matched.unmatched;
      continue;
    }
    const std::size_t times = by_node[0].size();
    if (std::any_of(by_node.begin(), by_node.end(), [&](const auto& list) { return list.size() != times; })) {
      ++matched.ambiguous;
      continue;
    }
    for (std::size_t n = 0; n < times; ++n) {
      MatchedCollective collective;
      const Sighting& first = *by_node[0][n];
      collective.name = first.name;
      collective.sequence = first.sequence;
      collective.ordering = ordering_of(trace.strings.text(first.kind));
      collective.first = static_cast<std::uint32_t>(matched.parts.size());
      for (const auto& list : by_node) {
        const Sighting& seen = *list[n];
        const trace::RankTrace& rank = trace.ranks[seen.node];
        matched.parts.push_back({seen.node, seen.event, rank.start[seen.event], rank.end(seen.event), rank.lanes[seen.lane].clock});
      }
      collective.count = static_cast<std::uint32_t>(by_node.size());
      matched.collectives.push_back(collective);
    }
  }
  return matched;
}

}  // namespace orrery::align
