#include "query/trace_tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/check/trace_info.h"
#include "query/rows.h"

// Small tables are listed once, when they are first asked for, and kept.

namespace orrery::query {
namespace {

using Made = Result<std::unique_ptr<Rows>>;

Value key_value(const Interner& strings, trace::LaneKey key) {
  return key.text == 0 ? Value(key.number) : Value(strings.text(key.text));
}

Made list_ranks(const Recording& recording) {
  auto rows = std::make_unique<ListRows>(9);
  for (const trace::RankTrace& rank : recording.trace.ranks) {
    const analyze::RankInfo info = analyze::describe(recording.trace, rank);
    const trace::SourceInfo& source = rank.source;
    rows->add({rank.rank, std::string_view(source.path), std::string_view(source.format),
               static_cast<std::int64_t>(rank.event_count()), info.begin, info.span, value_or_null(source.world_size),
               text_or_null(source.backend),
               // The first device stands for all: mostly they are of one kind.
               source.devices.empty() ? Value() : text_or_null(source.devices.front().name)});
  }
  return std::unique_ptr<Rows>(std::move(rows));
}

/// What runs on a lane, and on which stream.
struct LaneUse {
  bool has_device_work = false, has_host_work = false;
  std::optional<std::int64_t> device, stream;
};

std::vector<LaneUse> use_of_lanes(const trace::RankTrace& rank) {
  std::vector<LaneUse> uses(rank.lanes.size());
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    LaneUse& use = uses[rank.lane[e]];
    use.has_device_work |= trace::is_device_work(rank.activity(e));
    use.has_host_work |= trace::is_host_work(rank.activity(e));
  }
  const auto take = [&](trace::Field field, std::optional<std::int64_t> LaneUse::*into) {
    const trace::SparseColumn& column = rank.field(field);
    for (std::size_t i = 0; i < column.event.size(); ++i) {
      LaneUse& use = uses[rank.lane[column.event[i]]];
      // A runtime call names the stream it launches to; that is not where it runs.
      if (use.has_device_work && !(use.*into)) use.*into = column.value[i];
    }
  };
  take(trace::Field::device, &LaneUse::device);
  take(trace::Field::stream, &LaneUse::stream);
  return uses;
}

Made list_lanes(const Recording& recording) {
  const Interner& strings = recording.trace.strings;
  auto rows = std::make_unique<ListRows>(9);
  for (const trace::RankTrace& rank : recording.trace.ranks) {
    const std::vector<LaneUse> uses = use_of_lanes(rank);
    for (std::size_t l = 0; l < rank.lanes.size(); ++l) {
      const trace::Lane& lane = rank.lanes[l];
      const LaneUse& use = uses[l];
      const std::string_view kind = use.has_device_work ? "stream" : use.has_host_work ? "thread" : "other";
      rows->add({rank.rank, static_cast<std::int64_t>(l), key_value(strings, lane.process),
                 key_value(strings, lane.thread), text_or_null(strings.text(lane.thread_name)), kind,
                 value_or_null(use.device), value_or_null(use.stream),
                 track_of(rank.rank, static_cast<std::int64_t>(l))});
    }
  }
  return std::unique_ptr<Rows>(std::move(rows));
}

Made list_steps(const Recording& recording, Steps& steps) {
  auto rows = std::make_unique<ListRows>(5);
  for (std::size_t r = 0; r < recording.trace.ranks.size(); ++r) {
    const trace::RankTrace& rank = recording.trace.ranks[r];
    std::int64_t number = 0;
    for (const trace::EventIndex event : steps.events(r))
      rows->add({rank.rank, number++, recording.trace.name(rank, event), rank.start[event], rank.duration[event]});
  }
  return std::unique_ptr<Rows>(std::move(rows));
}

/// The part of a rank's clock that its communication covers, by readings: beyond it, what the clock does was not seen.
struct SeenClock {
  TimePs first = 0, last = 0;
  TimePs band = 0;
};

SeenClock seen_part(const trace::Clock& clock, const match::Exchanges& exchanges, std::size_t rank) {
  // -1: nothing seen yet. Without communication the whole clock counts.
  SeenClock seen{clock.knots().front().from_ps, clock.knots().back().from_ps, -1};
  for (const match::Participation& part : exchanges.parts) {
    if (part.node != rank) continue;
    const bool is_first = seen.band < 0;
    // Seen from the first to the last communication of the rank, whatever order they are listed in.
    seen.first = is_first ? part.start_ps : std::min(seen.first, part.start_ps);
    seen.last = is_first ? part.start_ps : std::max(seen.last, part.start_ps);
    seen.band = std::max(seen.band, clock.uncertainty(part.start_ps));
  }
  if (seen.band < 0) seen.band = clock.uncertainty(seen.first);
  return seen;
}

Made list_clocks(const Recording& recording) {
  auto rows = std::make_unique<ListRows>(4);
  const job::JobClocks* const clocks = recording.job == nullptr ? nullptr : &recording.job->clocks();
  for (std::size_t r = 0; r < recording.trace.ranks.size(); ++r) {
    const std::int64_t rank = recording.trace.ranks[r].rank;
    if (clocks == nullptr || clocks->corrections.empty()) {
      // Of one clock there is nothing to be wrong about; of several without a correction nobody knows.
      rows->add({rank, std::int64_t{0}, 0.0, clocks != nullptr && clocks->band < 0 ? Value() : Value(std::int64_t{0})});
      continue;
    }
    const trace::Clock& clock = clocks->corrections[r];
    const SeenClock seen = seen_part(clock, clocks->exchanges, r);
    const TimePs first = clock.map(seen.first), last = clock.map(seen.last);
    // Two moments at the same time have no slope.
    const double drift = seen.last == seen.first
                             ? 0
                             : static_cast<double>(last - first) / static_cast<double>(seen.last - seen.first) - 1;
    // As parts per million.
    rows->add({rank, first - seen.first, drift * 1e6, seen.band});
  }
  return std::unique_ptr<Rows>(std::move(rows));
}

Made list_processes(const Recording& recording) {
  const Interner& strings = recording.trace.strings;
  auto rows = std::make_unique<ListRows>(4);
  std::int64_t number = 0;
  for (const trace::RankTrace& rank : recording.trace.ranks) {
    std::set<trace::LaneKey> seen;
    for (const trace::Lane& lane : rank.lanes) {
      if (!seen.insert(lane.process).second) continue;
      rows->add({++number, key_value(strings, lane.process), text_or_null(strings.text(lane.process_name)), rank.rank});
    }
  }
  return std::unique_ptr<Rows>(std::move(rows));
}

/// Counters may have millions of values: they stay where they are.
class CounterRows final : public Rows {
 public:
  explicit CounterRows(const Recording& recording) : trace_(recording.trace) {
    for (const trace::RankTrace& rank : trace_.ranks) ends_.push_back(size() + rank.counters.size());
  }
  [[nodiscard]] std::size_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    const auto place = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
    const trace::RankTrace& rank = trace_.ranks[place];
    const trace::Counters& counters = rank.counters;
    const std::size_t i = row - (place == 0 ? 0 : ends_[place - 1]);
    switch (column) {
      case 0: return rank.rank;
      case 1: return counters.device[i] == trace::Counters::kNoDevice ? Value() : Value(counters.device[i]);
      case 2: return trace_.strings.text(counters.name[i]);
      case 3: return text_or_null(trace_.strings.text(counters.unit[i]));
      case 4: return counters.time[i];
      default: return counters.value[i];
    }
  }

