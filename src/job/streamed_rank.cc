#include "job/streamed_rank.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <mutex>

#include "align/alignment.h"
#include "base/freed_memory.h"
#include "base/packed.h"
#include "base/parallel.h"
#include "causal/device/device_timeline.h"
#include "job/common_steps.h"
#include "job/read/registry.h"
#include "job/read/rules_input.h"
#include "job/read/shared_reading.h"
#include "trace/columns.h"
#include "trace/content_order.h"

// One function reads, aligns, windows, links and reduces a rank. It is called by a few threads here, or by the
// processes of a team, for which requests and results are packed as bytes. Either way results stand at the place of
// their request, so the order in which ranks are done does not matter.

namespace orrery::job {
namespace {

using trace::EventIndex;

constexpr std::string_view kStreamRankTask = "reduce rank";
/// Reading uses all threads for one file: two files at once keep them busy while one of them is linked.
constexpr std::size_t kRanksInFlight = 2;

bool contains(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::size_t typical_of(const trace::Trace& trace, const StreamedRank& rank) {
  std::vector<TimePs> spans;
  std::vector<std::string_view> names;
  for (const auto& [begin, end] : rank.extents) spans.push_back(end - begin);
  for (const std::string& key : rank.keys) names.push_back(name_in_key(key));
  return causal::typical_step(trace, spans, names).place;
}

/// If all ranks have the same steps; else it is seen later that they have not. Of a typical one each rank has its own
/// idea, which may be the job's.
bool is_asked_for(const JobWindowRequest& window, std::size_t instance, std::size_t count, std::size_t typical) {
  if (window.asks_typical()) return instance == typical;
  if (window.is_whole()) return true;
  const std::size_t first = window.first_instance.value_or(0);
  if (window.typical && !window.first_instance) return instance == first;
  return instance >= first && instance <= window.last_instance.value_or(window.first_instance ? first : count - 1);
}

void link_streamed_rank(const RankStreaming& streaming, const trace::Trace& trace, const RankCorrections& corrections,
                        StreamedRank& out) {
  const trace::RankTrace& rank = trace.ranks.front();
  const trace::ContentOrder content(trace, rank);
  const causal::DeviceTimeline timeline = causal::make_device_timeline(trace, rank, content, out.remarks);
  const bool is_whole = streaming.window.is_whole();
  const std::vector<EventIndex> events =
      find_steps(trace, rank, content, is_whole ? std::nullopt : streaming.window.annotation);
  // Keys of all steps are told, not only of those taken: the job compares them between ranks.
  out.keys = step_keys(trace, rank, events);
  const causal::StepWindows windows(trace, rank, timeline);
  if (streaming.window.compares_steps()) {
    for (const EventIndex event : events) {
      const causal::StepWindow step = windows.of(std::span(&event, 1));
      out.extents.emplace_back(step.begin, step.end);
    }
  }
  const std::size_t typical = streaming.window.asks_typical() && !events.empty() ? typical_of(trace, out) : 0;
  out.epoch_unix_ns = trace.epoch_unix_ns;
  std::vector<EventIndex> taken;
  // Until the job has said which steps all ranks have, each takes those that it would ask for itself.
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (corrections.steps ? contains(*corrections.steps, out.keys[i])
                          : is_asked_for(streaming.window, i, events.size(), typical))
      taken.push_back(events[i]);
  }
  Result<causal::StepWindow> window = is_whole || taken.empty()
                                          ? causal::choose_window(trace, rank, timeline, content, {"", {}, {}})
                                          : windows.of(taken);
  if (!window) {
    out.error = window.error();
    return;
  }
  window->steps = causal::steps_of(trace, rank, taken);  // a whole trace has others, too, that not all ranks have
  Result<causal::RankGraph> step = causal::make_rank_graph(trace, rank, timeline, content, *window, out.remarks);
  if (!step) {
    out.error = step.error();
    return;
  }
  for (std::size_t i = 0, t = 0; i < events.size() && t < taken.size(); ++i) {
    if (events[i] == taken[t]) out.taken.push_back(out.keys[i]), ++t;
  }
  out.reduced =
      causal::WaitingRank(causal::reduce_rank(trace, rank, std::move(*step), streaming.options, streaming.reduction));
}

StreamedRank read_streamed_rank(const RankStreaming& streaming, const StreamedRankRequest& request,
                                const std::function<void(std::uint64_t)>& on_progress) {
  StreamedRank out;
  Result<trace::Trace> trace = streaming.format.read_traces(
      {request.path}, out.remarks,
      {.salvage = streaming.salvage, .far_clocks = true, .launch_arrows = false, .on_progress = on_progress});
  if (!trace) {
    out.error = trace.error();
    return out;
  }
  assert(trace->ranks.size() == 1);
  trace->rules = streaming.rules;
  if (const Status read = read_counters(streaming.counters, *trace, out.remarks); !read) {
    out.error = read.error();
    return out;
  }
  trace::RankTrace& rank = trace->ranks.front();
  // The job numbers ranks: names of files may say otherwise.
  rank.rank = request.rank;
  if (const auto& clock = request.corrections.clock) {
    trace->epoch_unix_ns = clock->epoch_unix_ns;
    // The epoch of the job, so that times of all ranks can be compared as they are.
    if (!trace::move_to_epoch(rank, trace->epoch_unix_ns)) {
      out.error = Error{"this was recorded more than 26 days away from the others", request.path};
      return out;
    }
    align::Alignment alignment;
    align::NodeAlignment& node = alignment.nodes.emplace_back();
    node.host = clock->host;
    node.tracer = clock->tracer;
    // A job of one rank, whose clocks were estimated with all the others.
    align::apply(alignment, *trace);
  }
  link_streamed_rank(streaming, *trace, request.corrections, out);
  return out;
}

// --- between processes ---

void pack_texts(PackedWriter& writer, const std::vector<std::string>& texts) {
  writer.number(texts.size());
  for (const std::string& text : texts) writer.text(text);
}

std::vector<std::string> unpack_texts(PackedReader& reader) {
  std::vector<std::string> texts;
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) texts.emplace_back(reader.text());
  return texts;
}

void pack_clock(PackedWriter& writer, const trace::Clock& clock) {
  writer.number(clock.knots().size());
  for (const trace::ClockKnot& knot : clock.knots())
    writer.integer(knot.from_ps).integer(knot.to_ps).integer(knot.uncertainty_ps);
}

std::optional<trace::Clock> unpack_clock(PackedReader& reader) {
  std::vector<trace::ClockKnot> knots;
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    trace::ClockKnot& knot = knots.emplace_back();
    knot.from_ps = reader.integer();
    knot.to_ps = reader.integer();
    knot.uncertainty_ps = reader.integer();
  }
  Result<trace::Clock> clock = trace::Clock::from_knots(knots);
  return clock ? std::optional(std::move(*clock)) : std::nullopt;
}

