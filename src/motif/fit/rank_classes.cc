#include "motif/fit/rank_classes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "motif/motif.h"

// Partitions of a grid of ranks are tried from the coarsest on: the first in which ranks of a class make the same calls
// holds, if there is none the first in which they have the same sites. Partners of messages are narrowed down call by
// call to the simplest rule that fits all.

namespace orrery::motif::fit {
namespace {

using Signature = std::map<std::uint32_t, double>;  // calls per site

struct ClassShape {
  Members members;
  std::string_view share;
};
using Partition = std::vector<ClassShape>;

/// From the coarsest on; a rank belongs to the first class that has it.
const std::vector<Partition>& partitions() {
  static const std::vector<Partition> all = {
      {{Members::all, "1"}},
      {{Members::diagonal, "1/q"}, {Members::off_diagonal, "1 - 1/q"}},
      {{Members::first, "1/p"}, {Members::others, "1 - 1/p"}},
      {{Members::last, "1/p"}, {Members::others, "1 - 1/p"}},
      {{Members::first, "1/p"}, {Members::last, "1/p"}, {Members::others, "1 - 2/p"}},
      {{Members::corner, "min(1, 4/p)"},
       {Members::edge, "4*max(0, q - 2)/p"},
       {Members::interior, "max(0, q - 2)^2/p"}},
      {{Members::first, "1/p"}, {Members::diagonal, "1/q - 1/p"}, {Members::others, "1 - 1/q"}},
  };
  return all;
}

std::size_t cell_of(const Partition& partition, const RankRun& rank) {
  for (std::size_t i = 0; i < partition.size(); ++i) {
    if (is_member(partition[i].members, rank.rank, rank.ranks)) return i;
  }
  return partition.size();
}

/// Ranks of one run and one class have one signature.
bool holds(const Partition& partition, const std::vector<RankRun>& ranks, const std::vector<Signature>& signatures) {
  std::map<std::pair<std::string, std::size_t>, const Signature*> seen;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto [found, is_new] = seen.emplace(std::pair(ranks[i].name, cell_of(partition, ranks[i])), &signatures[i]);
    if (!is_new && *found->second != signatures[i]) return false;
  }
  return true;
}

const Partition& choose_partition(const std::vector<RankRun>& ranks) {
  std::vector<Signature> counts(ranks.size()), presence(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const CallRecord& call : ranks[i].calls) {
      ++counts[i][call.site];
      presence[i][call.site] = 1;
    }
  }
  for (const auto* signatures : {&counts, &presence}) {
    for (const Partition& partition : partitions()) {
      if (holds(partition, ranks, *signatures)) return partition;
    }
  }
  return partitions().front();
}

void add_rank(ClassRun& into, const RankRun& rank) {
  std::uint32_t previous = 0;
  for (const CallRecord& call : rank.calls) {
    EdgeTimes& times = into.edges[{previous, call.site}];
    times.least_us = times.count == 0 ? call.time_us : std::min(times.least_us, call.time_us);
    ++times.count;
    times.sum_us += call.time_us;
    times.compute_us += call.compute_us;
    times.compute_is_known = rank.compute_is_known;
    SiteBytes& bytes = into.bytes[call.site];
    ++bytes.calls;
    bytes.sum += call.bytes;
    previous = call.site;
  }
  into.last_site = previous;
  if (into.sequence.empty()) {
    for (const CallRecord& call : rank.calls) into.sequence.push_back(call.site);
    into.sequence_bytes.assign(rank.calls.size(), 0);
  }
  // Ranks of a class make the same calls; where they do so in another order, the first speaks for them.
  if (rank.calls.size() != into.sequence.size()) return;
  for (std::size_t i = 0; i < rank.calls.size(); ++i) {
    if (rank.calls[i].site == into.sequence[i]) into.sequence_bytes[i] += rank.calls[i].bytes;
  }
}

void divide(ClassRun& run, double by) {
  for (auto& [edge, times] : run.edges) {
    times.count /= by;
    times.sum_us /= by;
    times.compute_us /= by;
  }
  for (double& bytes : run.sequence_bytes) bytes /= by;
  for (auto& [site, bytes] : run.bytes) {
    bytes.calls /= by;
    bytes.sum /= by;
  }
}

// ---- partners ----

/// What one site's calls have in common, narrowed down call by call.
struct PeerEvidence {
  bool self = true, opposite = true, in_row = true, in_column = true, grid = true, square = true;
  std::optional<std::int64_t> shift, row_shift, column_shift, fixed;
  bool shift_holds = true, row_shift_holds = true, column_shift_holds = true, fixed_holds = true;
  std::size_t calls = 0;

