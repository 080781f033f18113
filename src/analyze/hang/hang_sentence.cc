#include <fmt/format.h>

#include "analyze/hang/hang.h"
#include "base/units.h"

namespace orrery::analyze {
namespace {

/// "rank 3", "ranks 1 and 2", "ranks 0, 1, ... and 12 others".
std::string ranks_text(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kNamed = 32;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  const std::size_t named = ranks.size() <= kNamed ? ranks.size() : kNamed;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == ranks.size();
    text += fmt::format("{}{}", i == 0 ? "" : is_last ? " and " : ", ", ranks[i]);
  }
  if (named < ranks.size()) text += fmt::format(" and {} others", ranks.size() - named);
  return text;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string group_text(const CallGroup& group) {
  if (group.description == "default_pg") return group.description;
  if (group.description.empty() || group.description == "undefined") return "group " + group.name;
  return fmt::format("group {} ({})", group.name, group.description);
}

std::string chain_text(const JobCalls& job, const std::vector<ChainStep>& chain) {
  std::string text;
  for (const ChainStep& step : chain) {
    const RankCalls& waiter = job.ranks[step.rank];
    text += fmt::format("{}rank {} waits for rank {} in {}", text.empty() ? "" : "; ", waiter.rank,
                        job.ranks[step.target].rank, call_text(job, waiter.calls[step.call]));
  }
  return text;
}

std::string where_text(const JobCalls& job, const RecordedCall& call) {
  return call.where == 0 ? "" : fmt::format(" ({})", job.text(call.where));
}

/// "its last call, all_reduce #14 of default_pg (train.py:73 in body), is complete".
std::string last_call_text(const JobCalls& job, std::int64_t rank) {
  const RankCalls& calls = job.ranks[job.place_of(rank)];
  if (calls.calls.empty()) return "it has called nothing";
  const RecordedCall& last = calls.calls.back();
  const std::string_view state = last.state == CallState::done     ? "complete"
                                 : last.state == CallState::inside ? "not over"
                                                                   : "not begun";
  return fmt::format("its last call, {}{}, is {}", call_text(job, last), where_text(job, last), state);
}

std::string_view difference_text(Difference difference) {
  switch (difference) {
    case Difference::op: return "another operation";
    case Difference::size: return "another size";
    case Difference::dtype: return "another type";
    case Difference::skipped: return "it left out a call";
    case Difference::extra: return "it made a call that the others did not make";
    case Difference::order: return "it made two calls in the other order";
  }
  return "";
}

std::string mismatch_text(const JobCalls& job, const Hang& hang) {
  const Mismatch& mismatch = *hang.mismatch;
  const RankCalls& first = job.ranks[job.place_of(mismatch.culprits.front())];
  const std::string who = capital(ranks_text(mismatch.culprits));
  const RecordedCall& found = mismatch.found;
  const bool is_same_call = found.group == mismatch.group && found.number == mismatch.number;
  // What was left out of one group shows in another: there is nothing to hold against it.
  if (!is_same_call)
    return fmt::format("{} left out {}{}: {}; {}.", who, call_text(job, mismatch.expected),
                       where_text(job, mismatch.expected), chain_text(job, hang.chain),
                       last_call_text(job, first.rank));
  return fmt::format("{} called {}{} as #{} of {}, where the others called {}{}: {}.", who, content_text(job, found),
                     where_text(job, found), mismatch.number, group_text(job.groups[mismatch.group]),
                     content_text(job, mismatch.expected), where_text(job, mismatch.expected),
                     difference_text(mismatch.difference));
}

std::string missing_text(const JobCalls& job, const Hang& hang, std::string_view what) {
  const RecordedCall& call = job.ranks[hang.operation->rank].calls[hang.operation->call];
  std::string text = fmt::format("{} {} {}: {}", capital(ranks_text(hang.culprits)), what, call_text(job, call),
                                 chain_text(job, hang.chain));
  if (hang.culprits.size() == 1 && hang.verdict == Verdict::not_arrived)
    text += "; " + last_call_text(job, hang.culprits.front());
  return text + ".";
}

}  // namespace

std::string call_text(const JobCalls& job, const RecordedCall& call) {
  return fmt::format("{} #{} of {}", job.text(call.what), call.number, group_text(job.groups[call.group]));
}

std::string content_text(const JobCalls& job, const RecordedCall& call) {
  const std::string_view what = job.text(call.what);
  if (call.in_elements < 0) return std::string(what);
  const std::string_view type = job.text(call.in_type);
  if (call.out_elements < 0 || call.out_elements == call.in_elements)
    return fmt::format("{} of {} {}", what, format_count(static_cast<std::uint64_t>(call.in_elements)),
                       type.empty() ? "elements" : type);
  return fmt::format("{} of {} to {} {}", what, format_count(static_cast<std::uint64_t>(call.in_elements)),
                     format_count(static_cast<std::uint64_t>(call.out_elements)), type.empty() ? "elements" : type);
}

std::string sentence_of(const JobCalls& job, const Hang& hang) {
  switch (hang.verdict) {
    case Verdict::complete: return "Every recorded call is complete.";
    case Verdict::unrecorded:
      return "The dumps hold no entries: the backend recorded none of what the job did, so nothing can be said.";
    case Verdict::not_arrived: return missing_text(job, hang, "did not come to");
    case Verdict::gone: return missing_text(job, hang, "left no dump and did not come to");
    case Verdict::mismatch: return mismatch_text(job, hang);
    case Verdict::circle:
      return fmt::format("{} wait for one another: {}.", capital(ranks_text(hang.culprits)),
                         chain_text(job, hang.chain));
    case Verdict::transfer: {
      const RecordedCall& call = job.ranks[hang.operation->rank].calls[hang.operation->call];
      return fmt::format(
          "Nobody is missing from {}{}, which has begun and does not end: the network or a kernel hangs.",
          call_text(job, call), where_text(job, call));
    }
    case Verdict::device: {
      // What its device has not begun, which need not be what the others wait in.
      const RankCalls& culprit = job.ranks[job.place_of(hang.culprits.front())];
      const RecordedCall* queued = nullptr;
      for (const RecordedCall& call : culprit.calls) {
        if (queued == nullptr && call.state == CallState::queued) queued = &call;
      }
      const std::string chain = chain_text(job, hang.chain);
      return fmt::format("{} called {}{}, and the device has not begun it{}{}.", capital(ranks_text(hang.culprits)),
                         call_text(job, *queued), where_text(job, *queued), chain.empty() ? "" : ": ", chain);
    }
  }
  return "";
}

}  // namespace orrery::analyze
