#include "job/streamed_job.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "base/freed_memory.h"
#include "causal/reduce/reduced_rank.h"
#include "formats/kineto/format.h"
#include "job/common_steps.h"
#include "job/read/registry.h"
#include "job/read/rules_input.h"
#include "job/streamed_rank.h"
#include "match/exchange_finder.h"

// Read all ranks once, find the steps in common and the clocks, read again those ranks that took other steps or need
// another clock, and join. What the exchanges say about events is kept over reading again by the events' places in the
// file.

namespace orrery::job {
namespace {

using trace::EventIndex;

struct RankFile {
  std::string path;
  std::int64_t rank;
};

/// By rank; empty if a file does not tell, or two are of one rank.
std::vector<RankFile> rank_files(const Source& source) {
  std::vector<RankFile> files;
  std::set<std::int64_t> known;
  for (const std::string& path : source.files) {
    const Result<FileHead> head = read_head(path);
    const std::optional<std::int64_t> rank =
        head && source.format->peek_rank != nullptr ? source.format->peek_rank(head->view()) : std::nullopt;
    if (!rank || !known.insert(*rank).second) return {};
    files.push_back({path, *rank});
  }
  std::sort(files.begin(), files.end(), [](const RankFile& a, const RankFile& b) { return a.rank < b.rank; });
  return files;
}

class Streamer {
 public:
  Streamer(const Source& source, const JobWindowRequest& request, const causal::JoinOptions& options,
           const Reading& reading, causal::Reduction reduction)
      : source_(source),
        request_(request),
        options_(options),
        reading_(reading),
        reduction_(reduction),
        files_(rank_files(source)) {}

  Result<causal::CausalGraph> run(ClockChoice choice, std::vector<TimePs>* step_spans) {
    auto rules = rules_of(reading_);
    if (!rules) return rules.error();
    rules_ = std::move(*rules);
    counters_ = find_counters(reading_.counters, source_.files);
    if (const Status told = tell_counters(counters_, reading_); !told) return told.error();
    ranks_.resize(files_.size());
    std::vector<std::size_t> all;
    for (std::size_t r = 0; r < files_.size(); ++r) all.push_back(r);
    const auto tell = [&](const std::string& path) { return reading_.tell(path); };
    if (const Status read = read_ranks(all, {}, tell); !read) return read.error();
    Result<std::vector<std::string>> common = find_common();
    if (!common) return common.error();
    if (const Status gathered = gather_ranks(); !gathered) return gathered.error();
    Result<JobClocks> clocks = use_clocks(gathered_.trace, choice, reading_.diagnostics);
    if (!clocks) return clocks.error();
    if (const Status again = read_again(*common, *clocks); !again) return again.error();
    for (StreamedRank& rank : ranks_) reading_.diagnostics.merge(rank.remarks);
    if (step_spans != nullptr && request_.compares_steps()) *step_spans = spans_of(*common);
    std::vector<causal::StepWindow> windows;
    for (causal::RankGraph& rank : gathered_.to_join) {
      rank.window.why = why_;
      windows.push_back(rank.window);
    }
    if (const Status same = check_same_time(windows); !same) return same.error();
    Result<causal::CausalGraph> job = causal::join_ranks(std::move(gathered_.trace), clocks->exchanges,
                                                         std::move(gathered_.to_join), options_, reading_.diagnostics);
    if (!job) return job.error();
    clocks->describe(*job);
    return job;
  }

 private:
  Status read_ranks(const std::vector<std::size_t>& which, const std::vector<RankCorrections>& corrections,
                    const std::function<Status(const std::string&)>& before_reading) {
    std::vector<StreamedRankRequest> requests;
    requests.reserve(which.size());
    for (const std::size_t r : which)
      requests.push_back({files_[r].path, files_[r].rank, corrections.empty() ? RankCorrections{} : corrections[r]});
    Result<std::vector<StreamedRank>> read =
        read_streamed_ranks({*source_.format, reading_.salvage, request_, options_, reduction_, rules_, counters_},
                            requests, before_reading, reading_.on_progress);
    if (!read) return read.error();
    for (std::size_t i = 0; i < which.size(); ++i) {
      StreamedRank& rank = (*read)[i];
      if (rank.error) return *rank.error;
      ranks_[which[i]] = std::move(rank);
    }
    return {};
  }

  /// Steps that all ranks have. An Error also if what was asked for is not among them; a whole trace needs none.
  Result<std::vector<std::string>> find_common() {
    std::vector<std::vector<std::string>> keys;
    for (const StreamedRank& rank : ranks_) keys.push_back(rank.keys);
    if (request_.is_whole()) {
      Diagnostics unsaid;  // nothing is left out
      Result<std::vector<std::string>> in_whole = common_steps(gathered_.trace, keys, unsaid);
      return in_whole ? std::move(*in_whole) : std::vector<std::string>{};
    }
    Result<std::vector<std::string>> common = common_steps(gathered_.trace, keys, reading_.diagnostics);
    if (!common) return common.error();
    const std::string& path = files_.front().path;
    if (common->empty() && (request_.annotation || request_.first_instance))
      return no_such_step(request_.annotation, path);
    const std::size_t last = request_.last_instance.value_or(request_.first_instance.value_or(0));
    if (!common->empty() && last >= common->size()) return no_such_instance(common->size(), last, path);
    return common;
  }