  void add(std::uint64_t rank, std::uint64_t ranks, std::int64_t target) {
    ++calls;
    const auto columns = static_cast<std::int64_t>(ranks / grid_rows(ranks)),
               rows = static_cast<std::int64_t>(grid_rows(ranks));
    const auto from = static_cast<std::int64_t>(rank), all = static_cast<std::int64_t>(ranks);
    const std::int64_t row = from / columns, column = from % columns, to_row = target / columns,
                       to_column = target % columns;
    const auto narrow = [](std::optional<std::int64_t>& value, bool& still_holds, std::int64_t seen) {
      if (!value) value = seen;
      still_holds = still_holds && *value == seen;
    };
    // A distance around the ends, from the middle: one step back is -1 in every grid, and not 8 of 9.
    const auto around = [](std::int64_t distance, std::int64_t size) {
      const std::int64_t wrapped = ((distance % size) + size) % size;
      return wrapped * 2 > size ? wrapped - size : wrapped;
    };
    self = self && target == from;
    square = square && rows == columns;
    opposite = opposite && rows == columns && to_row == column && to_column == row;
    in_row = in_row && to_row == row;
    in_column = in_column && to_column == column;
    grid = grid && std::abs(to_row - row) + std::abs(to_column - column) == 1;
    narrow(shift, shift_holds, around(target - from, all));
    narrow(fixed, fixed_holds, target);
    narrow(row_shift, row_shift_holds, around(to_column - column, columns));
    narrow(column_shift, column_shift_holds, around(to_row - row, rows));
  }

  void decide(Site& site) const {
    if (calls == 0) return;
    const auto set = [&](Peer peer, std::int64_t offset) {
      site.peer = peer;
      site.peer_offset = offset;
    };
    if (self) return set(Peer::self, 0);
    if (opposite) return set(Peer::opposite, 0);
    if (in_row && row_shift_holds) return set(Peer::row_shift, *row_shift);
    if (in_column && column_shift_holds) return set(Peer::column_shift, *column_shift);
    if (shift_holds) return set(Peer::shift, *shift);
    if (fixed_holds) return set(Peer::fixed, *fixed);
    if (grid) return set(Peer::grid, 0);
    if (in_row) return set(Peer::row_each, 0);
    if (in_column) return set(Peer::column_each, 0);
    set(Peer::any, 0);
  }
};

}  // namespace

std::vector<ClassObservation> classify_ranks(const std::vector<RankRun>& ranks) {
  const Partition& partition = choose_partition(ranks);
  std::vector<ClassObservation> classes(partition.size());
  std::vector<std::map<std::string, std::size_t>> places(partition.size());
  std::vector<std::vector<double>> members(partition.size());
  for (std::size_t i = 0; i < partition.size(); ++i) {
    classes[i].name = std::string(kMembersNames[static_cast<std::size_t>(partition[i].members)]);
    classes[i].members = partition[i].members;
    classes[i].share = Formula::composed(partition[i].share);
  }
  for (const RankRun& rank : ranks) {
    const std::size_t cell = cell_of(partition, rank);
    const auto [found, is_new] = places[cell].emplace(rank.name, classes[cell].runs.size());
    if (is_new) {
      classes[cell].runs.push_back({.run = rank.run, .name = rank.name});
      members[cell].push_back(0);
    }
    add_rank(classes[cell].runs[found->second], rank);
    ++members[cell][found->second];
  }
  for (std::size_t cell = 0; cell < classes.size(); ++cell) {
    for (std::size_t run = 0; run < classes[cell].runs.size(); ++run)
      divide(classes[cell].runs[run], members[cell][run]);
  }
  // A class that no run has (the interior of a 2 x 2 grid) is not known.
  std::erase_if(classes, [](const ClassObservation& one) { return one.runs.empty(); });
  return classes;
}

void find_site_patterns(const std::vector<RankRun>& ranks, std::vector<Site>& sites) {
  std::map<std::uint32_t, PeerEvidence> peers;
  std::map<std::uint32_t, std::map<Group, std::size_t>> groups;
  for (const RankRun& rank : ranks) {
    for (const CallRecord& call : rank.calls) {
      if (call.peer >= 0) peers[call.site].add(rank.rank, rank.ranks, call.peer);
      ++groups[call.site][call.group];
    }
  }
  for (Site& site : sites) {
    if (const auto found = peers.find(site.id); found != peers.end()) found->second.decide(site);
    const auto& seen = groups[site.id];
    site.group = seen.size() == 1 ? seen.begin()->first : Group::unknown;
  }
}

}  // namespace orrery::motif::fit
