#include "match/host_work_finder.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "match/group_order.h"
#include "match/host_work.h"
#include "match/number_table.h"
#include "match/rank_works.h"
#include "trace/trace.h"

// Threads and groups are both in the order in which they were made, so that giving threads to groups is cutting one
// list into as many parts. Every rank lists its possible cuts, best first; then what no other member of a group can
// agree with is struck out until nothing changes (arc consistency), and ranks that still have a choice decide one after
// the other.

namespace orrery::match {

// Which process group the worker threads of a host backend serve.

/// Sets HostWork::group and counts what had to be inferred. A rank of one group has no choice. Else, of all ways to
/// give the rank's worker threads to its groups, the best one that all members of every group agree with:
///   * Threads are numbered as they are made, and groups make theirs one after another: so both have the same order.
///   * The members of a group do the same collectives in the same order.
///   * The root of a collective is a member.
/// Better is, in this order: no more than two threads to a group, as gloo makes them; threads of a group that take
/// turns, as those that wait for one queue do; groups that were made are used, since that is what they were made for;
/// the world is left out. Where members cannot agree (a recording cut short), each rank's own best. Messages run on the
/// thread that asked and are of the first group. Collectives that did that too, where there are several groups, are
/// counted as unclear.
void find_worker_groups(const trace::Trace& trace, const ProcessGroups& groups, HostWorks& works);

namespace {

constexpr std::size_t kThreadsOfGroup = 2;  // what ProcessGroupGloo makes unless it is told otherwise
constexpr std::size_t kMostThreads = 32;    // of one rank; tables are quadratic in them
constexpr std::size_t kMostAssignments = 20'000;

/// Threads [begin, end) of a rank taken together.
struct ThreadRange {
  std::uint64_t tokens = 0;       ///< a hash of what they did in order; 0: nothing
  std::uint32_t out_of_turn = 0;  ///< times that a thread did two in a row
  std::int64_t largest_root = -1;
};

/// One way to give threads to groups: group g of the rank's list has the threads [cuts[g], cuts[g + 1]).
struct Assignment {
  std::vector<std::uint8_t> cuts;
  std::array<std::int32_t, 4> cost{};  ///< see the header; less is better
};

/// What one rank can tell by itself.
class RankWorkers {
 public:
  RankWorkers(const trace::Trace& trace, std::size_t place, const ProcessGroups& groups, std::vector<HostWork>& works)
      : rank_(trace.ranks[place]), content_(trace, rank_), works_(works) {
    for (std::size_t g = 0; g < rank_.source.groups.size(); ++g) numbers_.push_back(groups.number(place, g));
    for (const std::uint32_t number : numbers_) sizes_.push_back(groups.all()[number].ranks.size());
    for (const std::uint32_t number : numbers_) is_world_.push_back(groups.is_world(number));
    find_threads();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& groups() const { return numbers_; }
  [[nodiscard]] std::size_t group_count() const { return numbers_.size(); }

  /// Best first. None if there is too much to choose from, or nothing.
  std::vector<Assignment> assignments() {
    if (threads_.empty() || threads_.size() > kMostThreads || numbers_.empty() || numbers_.size() > 64) return {};
    fill_ranges();
    Assignment first;
    first.cuts.push_back(0);
    extend(first);
    if (too_many_) return {};
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Assignment& a, const Assignment& b) { return a.cost < b.cost; });
    return std::move(found_);
  }

  /// What the rank did in group g of its list.
  [[nodiscard]] std::uint64_t tokens(const Assignment& assignment, std::size_t g) const {
    return range(assignment.cuts[g], assignment.cuts[g + 1]).tokens;
  }

  void apply(const Assignment& assignment) {
    for (HostWork& work : works_) {
      const auto at = thread_of_.find(rank_.lane[work.event]);
      if (!is_worker_collective(work) || at == thread_of_.end()) continue;
      const auto after = std::upper_bound(assignment.cuts.begin(), assignment.cuts.end(), at->second);
      work.group = static_cast<std::uint32_t>(after - assignment.cuts.begin() - 1);
    }
  }

  /// Collectives that a worker thread did, not the one that asked.
  [[nodiscard]] bool is_worker_collective(const HostWork& work) const {
    return work.kind.kind == workload::ActivityKind::collective &&
           (work.call == kNoCall || rank_.lane[work.call] != rank_.lane[work.event]);
  }

 private:
  void find_threads() {
    std::set<std::pair<std::int64_t, std::uint32_t>> places;  // numbers of threads, then places of their lanes
    for (const HostWork& work : works_) {
      const trace::LaneIndex lane = rank_.lane[work.event];
      if (is_worker_collective(work)) places.emplace(rank_.lanes[lane].thread.number, content_.place(lane));
    }
    for (const auto& [number, place] : places) {
      const trace::LaneIndex lane = content_.lanes()[place];
      thread_of_.emplace(lane, static_cast<std::uint8_t>(std::min<std::size_t>(threads_.size(), kMostThreads)));
      threads_.push_back(lane);
    }
  }

