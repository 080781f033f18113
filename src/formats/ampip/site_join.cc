#include "formats/ampip/site_join.h"

#include <algorithm>
#include <cmath>
#include <tuple>

// Rank by rank, lower ones first, since what is known of them orders the sites of the next. Within a rank first sites
// of which the report has this rank's own number, then the others in the order of their first call; both for exact
// fits, and then for traces that were cut short.

namespace orrery::ampip {
namespace {

using Joined = std::map<std::int64_t, const SiteTime*>;

/// A site on one rank, as the report has it.
struct Candidate {
  const SiteTime* time = nullptr;
  const SiteSize* size = nullptr;  // null: it sent nothing, or nothing that mpiP counts
  const ReportSite* site = nullptr;
  bool is_taken = false;
};

/// Sizes of reports have four digits.
bool sizes_agree(const LocalSite& local, const Candidate& candidate) {
  // Where one side tells no sizes, calls and counts have to do.
  if (!local.has_bytes || candidate.size == nullptr) return true;
  const double sum = candidate.size->sum_bytes;
  // A thousandth: half a unit of the last of four digits, with some room.
  return std::abs(local.sent_bytes - sum) <= 1e-3 * std::max(local.sent_bytes, sum);
}

/// A trace that was cut short has fewer calls than the report, and nothing else to go by but the function.
enum class Fit : std::uint8_t { exact, cut_short };

bool agree(const LocalSite& local, const Candidate& candidate, Fit fit) {
  if (candidate.is_taken || local.call != candidate.time->call) return false;
  if (fit == Fit::cut_short) return local.count < candidate.time->count;
  return local.count == candidate.time->count && sizes_agree(local, candidate);
}

class SiteJoin {
 public:
  SiteJoin(const std::vector<RankSites>& ranks, const Report& report) : ranks_(ranks), report_(report) {
    for (const SiteTime& time : report.site_times) {
      // Sums over all ranks belong to no trace.
      if (time.rank == kAllRanks) continue;
      times_[time.rank].push_back(&time);
      // The lowest rank that has a site gave it its number.
      const auto [owner, is_new] = owners_.try_emplace(time.site, time.rank);
      if (!is_new) owner->second = std::min(owner->second, time.rank);
    }
    for (const SiteSize& size : report.site_sizes) sizes_[{size.rank, size.site}] = &size;
  }

  std::vector<Joined> join() {
    for (const RankSites& rank : ranks_) joined_.push_back(join_rank(rank));
    return std::move(joined_);
  }

 private:
  std::vector<Candidate> candidates_of(std::int64_t rank) const {
    std::vector<Candidate> candidates;
    const auto times = times_.find(rank);
    if (times == times_.end()) return candidates;
    for (const SiteTime* const time : times->second) {
      const auto size = sizes_.find({rank, time->site});
      candidates.push_back({time, size == sizes_.end() ? nullptr : size->second, report_.find_site(time->site)});
    }
    return candidates;
  }

  /// The number that a lower rank gave the site, of the one that shares most sites with this; else TmpID.
  void sort_by_first_call(std::vector<Candidate>& candidates) const {
    const std::map<std::int64_t, std::int64_t>* reference = nullptr;
    std::size_t most = 0;
    for (const auto& numbers : numbers_) {
      const auto shared = static_cast<std::size_t>(std::count_if(
          candidates.begin(), candidates.end(), [&](const Candidate& c) { return numbers.contains(c.time->site); }));
      // The first of equals, which is the lowest rank.
      if (shared > most) reference = &numbers, most = shared;
    }
    const auto place = [&](const Candidate& candidate) {
      if (reference != nullptr) {
        if (const auto known = reference->find(candidate.time->site); known != reference->end()) return known->second;
      }
      return candidate.site != nullptr ? candidate.site->local_id.value_or(candidate.time->site) : candidate.time->site;
    };
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
      return std::tuple(place(a), a.time->site) < std::tuple(place(b), b.time->site);
    });
  }

  Joined join_rank(const RankSites& rank) {
    std::vector<Candidate> candidates = candidates_of(rank.rank);
    sort_by_first_call(candidates);
    Joined joined;
    for (const Fit fit : {Fit::exact, Fit::cut_short}) {
      join_by_number(rank, fit, candidates, joined);
      join_by_order(rank, fit, candidates, joined);
    }
    std::map<std::int64_t, std::int64_t>& numbers = numbers_.emplace_back();
    for (const auto& [number, time] : joined) numbers[time->site] = number;
    return joined;
  }

  /// TmpID is this rank's own number of the sites that no lower rank has.
  void join_by_number(const RankSites& rank, Fit fit, std::vector<Candidate>& candidates, Joined& joined) const {
    for (Candidate& candidate : candidates) {
      if (candidate.site == nullptr || !candidate.site->local_id || owners_.at(candidate.time->site) != rank.rank)
        continue;
      const auto local = std::find_if(rank.sites.begin(), rank.sites.end(),
                                      [&](const LocalSite& site) { return site.number == *candidate.site->local_id; });
      if (local == rank.sites.end() || joined.contains(local->number) || !agree(*local, candidate, fit)) continue;
      candidate.is_taken = true;
      joined[local->number] = candidate.time;
    }
  }

  static void join_by_order(const RankSites& rank, Fit fit, std::vector<Candidate>& candidates, Joined& joined) {
    for (const LocalSite& local : rank.sites) {
      if (joined.contains(local.number)) continue;
      const auto found = std::find_if(candidates.begin(), candidates.end(),
                                      [&](const Candidate& candidate) { return agree(local, candidate, fit); });
      if (found == candidates.end()) continue;
      found->is_taken = true;
      joined[local.number] = found->time;
    }
  }

  const std::vector<RankSites>& ranks_;
  const Report& report_;
  std::map<std::int64_t, std::vector<const SiteTime*>> times_;              // by rank
  std::map<std::pair<std::int64_t, std::int64_t>, const SiteSize*> sizes_;  // by rank and site
  std::map<std::int64_t, std::int64_t> owners_;                             // by site: the lowest rank that has it
  std::vector<std::map<std::int64_t, std::int64_t>> numbers_;  // by rank so far: from site to its number there
  std::vector<Joined> joined_;
};

}  // namespace

std::vector<Joined> join_sites(const std::vector<RankSites>& ranks, const Report& report) {
  return SiteJoin(ranks, report).join();
}

std::map<std::int64_t, std::string> name_sites(const Report& report) {
  // Two calls on one line have one text. They are numbered by first call, which is the same in another run; ids of
  // reports are not.
  std::map<std::string, std::vector<const ReportSite*>> by_text;
  for (const ReportSite& site : report.sites) by_text[stack_text(site)].push_back(&site);
  std::map<std::int64_t, std::string> names;
  for (auto& [text, sites] : by_text) {
    std::sort(sites.begin(), sites.end(), [](const ReportSite* a, const ReportSite* b) {
      return std::tuple(a->local_id.value_or(a->id), a->id) < std::tuple(b->local_id.value_or(b->id), b->id);
    });
    for (std::size_t i = 0; i < sites.size(); ++i)
      names[sites[i]->id] = text.empty() || i == 0 ? text : text + " #" + std::to_string(i + 1);
  }
  return names;
}

}  // namespace orrery::ampip
