#include "analyze/device/breakdown_sheets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/percent.h"

// A row per rank and device, with times and their shares of the window. Columns without a title are for programs
// only, and are not shown to people.

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

namespace {

void add_rank_and_device(Sheet& sheet, const std::vector<RankBreakdown>& ranks) {
  const bool are_runs = !ranks.empty() && ranks.front().devices->rank->source.is_run;
  sheet.add({.name = "rank", .type = Type::integer, .title = are_runs ? "run" : "rank", .decimals = report::kExact})
      .add({.name = "device", .type = Type::integer, .title = "device", .decimals = report::kExact});
}

}  // namespace

Sheet temporal_sheet(const std::vector<RankBreakdown>& ranks) {
  Sheet sheet("temporal");
  add_rank_and_device(sheet, ranks);
  const auto time = [&](const char* name, const char* title) {
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = title});
  };
  const auto share = [&](const char* name, const char* title, bool bar) {
    sheet.add({.name = name, .type = Type::real, .unit = Unit::pct, .title = title, .with_bar = bar});
  };
  time("window", "window"), time("kernel", ""), time("busy", "");
  share("busy", "busy", true);
  time("compute", "computing"), time("non_compute", "");
  time("exposed_communication", "communicating alone"), time("exposed_memory", "copying alone");
  time("earlier", ""), time("idle", "idle"), time("leading_idle", "before the first"),
      time("trailing_idle", "after the last");
  share("idle", "", false), share("compute", "", false), share("non_compute", "", false);
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& t : rank.times) {
      const TimePs busy = t.busy_time(), compute = t.computing();
      sheet.add_row({rank.devices->rank->rank, t.device, t.window, t.work_span, busy, share_percent(busy, t.window),
                     compute, busy - compute, t.exposed_communication(), t.exposed_memory(), t.idle.earlier(),
                     t.idle_time(), t.leading, t.trailing, share_percent(t.idle_time(), t.window),
                     share_percent(compute, t.window), share_percent(busy - compute, t.window)});
    }
  }
  return sheet;
}

namespace {

void add_idle_rows(Sheet& sheet, std::span<const Cell> where, const IdleTimes& idle, TimePs window) {
  const TimePs total = idle.total();
  for (std::size_t r = 0; r < kIdleReasons; ++r) {
    if (idle.pieces[r].empty()) continue;
    std::vector<Cell> cells(where.begin(), where.end());
    const auto reason = static_cast<IdleReason>(r);
    // Earlier work is no part of idle time.
    const Cell ratio = reason == IdleReason::earlier_work ? Cell(nullptr) : share_percent(idle.time[r], total) / 100;
    cells.insert(cells.end(), {identifier(reason), to_string(reason), idle.pieces[r].size(), idle.time[r], ratio,
                               share_percent(idle.time[r], window)});
    sheet.add_row(cells);
  }
}

void add_idle_columns(Sheet& sheet) {
  sheet.add({.name = "reason"})
      .add({.name = "reason_in_words", .title = "why", .people_only = true})
      .add({.name = "gaps", .type = Type::integer, .title = "gaps"})
      .add({.name = "idle", .type = Type::time, .unit = Unit::us, .title = "idle"})
      .add({.name = "ratio", .type = Type::real})
      .add({.name = "window", .type = Type::real, .unit = Unit::pct, .title = "of the window", .with_bar = true});
}

}  // namespace

Sheet idle_sheet(const std::vector<RankBreakdown>& ranks) {
  Sheet sheet("idle");
  add_rank_and_device(sheet, ranks);
  add_idle_columns(sheet);
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& t : rank.times)
      add_idle_rows(sheet, std::vector<Cell>{rank.devices->rank->rank, t.device}, t.idle, t.window);
  }
  return sheet;
}