  [[nodiscard]] ThreadRange& range(std::size_t begin, std::size_t end) {
    return ranges_[begin * (threads_.size() + 1) + end];
  }
  [[nodiscard]] const ThreadRange& range(std::size_t begin, std::size_t end) const {
    return ranges_[begin * (threads_.size() + 1) + end];
  }

  void fill_ranges() {
    ranges_.assign((threads_.size() + 1) * (threads_.size() + 1), {});
    const std::vector<std::uint32_t> order = order_of_issue(rank_, content_, works_);
    for (std::size_t begin = 0; begin < threads_.size(); ++begin) {
      for (std::size_t end = begin + 1; end <= threads_.size(); ++end) {
        ThreadRange& filled = range(begin, end);
        std::size_t before = kMostThreads;
        for (const std::uint32_t i : order) {
          const HostWork& work = works_[i];
          if (!is_worker_collective(work)) continue;
          const std::size_t thread = thread_of_.at(rank_.lane[work.event]);
          if (thread < begin || thread >= end) continue;
          // Odd, so that having done something never looks like having done nothing.
          filled.tokens = mix(filled.tokens + 1, token_of(work)) | 1;
          filled.out_of_turn += thread == before ? 1 : 0;
          filled.largest_root = std::max(filled.largest_root, work.peer);
          before = thread;
        }
      }
    }
  }

  /// All ways to go on from the groups that have their threads.
  void extend(Assignment& so_far) {
    if (too_many_) return;
    const std::size_t group = so_far.cuts.size() - 1, begin = so_far.cuts.back();
    if (group == numbers_.size()) {
      if (begin == threads_.size()) found_.push_back(so_far);
      too_many_ = found_.size() > kMostAssignments;
      return;
    }
    const std::array<std::int32_t, 4> cost = so_far.cost;
    for (std::size_t end = begin; end <= threads_.size(); ++end) {
      const ThreadRange& threads = range(begin, end);
      // A root that is no member excludes the range.
      if (threads.largest_root >= static_cast<std::int64_t>(sizes_[group]))
        break;  // more threads do not make the root smaller
      const bool used = end > begin;
      so_far.cost = cost;
      so_far.cost[0] += static_cast<std::int32_t>(end - begin > kThreadsOfGroup ? end - begin - kThreadsOfGroup : 0);
      so_far.cost[1] += static_cast<std::int32_t>(threads.out_of_turn);
      so_far.cost[2] -= used && !is_world_[group] ? 1 : 0;
      so_far.cost[3] += used && is_world_[group] ? 1 : 0;
      so_far.cuts.push_back(static_cast<std::uint8_t>(end));
      extend(so_far);
      so_far.cuts.pop_back();
    }
    so_far.cost = cost;
  }

  const trace::RankTrace& rank_;
  trace::ContentOrder content_;
  std::vector<HostWork>& works_;
  std::vector<std::uint32_t> numbers_;  // of the rank's groups in the job
  std::vector<std::size_t> sizes_;
  std::vector<bool> is_world_;
  std::vector<trace::LaneIndex> threads_;  // by number
  std::map<trace::LaneIndex, std::uint8_t> thread_of_;
  std::vector<ThreadRange> ranges_;
  std::vector<Assignment> found_;
  bool too_many_ = false;
};

/// Narrows down what each rank may choose until all members of every group agree.
class Agreement {
 public:
  explicit Agreement(const std::vector<RankWorkers>& ranks) : ranks_(ranks) {}

  using Choices = std::vector<std::vector<Assignment>>;  ///< by rank; none: the rank has no say

  /// One for each rank that has any. Falls back to each rank's own best.
  Choices choose(Choices choices) const {
    Choices own_best = choices;
    for (std::vector<Assignment>& rank : own_best) {
      if (rank.size() > 1) rank.resize(1);
    }
    // If what every rank likes best agrees already, nothing has to be searched.
    if (Choices best = own_best; narrow(best) || !narrow(choices)) return own_best;
    for (std::size_t r = 0; r < choices.size(); ++r) {
      if (choices[r].size() < 2) continue;
      bool settled = false;
      for (std::size_t i = 0; i < choices[r].size() && !settled; ++i) {
        Choices trial = choices;
        trial[r] = {choices[r][i]};
        settled = narrow(trial);
        if (settled) choices = std::move(trial);
      }
      if (!settled) return own_best;
    }
    return choices;
  }

