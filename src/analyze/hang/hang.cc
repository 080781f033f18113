#include "analyze/hang/hang.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/wait_chain.h"

namespace orrery::analyze {
namespace {

/// A call as one rank makes it again and again: what, with whom, of which size.
struct CallClass {
  std::uint32_t group = 0;
  CallSignature signature;
  std::int64_t peer = -1;
  auto operator<=>(const CallClass&) const = default;
};

CallClass class_of(const JobCalls& job, const RecordedCall& call) {
  return {call.group, signature_of(job, call), call.is_message ? call.peer : -1};
}

/// Whether the rank left out `awaited`, which others wait for it in: in its own list such a call always came behind a
/// certain other call, but once did not, though something else followed.
bool has_skipped(const JobCalls& job, const RankCalls& rank, const RecordedCall& awaited) {
  const CallClass wanted = class_of(job, awaited);
  std::vector<CallClass> list;
  list.reserve(rank.calls.size());
  for (const RecordedCall& call : rank.calls) list.push_back(class_of(job, call));
  std::set<CallClass> before;
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i] == wanted) before.insert(list[i - 1]);
  }
  if (before.size() != 1) return false;
  std::size_t passed_by = 0;
  for (std::size_t i = 1; i < list.size(); ++i)
    passed_by += list[i - 1] == *before.begin() && list[i] != wanted ? 1 : 0;
  return passed_by == 1;
}

class Judge {
 public:
  explicit Judge(const JobCalls& job) : job_(job) {}

  Hang judge() {
    find_states();
    if (!any_entry_) {
      hang_.verdict = Verdict::unrecorded;
      return std::move(hang_);
    }
    hang_.arrows = find_arrows(job_);
    if (std::optional<Mismatch> mismatch = find_mismatch(job_)) take_mismatch(std::move(*mismatch));
    else if (!find_sinks() && !find_circle()) find_rest();
    return std::move(hang_);
  }

 private:
  void find_states() {
    for (const RankCalls& rank : job_.ranks) {
      any_entry_ = any_entry_ || !rank.calls.empty();
      const auto has = [&](CallState state) {
        return std::any_of(rank.calls.begin(), rank.calls.end(),
                           [&](const RecordedCall& call) { return call.state == state; });
      };
      hang_.states.push_back(!rank.has_dumped         ? RankState::gone
                             : has(CallState::inside) ? RankState::waiting
                             : has(CallState::queued) ? RankState::device
                                                      : RankState::idle);
    }
  }

  /// The call of a member of the group that has this number.
  [[nodiscard]] std::optional<CallPlace> call_in(std::uint32_t group, std::int64_t number, std::int64_t of_rank) const {
    for (const MemberCalls& member : job_.members[group]) {
      const RecordedCall* const call = job_.find(member, number);
      if (call == nullptr || (of_rank >= 0 && job_.ranks[member.rank].rank != of_rank)) continue;
      return CallPlace{member.rank, static_cast<std::uint32_t>(call - job_.ranks[member.rank].calls.data())};
    }
    return std::nullopt;
  }

  void take_mismatch(Mismatch mismatch) {
    hang_.verdict = Verdict::mismatch;
    hang_.culprits = mismatch.culprits;
    // What the others called is the operation to name.
    for (const MemberCalls& member : job_.members[mismatch.group]) {
      const std::int64_t rank = job_.ranks[member.rank].rank;
      const bool is_culprit = std::binary_search(mismatch.culprits.begin(), mismatch.culprits.end(), rank);
      if (!hang_.operation && !is_culprit) hang_.operation = call_in(mismatch.group, mismatch.number, rank);
    }
    if (!hang_.operation) hang_.operation = call_in(mismatch.group, mismatch.number, -1);
    std::vector<std::uint8_t> ends(job_.ranks.size(), 0);
    for (const std::int64_t rank : mismatch.culprits) ends[job_.place_of(rank)] = 1;
    hang_.chain = longest_chain(hang_.arrows, ends);
    hang_.mismatch = std::move(mismatch);
  }