 private:
  const trace::Trace& trace_;
  std::vector<std::size_t> ends_;  // by rank: the first row behind its own
};

/// Remarks grow, so each question looks at them anew.
class RemarkRows : public Rows {
 public:
  explicit RemarkRows(std::vector<Diagnostic> remarks) : remarks_(std::move(remarks)) {
    for (const Diagnostic& remark : remarks_) {
      const std::string summary = remark.kind->summary;
      messages_.push_back(remark.example.empty() ? summary : summary + ": " + remark.example);
    }
  }
  [[nodiscard]] std::size_t size() const override { return remarks_.size(); }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    const Diagnostic& remark = remarks_[row];
    switch (column) {
      case 0: return std::string_view(remark.kind->code);
      case 1: return std::string_view(to_string(remark.kind->severity));
      case 2: return static_cast<std::int64_t>(remark.count);
      case 3: return std::string_view(messages_[row]);
      default: return std::string_view(remark.kind->hint);
    }
  }

 private:
  std::vector<Diagnostic> remarks_;
  std::vector<std::string> messages_;
};

}  // namespace

Table ranks_table(const Recording& recording) {
  return {"ranks",
          {{"rank", "INTEGER"},
           {"path", "TEXT"},
           {"format", "TEXT"},
           {"events", "INTEGER"},
           {"begin_ps", "INTEGER"},
           {"span_ps", "INTEGER"},
           {"world_size", "INTEGER"},
           {"backend", "TEXT"},
           {"device", "TEXT"}},
          made_once([&recording] { return list_ranks(recording); })};
}

Table lanes_table(const Recording& recording) {
  return {"lanes",
          {{"rank", "INTEGER"},
           {"lane", "INTEGER"},
           {"process", ""},
           {"thread", ""},
           {"name", "TEXT"},
           {"kind", "TEXT"},
           {"device", "INTEGER"},
           {"stream", "INTEGER"},
           {"track", "INTEGER"}},
          made_once([&recording] { return list_lanes(recording); })};
}

Table steps_table(const Recording& recording, Steps& steps) {
  return {"steps",
          {{"rank", "INTEGER"}, {"step", "INTEGER"}, {"name", "TEXT"}, {"start_ps", "INTEGER"}, {"dur_ps", "INTEGER"}},
          made_once([&recording, &steps] { return list_steps(recording, steps); })};
}

Table clocks_table(const Recording& recording) {
  return {"clocks",
          {{"rank", "INTEGER"}, {"offset_ps", "INTEGER"}, {"drift_ppm", "REAL"}, {"band_ps", "INTEGER"}},
          made_once([&recording] { return list_clocks(recording); })};
}

Table counters_table(const Recording& recording) {
  return {
      "counters",
      {{"rank", "INTEGER"},
       {"device", "INTEGER"},
       {"name", "TEXT"},
       {"unit", "TEXT"},
       {"time_ps", "INTEGER"},
       {"value", "REAL"}},
      made_once([&recording]() -> Made { return std::unique_ptr<Rows>(std::make_unique<CounterRows>(recording)); })};
}

Table diagnostics_table(const Recording& recording) {
  // Questions may be asked inside one another, and all hold what they got: none is thrown away.
  auto asked = std::make_shared<std::vector<std::unique_ptr<RemarkRows>>>();
  return {"diagnostics",
          {{"code", "TEXT"}, {"severity", "TEXT"}, {"count", "INTEGER"}, {"message", "TEXT"}, {"hint", "TEXT"}},
          [&recording, asked]() -> Result<const Rows*> {
            asked->push_back(std::make_unique<RemarkRows>(recording.remarks.sorted()));
            return static_cast<const Rows*>(asked->back().get());
          }};
}

Table process_table(const Recording& recording) {
  return {"process", {{"upid", "INTEGER"}, {"pid", ""}, {"name", "TEXT"}, {"rank", "INTEGER"}}, made_once([&recording] {
            return list_processes(recording);
          })};
}

}  // namespace orrery::query