  /// Of those the ones in the window.
  std::vector<std::string> choose(const std::vector<std::string>& common) {
    if (common.empty() || request_.is_whole()) return common;
    if (request_.asks_typical()) {
      std::vector<std::string_view> names;
      names.reserve(common.size());
      for (const std::string& key : common) names.push_back(name_in_key(key));
      causal::TypicalStep typical = causal::typical_step(gathered_.trace, spans_of(common), names);
      why_ = std::move(typical.why);
      return {common[typical.place]};
    }
    const std::size_t first = request_.first_instance.value_or(0);
    const bool one = request_.first_instance || request_.typical;
    const std::size_t last = request_.last_instance.value_or(one ? first : common.size() - 1);
    return {common.begin() + static_cast<std::ptrdiff_t>(first),
            common.begin() + static_cast<std::ptrdiff_t>(last) + 1};
  }

  /// From the earliest begin of a rank to the latest end, on the clocks that the ranks were read with.
  [[nodiscard]] std::vector<TimePs> spans_of(const std::vector<std::string>& steps) const {
    std::vector<TimePs> spans;
    for (const std::string& step : steps) {
      TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
      for (const StreamedRank& rank : ranks_) {
        const auto at = std::find(rank.keys.begin(), rank.keys.end(), step) - rank.keys.begin();
        const TimePs moved = (rank.epoch_unix_ns - gathered_.trace.epoch_unix_ns) * kPsPerNs;
        begin = std::min(begin, rank.extents[static_cast<std::size_t>(at)].first + moved);
        end = std::max(end, rank.extents[static_cast<std::size_t>(at)].second + moved);
      }
      spans.push_back(end - begin);
    }
    return spans;
  }

  Status gather_ranks() {
    std::vector<causal::ReducedRank> reduced;
    for (StreamedRank& rank : ranks_) reduced.push_back(rank.reduced.take());
    Result<causal::GatheredRanks> gathered = causal::gather(std::move(reduced));
    if (!gathered) return gathered.error();
    gathered_ = std::move(*gathered);
    gathered_.trace.rules = rules_;
    return {};
  }

  /// Ranks that have other steps than those in the window, and all of them if the clocks turned out to need correction.
  Status read_again(const std::vector<std::string>& common, JobClocks& clocks) {
    bool is_corrected = clocks.applied.empty();
    // Which step is typical may look different once the clocks are right: then some are read a third time.
    for (std::vector<std::string> steps = choose(common);; steps = choose(common)) {
      std::vector<std::size_t> which;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (ranks_[r].taken != steps || !is_corrected) which.push_back(r);
      }
      if (which.empty()) return {};
      is_corrected = true;
      if (const Status read = replace_ranks(which, steps, clocks); !read) return read;
    }
  }

  Status replace_ranks(const std::vector<std::size_t>& which, const std::vector<std::string>& steps,
                       JobClocks& clocks) {
    std::vector<RankCorrections> corrections(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      corrections[r].steps = steps;
      if (!clocks.applied.empty())
        corrections[r].clock = {clocks.applied[r].host, clocks.applied[r].tracer, gathered_.trace.epoch_unix_ns};
    }
    const auto known = [](const std::string&) { return Status(); };
    if (const Status read = read_ranks(which, corrections, known); !read) return read;
    for (const std::size_t r : which) {
      const Column<std::uint32_t> before = std::move(gathered_.trace.ranks[r].ordinal);
      if (const Status replaced = causal::replace(gathered_, r, ranks_[r].reduced.take()); !replaced) return replaced;
      renumber(clocks.exchanges, static_cast<std::uint32_t>(r), before);
    }
    return {};
  }

  /// Events of a rank read again may have other numbers, as another window keeps others; their places in the file are
  /// the same.
  void renumber(match::Exchanges& exchanges, std::uint32_t r, const Column<std::uint32_t>& ordinal_before) const {
    const Column<std::uint32_t>& ordinal = gathered_.trace.ranks[r].ordinal;
    const auto renumbered = [&](EventIndex event) {
      if (event == match::kNoCall) return event;
      const auto* const at = std::lower_bound(ordinal.begin(), ordinal.end(), ordinal_before[event]);
      assert(at != ordinal.end() && *at == ordinal_before[event]);  // communications are kept whatever the window is
      return static_cast<EventIndex>(at - ordinal.begin());
    };
    for (match::Participation& part : exchanges.parts) {
      if (part.node == r) part.event = renumbered(part.event), part.call = renumbered(part.call);
    }
  }

  const Source& source_;
  const JobWindowRequest& request_;
  const causal::JoinOptions& options_;
  const Reading& reading_;
  causal::Reduction reduction_;
  std::shared_ptr<const trace::Rules> rules_;
  CounterFiles counters_;
  std::string why_;  // the typical step was chosen
  std::vector<RankFile> files_;
  std::vector<StreamedRank> ranks_;
  causal::GatheredRanks gathered_;
};

}  // namespace

bool can_be_streamed(const Source& source) {
  // Other formats need all files at once: MPI's communicators are put together over ranks, and XSpace's clocks may be
  // of other eras.
  return source.format == &kineto::kFormat && source.files.size() > 1 && !rank_files(source).empty();
}

Result<causal::CausalGraph> stream_job(const Source& source, ClockChoice choice, const JobWindowRequest& window,
                                       const causal::JoinOptions& options, const Reading& reading,
                                       causal::Reduction reduction, std::vector<TimePs>* step_spans) {
  Result<causal::CausalGraph> job = Streamer(source, window, options, reading, reduction).run(choice, step_spans);
  // The reduced graphs that it was made of are gone, as large as the job itself, in blocks too small to go back by
  // themselves.
  give_back_freed_memory();
  return job;
}

}  // namespace orrery::job