  /// Ranks that others wait for and that wait for nobody.
  bool find_sinks() {
    const std::vector<std::uint8_t> reached = waited_for(hang_.arrows);
    for (const auto& [state, verdict] : {std::pair{RankState::gone, Verdict::gone},
                                         {RankState::idle, Verdict::not_arrived},
                                         {RankState::device, Verdict::device}}) {
      std::vector<std::uint8_t> ends(job_.ranks.size(), 0);
      for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        if (reached[r] == 0 || hang_.states[r] != state) continue;
        ends[r] = 1;
        hang_.culprits.push_back(job_.ranks[r].rank);
      }
      if (hang_.culprits.empty()) continue;
      hang_.verdict = verdict;
      hang_.chain = longest_chain(hang_.arrows, ends);
      // Where all who wait for them also wait in a circle, the first arrow to one of them is the whole chain.
      for (std::uint32_t r = 0; r < hang_.arrows.size() && hang_.chain.empty(); ++r) {
        for (const Arrow& arrow : hang_.arrows[r]) {
          if (hang_.chain.empty() && ends[arrow.target] != 0) hang_.chain.push_back({r, arrow.target, arrow.call});
        }
      }
      hang_.operation = CallPlace{hang_.chain.back().rank, hang_.chain.back().call};
      return true;
    }
    return false;
  }

  bool find_circle() {
    const std::vector<std::uint32_t> circle = ranks_in_circles(hang_.arrows);
    if (circle.empty()) return false;
    for (const std::uint32_t r : circle) {
      if (take_skipped(r)) return true;
    }
    hang_.verdict = Verdict::circle;
    for (const std::uint32_t r : circle) hang_.culprits.push_back(job_.ranks[r].rank);
    // Once round, from the lowest of them.
    const auto step_of = [&](std::uint32_t r) -> ChainStep {
      const auto next = std::find_if(hang_.arrows[r].begin(), hang_.arrows[r].end(), [&](const Arrow& arrow) {
        return std::binary_search(circle.begin(), circle.end(), arrow.target);
      });
      return {r, next->target, next->call};
    };
    hang_.chain =
        follow_waits(
            step_of(circle.front()), [&](const ChainStep& step) { return std::optional(step_of(step.target)); },
            [](const ChainStep& step) { return step.rank; })
            .waiters;
    hang_.operation = CallPlace{hang_.chain.front().rank, hang_.chain.front().call};
    return true;
  }

  /// Others wait for the rank in a collective that it left out.
  bool take_skipped(std::uint32_t skipper) {
    for (std::uint32_t r = 0; r < hang_.arrows.size(); ++r) {
      for (const Arrow& arrow : hang_.arrows[r]) {
        const RecordedCall& awaited = job_.ranks[r].calls[arrow.call];
        if (arrow.target != skipper || awaited.is_message) continue;
        if (!has_skipped(job_, job_.ranks[skipper], awaited)) continue;
        hang_.verdict = Verdict::mismatch;
        hang_.culprits.assign(1, job_.ranks[skipper].rank);
        hang_.operation = CallPlace{r, arrow.call};
        hang_.chain = {{r, skipper, arrow.call}};
        Mismatch mismatch{.group = awaited.group,
                          .number = awaited.number,
                          .culprits = hang_.culprits,
                          .expected = awaited,
                          .found = job_.ranks[skipper].calls.back()};
        mismatch.difference = Difference::skipped;
        hang_.mismatch = std::move(mismatch);
        return true;
      }
    }
    return false;
  }

  /// The first made call in this state.
  [[nodiscard]] std::optional<CallPlace> first_in(CallState state) const {
    std::optional<CallPlace> first;
    std::int64_t called_ns = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
      const std::vector<RecordedCall>& calls = job_.ranks[r].calls;
      for (std::uint32_t c = 0; c < calls.size(); ++c) {
        if (calls[c].state != state || calls[c].called_ns >= called_ns) continue;
        first = CallPlace{r, c};
        called_ns = calls[c].called_ns;
      }
    }
    return first;
  }

  /// Nobody is missing.
  void find_rest() {
    if (const auto inside = first_in(CallState::inside)) {
      hang_.verdict = Verdict::transfer;
      hang_.operation = inside;
    } else if (const auto queued = first_in(CallState::queued)) {
      hang_.verdict = Verdict::device;
      hang_.operation = queued;
      for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        if (hang_.states[r] == RankState::device) hang_.culprits.push_back(job_.ranks[r].rank);
      }
    }
  }

  const JobCalls& job_;
  Hang hang_;
  bool any_entry_ = false;
};

}  // namespace

std::string_view identifier(Verdict verdict) {
  switch (verdict) {
    case Verdict::complete: return "complete";
    case Verdict::not_arrived: return "not_arrived";
    case Verdict::gone: return "gone";
    case Verdict::device: return "device";
    case Verdict::mismatch: return "mismatch";
    case Verdict::circle: return "circle";
    case Verdict::transfer: return "transfer";
    case Verdict::unrecorded: return "unrecorded";
  }
  return "";
}

std::string_view identifier(RankState state) {
  switch (state) {
    case RankState::waiting: return "waiting";
    case RankState::idle: return "idle";
    case RankState::device: return "device";
    case RankState::gone: return "gone";
  }
  return "";
}

Hang find_hang(const JobCalls& job) { return Judge(job).judge(); }

}  // namespace orrery::analyze