Sheet stream_idle_sheet(const std::vector<RankBreakdown>& ranks) {
  Sheet sheet("stream_idle");
  add_rank_and_device(sheet, ranks);
  sheet.add({.name = "stream", .type = Type::integer, .title = "stream", .decimals = report::kExact})
      .add({.name = "works", .type = Type::integer, .title = "works"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "busy"});
  add_idle_columns(sheet);
  for (const RankBreakdown& rank : ranks) {
    for (const StreamTime& s : rank.streams) {
      const std::vector<Cell> where = {rank.devices->rank->rank, s.queue.device, s.queue.stream, s.works, s.busy};
      add_idle_rows(sheet, where, s.idle, rank.devices->window.span());
    }
  }
  return sheet;
}

Sheet idle_intervals_sheet(const std::vector<RankBreakdown>& ranks) {
  Sheet sheet("idle_intervals");
  add_rank_and_device(sheet, ranks);
  sheet.add({.name = "reason", .title = "why"});
  add_distribution_columns(sheet, true);
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& t : rank.times) {
      for (std::size_t r = 0; r < kIdleReasons; ++r) {
        if (t.idle.pieces[r].empty()) continue;
        std::vector<TimePs> pieces = t.idle.pieces[r];
        std::vector<Cell> cells = {rank.devices->rank->rank, t.device, identifier(static_cast<IdleReason>(r))};
        append_cells(cells, distribution_of(pieces));
        sheet.add_row(cells);
      }
    }
  }
  return sheet;
}

namespace {

std::string_view activity_in_words(const HostWaitCause& cause) {
  if (!cause.name.empty()) return cause.name;
  return cause.kind == causal::EdgeKind::handoff ? std::string_view("(from one thread to another)")
                                                 : std::string_view("(not recorded)");
}

}  // namespace

Sheet host_waits_sheet(const std::vector<RankBreakdown>& ranks, std::size_t top) {
  Sheet sheet("host_waits");
  add_rank_and_device(sheet, ranks);
  sheet.add({.name = "kind"})
      .add({.name = "name"})
      .add({.name = "name_in_words", .title = "meanwhile the host ran", .people_only = true})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "pieces", .type = Type::integer, .title = "segments"})
      .add({.name = "idle", .type = Type::time, .unit = Unit::us, .title = "device idle"})
      .add({.name = "host_wait", .type = Type::real, .unit = Unit::pct, .title = "of the wait", .with_bar = true});
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& t : rank.times) {
      const TimePs all = t.idle.time[static_cast<std::size_t>(IdleReason::host_wait)];
      const std::size_t shown = top == 0 ? t.host_waits.size() : std::min(top, t.host_waits.size());
      for (std::size_t i = 0; i < shown; ++i) {
        const HostWaitCause& cause = t.host_waits[i];
        sheet.add_row({rank.devices->rank->rank, t.device, identifier(cause.kind), cause.name, activity_in_words(cause),
                       to_string(cause.kind), cause.pieces, cause.time, share_percent(cause.time, all)});
      }
      if (shown == t.host_waits.size()) continue;
      std::size_t pieces = 0;
      TimePs time = 0;
      for (std::size_t i = shown; i < t.host_waits.size(); ++i)
        pieces += t.host_waits[i].pieces, time = plus_capped(time, t.host_waits[i].time);
      const std::string rest = fmt::format("(the other {})", t.host_waits.size() - shown);
      sheet.add_row(
          {rank.devices->rank->rank, t.device, nullptr, rest, rest, nullptr, pieces, time, share_percent(time, all)},
          report::Tone::faint);
    }
  }
  return sheet;
}

Sheet overlap_sheet(const std::vector<RankBreakdown>& ranks) {
  Sheet sheet("overlap");
  add_rank_and_device(sheet, ranks);
  sheet.add({.name = "communication", .type = Type::time, .unit = Unit::us, .title = "communicating"})
      .add({.name = "overlapped", .type = Type::time, .unit = Unit::us, .title = "while computing"})
      .add({.name = "exposed", .type = Type::time, .unit = Unit::us, .title = "exposed"})
      .add({.name = "overlap", .type = Type::real, .unit = Unit::pct, .title = "overlapped", .with_bar = true});
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& t : rank.times) {
      const TimePs all = t.time_of(WorkType::communication);
      if (all == 0) continue;
      const TimePs both = t.time_of_both(WorkType::communication, WorkType::computation);
      sheet.add_row({rank.devices->rank->rank, t.device, all, both, all - both, share_percent(both, all)});
    }
  }
  return sheet;
}

