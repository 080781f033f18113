#include "match/unnumbered.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/parallel.h"
#include "match/number_table.h"
#include "match/pattern_pairing.h"

// Per group the rank that recorded most is the reference; every other is paired with it by the pattern of its ends
// (pattern_pairing.h), in parallel, and collectives get numbers in the order of ranks and places, whatever finished
// first.

namespace orrery::match {
namespace {

using trace::Field;

struct GroupKey {
  StringId group = 0;
  StringId ranks = 0;
  std::uint32_t members = kNoGroup;
  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  [[nodiscard]] std::uint64_t hash() const { return mix(mix(mix(3, group), ranks), members); }
};

struct TokenKey {
  std::uint32_t operation = 0;
  std::int64_t elements = 0;
  friend bool operator==(const TokenKey&, const TokenKey&) = default;
  [[nodiscard]] std::uint64_t hash() const { return mix(mix(4, operation), static_cast<std::uint64_t>(elements)); }
};

struct Seen {
  std::uint32_t group = 0;
  std::uint32_t node = 0;
  TimePs start = 0;
  TimePs end = 0;
  std::uint32_t token = 0;  ///< over all groups
  std::uint32_t lane = 0;
  std::size_t sighting = 0;

  [[nodiscard]] auto order() const { return std::tuple(group, node, end, sighting); }
};

/// What one node recorded of a group, in order of its ends.
using SeenSeries = std::vector<Seen>;

std::vector<PatternEvent> beats_of(const SeenSeries& series, const std::vector<std::uint32_t>& local_token) {
  std::vector<PatternEvent> beats;
  beats.reserve(series.size());
  for (const Seen& seen : series) beats.push_back({seen.end, local_token[seen.token]});
  return beats;
}

/// Several devices of a node do the same at the same time: of events of one token that overlap on different lanes only
/// the first to end stays. (One lane after the other means nothing: a pool of threads takes turns.)
SeenSeries once_per_node(SeenSeries series) {
  // RecordedCommunication of a node are in the order of their starts already, and of equal ones in one of content.
  std::sort(series.begin(), series.end(), [](const Seen& a, const Seen& b) {
    return std::tuple(a.token, a.sighting) < std::tuple(b.token, b.sighting);
  });
  SeenSeries kept;
  for (const Seen& seen : series) {
    const bool repeats = !kept.empty() && kept.back().token == seen.token && kept.back().lane != seen.lane &&
                         seen.start < kept.back().end;
    // The first to end: that is when the node knew that everybody had come.
    if (!repeats) kept.push_back(seen);
    else if (seen.end < kept.back().end) kept.back() = seen;
  }
  std::sort(kept.begin(), kept.end(), [](const Seen& a, const Seen& b) { return a.order() < b.order(); });
  return kept;
}

class Unnumbered {
 public:
  Unnumbered(const trace::Trace& trace, const RecordedCommunication& sightings)
      : trace_(trace), sightings_(sightings) {}

  UnnumberedPairs pair() {
    collect();
    for (auto begin = seen_.begin(); begin != seen_.end();) {
      const auto end = std::find_if(begin, seen_.end(), [&](const Seen& s) { return s.group != begin->group; });
      std::vector<SeenSeries> nodes;
      for (auto node = begin; node != end;) {
        const auto node_end = std::find_if(node, end, [&](const Seen& s) { return s.node != node->node; });
        nodes.push_back(once_per_node(SeenSeries(node, node_end)));
        node = node_end;
      }
      // A group that only one node recorded has nobody to be paired with.
      if (nodes.size() > 1) pair_group(nodes);
      begin = end;
    }
    return std::move(out_);
  }