void pack_place(PackedWriter& writer, const std::optional<std::size_t>& place) {
  writer.number(place.has_value()).number(place.value_or(0));
}

std::optional<std::size_t> unpack_place(PackedReader& reader) {
  const bool is_there = reader.number() != 0;
  const std::size_t place = reader.number();
  return is_there ? std::optional(place) : std::nullopt;
}

std::string pack_streaming(const RankStreaming& streaming) {
  PackedWriter writer;
  writer.text(streaming.format.name).number(streaming.salvage).number(streaming.options.by_annotation);
  writer.number(streaming.window.annotation.has_value()).text(streaming.window.annotation.value_or(""));
  pack_place(writer, streaming.window.first_instance);
  pack_place(writer, streaming.window.last_instance);
  writer.number(streaming.window.typical);
  pack_rules(writer, *streaming.rules);
  pack_texts(writer, streaming.counters.named);
  pack_texts(writer, streaming.counters.beside);
  return writer.take();
}

std::string pack_request(const StreamedRankRequest& request) {
  PackedWriter writer;
  const RankCorrections& corrections = request.corrections;
  writer.text(request.path).integer(request.rank).number(corrections.steps.has_value());
  if (corrections.steps) pack_texts(writer, *corrections.steps);
  writer.number(corrections.clock.has_value());
  if (corrections.clock) {
    writer.integer(corrections.clock->epoch_unix_ns);
    pack_clock(writer, corrections.clock->host);
    pack_clock(writer, corrections.clock->tracer);
  }
  return writer.take();
}

std::optional<StreamedRankRequest> unpack_request(std::string_view bytes) {
  PackedReader reader(bytes);
  StreamedRankRequest request;
  request.path = reader.text();
  request.rank = reader.integer();
  if (reader.number() != 0) request.corrections.steps = unpack_texts(reader);
  if (reader.number() != 0) {
    const std::int64_t epoch = reader.integer();
    std::optional<trace::Clock> host = unpack_clock(reader), tracer = unpack_clock(reader);
    if (!host || !tracer) return std::nullopt;
    request.corrections.clock = {std::move(*host), std::move(*tracer), epoch};
  }
  if (!reader.ok()) return std::nullopt;
  return request;
}

std::string pack_rank(const StreamedRank& rank) {
  PackedWriter writer;
  writer.text(causal::rank_bytes(rank.reduced.rank()));
  pack_texts(writer, rank.keys);
  pack_texts(writer, rank.taken);
  rank.remarks.pack(writer);
  return writer.take();
}

StreamedRank unpack_rank(std::string_view bytes, const std::string& path) {
  PackedReader reader(bytes);
  StreamedRank rank;
  Result<causal::ReducedRank> reduced = causal::load_rank_from_bytes(reader.text(), path);
  if (reduced) rank.reduced = causal::WaitingRank(std::move(*reduced));
  else rank.error = reduced.error();
  rank.keys = unpack_texts(reader);
  rank.taken = unpack_texts(reader);
  rank.remarks = Diagnostics::unpack(reader);
  if (!reader.ok() && !rank.error) rank.error = Error{"what another process made of this is not complete", path};
  return rank;
}