namespace {

Sheet annotation_times_sheet(const char* name, const std::vector<RankBreakdown>& ranks, std::size_t top,
                             const std::vector<AnnotationTime> RankBreakdown::*of) {
  Sheet sheet(name);
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "name", .title = "annotation"})
      .add({.name = "names", .type = Type::integer})
      .add({.name = "count", .type = Type::integer, .title = "count"});
  for (const auto& [key, title] : {std::pair{"sum", "time"},
                                   {"self", "innermost"},
                                   {"max", "longest"},
                                   {"min", ""},
                                   {"mean", "mean"},
                                   {"std", ""}})
    sheet.add({.name = key, .type = Type::time, .unit = Unit::us, .title = title});
  for (const RankBreakdown& rank : ranks) {
    const std::vector<AnnotationTime>& times = rank.*of;
    const std::size_t shown = top == 0 ? times.size() : std::min(top, times.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Distribution& calls = times[i].calls;
      sheet.add_row({rank.devices->rank->rank, rank.devices->trace->strings.text(times[i].name), 1, calls.count,
                     calls.sum, times[i].self, calls.most, calls.least, calls.mean, calls.deviation});
    }
    if (shown == times.size()) continue;
    std::size_t count = 0;
    TimePs sum = 0, self = 0;
    for (std::size_t i = shown; i < times.size(); ++i) {
      count += times[i].calls.count;
      sum = plus_capped(sum, times[i].calls.sum);
      self = plus_capped(self, times[i].self);
    }
    sheet.add_row({rank.devices->rank->rank, fmt::format("(the other {})", times.size() - shown), times.size() - shown,
                   count, sum, self, nullptr, nullptr, nullptr, nullptr},
                  report::Tone::faint);
  }
  return sheet;
}

}  // namespace

void add_distribution_columns(Sheet& sheet, bool shown) {
  sheet.add({.name = "count", .type = Type::integer, .title = shown ? "count" : ""});
  for (const char* name : {"mean", "std", "min", "p25", "p50", "p75", "max"})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = shown ? name : ""});
}

void append_cells(std::vector<Cell>& cells, const Distribution& values) {
  cells.emplace_back(values.count);
  for (const TimePs value :
       {values.mean, values.deviation, values.least, values.quarter, values.median, values.three_quarters, values.most})
    cells.push_back(values.count == 0 ? Cell(nullptr) : Cell(value));
}

Sheet parts_sheet(const DeviceTime& sum) {
  Sheet sheet("parts");
  sheet.add({.name = "part"})
      .add({.name = "part_in_words", .title = "device time", .people_only = true})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  const auto row = [&](const char* part, const char* words, TimePs time, bool is_idle) {
    if (time > 0)
      sheet.add_row({part, words, time, share_percent(time, sum.window)},
                    is_idle ? report::Tone::warning : report::Tone::plain);
  };
  row("computing", "computing", sum.computing(), false);
  row("exposed_communication", "communicating, not computing", sum.exposed_communication(), false);
  row("exposed_memory", "copies and sets alone", sum.exposed_memory(), false);
  for (std::size_t r = 0; r < kIdleReasons; ++r) {
    const auto reason = static_cast<IdleReason>(r);
    row(identifier(reason), to_string(reason), sum.idle.time[r], reason != IdleReason::earlier_work);
  }
  return sheet;
}

Sheet device_annotations_sheet(const std::vector<RankBreakdown>& ranks, std::size_t top) {
  return annotation_times_sheet("device_annotations", ranks, top, &RankBreakdown::device_annotations);
}

Sheet host_annotations_sheet(const std::vector<RankBreakdown>& ranks, std::size_t top) {
  return annotation_times_sheet("host_annotations", ranks, top, &RankBreakdown::host_annotations);
}

}  // namespace orrery::analyze