 private:
  /// Leaves out what no choice of another member of some group agrees with, until nothing changes. False if nothing is
  /// left of a rank.
  bool narrow(Choices& choices) const {
    for (bool changed = true; changed;) {
      changed = false;
      const std::map<std::uint32_t, std::set<std::uint64_t>> possible = common(choices);
      for (std::size_t r = 0; r < choices.size(); ++r) {
        if (choices[r].empty()) continue;
        const std::size_t before = choices[r].size();
        std::erase_if(choices[r], [&](const Assignment& assignment) {
          for (std::size_t g = 0; g < ranks_[r].group_count(); ++g) {
            if (!possible.at(ranks_[r].groups()[g]).contains(ranks_[r].tokens(assignment, g))) return true;
          }
          return false;
        });
        if (choices[r].empty()) return false;
        changed = changed || choices[r].size() != before;
      }
    }
    return true;
  }

  /// By group: what all of its members may have done in it.
  [[nodiscard]] std::map<std::uint32_t, std::set<std::uint64_t>> common(const Choices& choices) const {
    std::map<std::uint32_t, std::set<std::uint64_t>> possible;
    for (std::size_t r = 0; r < choices.size(); ++r) {
      if (choices[r].empty()) continue;
      for (std::size_t g = 0; g < ranks_[r].group_count(); ++g) {
        std::set<std::uint64_t> here;
        for (const Assignment& assignment : choices[r]) here.insert(ranks_[r].tokens(assignment, g));
        const auto [at, is_new] = possible.try_emplace(ranks_[r].groups()[g], here);
        if (!is_new) std::erase_if(at->second, [&](std::uint64_t tokens) { return !here.contains(tokens); });
      }
    }
    return possible;
  }

  const std::vector<RankWorkers>& ranks_;
};

}  // namespace

void find_worker_groups(const trace::Trace& trace, const ProcessGroups& groups, HostWorks& works) {
  std::vector<RankWorkers> ranks;
  ranks.reserve(trace.ranks.size());
  Agreement::Choices choices;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    ranks.emplace_back(trace, r, groups, works.ranks[r]);
    choices.push_back(ranks.back().assignments());
  }
  const Agreement::Choices chosen = Agreement(ranks).choose(std::move(choices));
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (ranks[r].group_count() == 0) continue;
    if (!chosen[r].empty()) ranks[r].apply(chosen[r].front());
    for (HostWork& work : works.ranks[r]) {
      const bool is_collective = work.kind.kind == workload::ActivityKind::collective;
      if (ranks[r].group_count() == 1 || !is_collective) work.group = 0;
      else if (work.group == kNoGroup) ++works.group_unclear;
      else ++works.inferred;
    }
  }
}

namespace {

/// Recorders that write group and number beside the work itself (dumps of the Flight Recorder) leave nothing to infer.
/// False, and nothing is changed, if they do not for all of it.
bool take_told_groups(const trace::Trace& trace, HostWorks& works) {
  using trace::Field;
  HostWorks told = works;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const trace::RankTrace& rank = trace.ranks[r];
    std::map<std::int64_t, std::uint32_t> places;  // of groups in the rank's list, by the number of their name's text
    for (HostWork& work : told.ranks[r]) {
      const auto name = rank.field(Field::group_name_text).find(work.event);
      if (!name) return false;
      const auto [at, is_new] = places.try_emplace(*name, kNoGroup);
      if (is_new) {
        const auto listed =
            std::find_if(rank.source.groups.begin(), rank.source.groups.end(), [&](const trace::ProcessGroup& group) {
              return group.name == trace.strings.text(static_cast<StringId>(*name));
            });
        if (listed == rank.source.groups.end()) return false;
        at->second = static_cast<std::uint32_t>(listed - rank.source.groups.begin());
      }
      work.group = at->second;
      work.sequence = rank.field(Field::collective_sequence).find(work.event).value_or(kNoNumber);
      if (work.kind.kind == workload::ActivityKind::collective && work.sequence == kNoNumber) return false;
      if (work.peer == kNoNumber) work.peer = rank.field(Field::group_rank).find(work.event).value_or(kNoNumber);
    }
  }
  works = std::move(told);
  return true;
}

}  // namespace

HostWorks find_host_works(const trace::Trace& trace, const ProcessGroups& groups) {
  HostWorks works;
  const CommunicationNames names(trace.strings);
  if (!names.any_work) return works;
  for (const trace::RankTrace& rank : trace.ranks) works.ranks.push_back(find_rank_works(trace, rank, names));
  if (take_told_groups(trace, works)) return works;
  find_worker_groups(trace, groups, works);
  number_in_order(trace, groups, works);
  return works;
}

}  // namespace orrery::match