class RankStreamingTask : public SharedTask {
 public:
  explicit RankStreamingTask(std::string_view about) {
    PackedReader reader(about);
    format_ = format_called(reader.text());
    salvage_ = reader.number() != 0;
    options_.by_annotation = reader.number() != 0;
    const bool has_annotation = reader.number() != 0;
    const std::string_view annotation = reader.text();
    if (has_annotation) window_.annotation = annotation;
    window_.first_instance = unpack_place(reader);
    window_.last_instance = unpack_place(reader);
    window_.typical = reader.number() != 0;
    rules_ = unpack_rules(reader);
    counters_.named = unpack_texts(reader);
    counters_.beside = unpack_texts(reader);
  }

  std::vector<std::optional<std::string>> run(std::span<const SharedItem> items) override {
    std::vector<std::optional<std::string>> results;
    // Files of rules that only process 0 sees: it does all of them itself.
    if (rules_ == nullptr) return std::vector<std::optional<std::string>>(items.size());
    for (const SharedItem& item : items) {
      const std::optional<StreamedRankRequest> request = unpack_request(item.content);
      // Bytes that this build does not understand: process 0 does all of them itself.
      if (!request) return {};
      const StreamedRank rank = read_streamed_rank(
          {*format_, salvage_, window_, options_, causal::Reduction::reduced, rules_, counters_}, *request, {});
      // An error is nothing to send: whoever asked reads the file itself and tells the error from there.
      results.push_back(rank.error ? std::nullopt : std::optional(pack_rank(rank)));
    }
    return results;
  }

 private:
  const formats::Format* format_ = nullptr;
  bool salvage_ = false;
  JobWindowRequest window_;
  causal::JoinOptions options_;
  std::shared_ptr<const trace::Rules> rules_;
  CounterFiles counters_;
};

std::vector<StreamedRank> share_streamed_ranks(ProcessTeam& team, const RankStreaming& streaming,
                                               std::span<const StreamedRankRequest> requests,
                                               const std::function<void(std::uint64_t)>& on_progress) {
  std::vector<StreamedRank> ranks(requests.size());
  std::vector<std::string> files;
  for (const StreamedRankRequest& request : requests) files.push_back(request.path);
  const auto read_here = [&](std::span<const std::size_t> which) {
    for (const std::size_t i : which) ranks[i] = read_streamed_rank(streaming, requests[i], on_progress);
  };
  const auto take = [&](std::size_t i, std::string_view bytes) {
    ranks[i] = unpack_rank(bytes, files[i]);
    std::error_code failed;
    const auto size = std::filesystem::file_size(files[i], failed);
    if (on_progress && !failed) on_progress(size);
  };
  ProcessTeam::Work work(team, kStreamRankTask, pack_streaming(streaming));
  // The largest first, so that no long one is left for the end.
  work.run({.order = largest_first(files), .content = [&](std::size_t i) { return pack_request(requests[i]); }},
           read_here, take);
  return ranks;
}

}  // namespace

Result<std::vector<StreamedRank>> read_streamed_ranks(
    const RankStreaming& streaming, std::span<const StreamedRankRequest> requests,
    const std::function<Status(const std::string& path)>& before_reading,
    const std::function<void(std::uint64_t bytes)>& on_progress) {
  // Whole graphs are larger than what they are made of: sending them costs more than making them here.
  if (ProcessTeam* const team = process_team();
      team != nullptr && team->is_idle() && requests.size() > 1 && streaming.reduction == causal::Reduction::reduced) {
    // Refused before anything is shared, since what was begun elsewhere cannot be called off.
    for (const StreamedRankRequest& request : requests) {
      if (const Status told = before_reading(request.path); !told) return told.error();
    }
    return share_streamed_ranks(*team, streaming, requests, on_progress);
  }
  std::vector<StreamedRank> ranks(requests.size());
  std::mutex mutex;
  std::size_t next = 0;
  std::optional<Error> refused;
  // The next one that may be read; none after the last, or an Error.
  const auto take = [&]() -> std::optional<std::size_t> {
    const std::scoped_lock lock(mutex);
    if (refused || next == requests.size()) return std::nullopt;
    if (const Status told = before_reading(requests[next].path); !told) {
      refused = told.error();
      return std::nullopt;
    }
    return next++;
  };
  parallel_for(std::min(kRanksInFlight, thread_count()), [&](std::size_t) {
    for (auto i = take(); i; i = take()) {
      ranks[*i] = read_streamed_rank(streaming, requests[*i], on_progress);
      // Packed at once: it waits until the last rank is read.
      if (streaming.reduction == causal::Reduction::reduced && !ranks[*i].error) ranks[*i].reduced.pack();
      // What the trace was made of lies between what stays, in blocks too small to go back by themselves.
      give_back_freed_memory();
    }
  });
  if (refused) return *refused;
  return ranks;
}

SharedTaskKind rank_streaming_task() {
  return {kStreamRankTask, [](std::string_view about) { return std::make_unique<RankStreamingTask>(about); }};
}

}  // namespace orrery::job