 private:
  void collect() {
    NumberTable<GroupKey> groups;
    NumberTable<TokenKey> tokens;
    for (std::uint32_t node = 0; node < trace_.ranks.size(); ++node) {
      const trace::RankTrace& rank = trace_.ranks[node];
      for (std::size_t i = sightings_.first_of_node[node]; i < sightings_.first_of_node[node + 1]; ++i) {
        const CollectiveRecord& sighting = sightings_.all[i];
        // Those are paired already, and surely.
        if (sighting.sequence != kNoNumber) continue;
        const Operation& operation = sightings_.operations[sighting.operation];
        const TokenKey token{sighting.operation, elements(rank, operation, sighting.event)};
        seen_.push_back({groups.number_of({operation.group, operation.ranks, operation.members}), node,
                         rank.start[sighting.event], rank.end(sighting.event), tokens.number_of(token),
                         rank.lane[sighting.event], i});
      }
    }
    std::sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) { return a.order() < b.order(); });
    local_token_.resize(tokens.keys().size());
  }

  /// How much is sent, of kinds of which everybody sends as much.
  [[nodiscard]] std::int64_t elements(const trace::RankTrace& rank, const Operation& operation,
                                      trace::EventIndex event) const {
    const std::string_view kind = kind_of(trace_, operation);
    // Of other kinds ranks may send different amounts, which would tell apart what is one.
    const bool is_even = kind.starts_with("allreduce") || kind.starts_with("all_reduce") ||
                         kind.find("broadcast") != std::string_view::npos;
    const bool is_host =
        is_host_communication(trace_.strings.text(operation.name));  // that is the name of a kind, not of one operation
    return (operation.name == 0 || is_host) && is_even ? rank.field(Field::in_elements).find(event).value_or(0) : 0;
  }

  void pair_group(const std::vector<SeenSeries>& nodes) {
    // The longest recording is the likeliest to have all that any other has.
    const auto longest = std::max_element(nodes.begin(), nodes.end(),
                                          [](const SeenSeries& a, const SeenSeries& b) { return a.size() < b.size(); });
    const SeenSeries& reference = *longest;
    number_tokens(nodes);
    const std::vector<PatternEvent> reference_beats = beats_of(reference, local_token_);
    std::vector<PatternPairing> pairings(nodes.size());
    parallel_for(nodes.size(), [&](std::size_t i) {
      if (&nodes[i] != &*longest) pairings[i] = pair_by_pattern(reference_beats, beats_of(nodes[i], local_token_));
    });
    std::vector<std::uint32_t> collective_of(reference.size(), kNotPaired);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      out_.unclear += pairings[i].unclear;
      for (std::size_t k = 0; k < pairings[i].partner.size(); ++k) {
        const std::uint32_t place = pairings[i].partner[k];
        if (place == PatternPairing::kNone) continue;
        if (collective_of[place] == kNotPaired) collective_of[place] = add_collective(reference[place], place);
        out_.pairs.push_back({nodes[i][k].sighting, collective_of[place]});
      }
    }
  }

  /// Tokens of this group from 0 on.
  void number_tokens(const std::vector<SeenSeries>& nodes) {
    std::fill(local_token_.begin(), local_token_.end(), kNotPaired);
    std::uint32_t next = 0;
    for (const SeenSeries& series : nodes) {
      for (const Seen& seen : series) {
        if (local_token_[seen.token] == kNotPaired) local_token_[seen.token] = next++;
      }
    }
  }

  std::uint32_t add_collective(const Seen& reference, std::uint32_t place) {
    const auto collective = static_cast<std::uint32_t>(out_.collectives.size());
    out_.collectives.push_back({sightings_.all[reference.sighting].operation, place});
    out_.pairs.push_back({reference.sighting, collective});
    return collective;
  }

  const trace::Trace& trace_;
  const RecordedCommunication& sightings_;
  std::vector<Seen> seen_;
  std::vector<std::uint32_t> local_token_;
  UnnumberedPairs out_;
};

}  // namespace

UnnumberedPairs pair_unnumbered(const trace::Trace& trace, const RecordedCommunication& sightings) {
  return Unnumbered(trace, sightings).pair();
}

}  // namespace orrery::match
