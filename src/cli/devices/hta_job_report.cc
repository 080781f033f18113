#include "cli/devices/hta_job_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/hta/annotations.h"
#include "analyze/hta/copy_rates.h"
#include "analyze/hta/counters.h"
#include "analyze/hta/idle.h"
#include "analyze/hta/kernel_annotations.h"
#include "analyze/hta/kernel_sequences.h"
#include "analyze/hta/kernel_totals.h"
#include "analyze/hta/kernel_types.h"
#include "analyze/hta/launch_stats.h"
#include "analyze/hta/memory_timeline.h"
#include "analyze/hta/operator_delays.h"
#include "analyze/hta/overlap.h"
#include "analyze/hta/queue_length.h"
#include "analyze/hta/stragglers.h"
#include "analyze/hta/temporal.h"
#include "analyze/hta/trace_diff.h"
#include "base/io/file_content.h"
#include "base/numbers.h"
#include "cli/devices/hta_answers.h"
#include "cli/frame/load.h"
#include "cli/frame/value.h"
#include "formats/format.h"
#include "formats/memory_timeline/reader.h"
#include "job/read/hta_input.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

namespace hta = analyze::hta;
using causal::hta::JobRows;
using causal::hta::RankRows;

/// The rows point into the input.
struct HtaJob {
  job::HtaInput input;
  JobRows rows;

  [[nodiscard]] std::vector<std::int64_t> ranks() const {
    std::vector<std::int64_t> numbers;
    for (const RankRows& rank : rows) numbers.push_back(rank.number);
    return numbers;
  }
};

Result<HtaJob> load_hta_job(Invocation& invocation, const std::vector<std::string>& operands,
                            causal::hta::Filter filter) {
  const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, invocation.diagnostics());
  if (!source) return source.error();
  Progress progress = invocation.progress("reading", total_bytes(source->files));
  Result<job::HtaInput> input = job::read_hta_job(*source, reading_of(invocation, progress));
  if (!input) return input.error();
  Result<JobRows> rows = causal::hta::make_job_rows(input->ranks, filter);
  if (!rows) return rows.error();
  return HtaJob{std::move(*input), std::move(*rows)};
}

Result<HtaJob> load_hta_steps(Invocation& invocation) {
  return load_hta_job(
      invocation, invocation.operands(),
      invocation.has("include-last-step") ? causal::hta::Filter::with_last_step : causal::hta::Filter::whole_steps);
}

hta::TotalsLimit totals_limit(const Invocation& invocation) {
  return {static_cast<std::size_t>(invocation.integer("top")), invocation.number("duration-ratio")};
}

report::Sheet numbers_sheet(std::string name, const std::string& column, const std::vector<std::int64_t>& numbers) {
  report::Sheet sheet(std::move(name));
  sheet.add({.name = column, .type = report::Type::integer, .title = column});
  for (const std::int64_t number : numbers) sheet.add_row({number});
  return sheet;
}

void add_numbers(HtaAnswers& answers, std::string name, const std::string& column, std::vector<std::int64_t> numbers) {
  report::Sheet sheet = numbers_sheet(std::move(name), column, numbers);
  answers.add(std::move(sheet), [numbers = std::move(numbers)](JsonWriter& json) {
    json.begin_array();
    for (const std::int64_t number : numbers) json.value(number);
    json.end_array();
  });
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void add_sequences(HtaAnswers& answers, const Result<std::vector<hta::KernelSequence>>& found) {
  if (!found) return answers.add_unavailable("sequences", found.error().message);
  answers.add(hta::sequences_sheet(*found), [rows = *found](JsonWriter& json) {
    json.begin_array();
    for (const hta::KernelSequence& row : rows) {
      json.begin_object().field("rank", row.rank).field("operator", row.operator_name);
      write_texts(json, "kernels", row.kernels);
      json.field("count", row.count)
          .field("device_us", to_us(row.device))
          .field("host_us", to_us(row.host))
          .end_object();
    }
    json.end_array();
  });
}

Result<std::vector<hta::CounterRow>> read_counters(const JobRows& job) {
  std::vector<std::vector<hta::RangeArguments>> arguments;
  for (const RankRows& rank : job) {
    Result<std::vector<job::Arguments>> read = job::read_arguments(rank.rows, hta::counted_ranges(rank));
    if (!read) return read.error();
    arguments.push_back(std::move(*read));
  }
  return hta::counter_rows(job, arguments);
}

void add_counters(HtaAnswers& answers, const Result<std::vector<hta::CounterRow>>& found) {
  if (!found) return answers.add_unavailable("counters", found.error().message);
  answers.add(hta::counters_sheet(*found), [rows = *found](JsonWriter& json) {
    json.begin_array();
    for (const hta::CounterRow& row : rows) {
      json.begin_object().field("rank", row.rank).field("kernel", row.kernel);
      write_texts(json, "op_stack", row.op_stack);
      json.key("counters").begin_object();
      for (const auto& [name, value] : row.counters) json.key(name).raw(value);
      json.end_object().end_object();
    }
    json.end_array();
  });
}

void write_launch_times(JsonWriter& json, std::string_view key, const hta::LaunchTimes& times) {
  const hta::Description& d = times.us;
  json.key(key).begin_object().field("count", d.count).field("mean", d.mean).field("std", d.std).field("min", d.min);
  json.field("p25", d.p25)
      .field("p50", d.p50)
      .field("p75", d.p75)
      .field("max", d.max)
      .field("sum", to_us(times.sum))
      .end_object();
}

void add_launches(HtaAnswers& answers, std::vector<hta::LaunchStats> stats) {
  report::Sheet sheet = hta::launches_sheet(stats);
  answers.add(std::move(sheet), [rows = std::move(stats)](JsonWriter& json) {
    json.begin_array();
    for (const hta::LaunchStats& row : rows) {
      json.begin_object().field("rank", row.rank);
      write_launch_times(json, "cpu_us", row.cpu);
      write_launch_times(json, "gpu_us", row.gpu);
      write_launch_times(json, "delay_us", row.delay);
      json.field("short_kernels", row.short_kernels).field("runtime_outliers", row.runtime_outliers);
      json.field("delay_outliers", row.delay_outliers).end_object();
    }
    json.end_array();
  });
}

void add_operators(HtaAnswers& answers, const Result<std::vector<hta::OperatorDelay>>& found) {
  if (!found) return answers.add_unavailable("operators", found.error().message);
  answers.add(hta::operators_sheet(*found), [rows = *found](JsonWriter& json) {
    json.begin_array();
    for (const hta::OperatorDelay& row : rows) {
      json.begin_object().field("rank", row.rank).field("operator", row.operator_name);
      write_texts(json, "kernels", row.kernels);
      json.field("count", row.count)
          .field("launch_delay_us", row.launch_delay_us)
          .field("runtime_delay_us", row.runtime_delay_us);
      json.end_object();
    }
    json.end_array();
  });
}

ExitCode show_timeline(Invocation& invocation, const std::string& file) {
  if (const Status told = invocation.add_input(file); !told) return invocation.fail(told.error());
  const auto changes = memory_timeline::read_timeline(file);
  if (!changes) return invocation.fail(changes.error());
  static_assert(memory_timeline::kCategories == hta::kMemoryCategories.size());
  std::vector<hta::MemoryChange> converted;
  converted.reserve(changes->size());
  for (const memory_timeline::Change& change : *changes)
    converted.push_back({change.time_ns, change.bytes, change.category});
  const hta::MemoryTimeline timeline = hta::summarize_memory(converted);
  const report::Sheet categories = hta::memory_categories_sheet(timeline);
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    json.key("timeline").begin_object().field("points", timeline.points).field("first_ns", timeline.first_ns);
    json.field("last_ns", timeline.last_ns)
        .field("least_ns", timeline.least_ns)
        .field("peak_bytes", timeline.peak_bytes);
    report::write_sheet(json, categories);
    json.end_object();
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(categories);
  } else {
    invocation.text() =
        fmt::format("Memory peaks at {}, over {} in time.\n\n",
                    format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(timeline.peak_bytes, 0))),
                    report::counted(timeline.points, "point")) +
        report::to_text(categories, invocation.view());
  }
  return ExitCode::ok;
}

/// {"added": [...], ...}: names by how often they occur in the two.
void write_operator_changes(JsonWriter& json, const hta::TraceDiff& diff) {
  const auto list = [&](std::string_view key, auto&& test) {
    json.key(key).begin_array();
    for (const hta::DiffRow& row : diff.rows) {
      if (test(row.control_count, row.test_count)) json.value(row.name);
    }
    json.end_array();
  };
  json.key("operators").begin_object();
  list("added", [](auto control, auto test) { return control == 0 && test > 0; });
  list("deleted", [](auto control, auto test) { return control > 0 && test == 0; });
  list("increased", [](auto control, auto test) { return control > 0 && test > control; });
  list("decreased", [](auto control, auto test) { return test > 0 && test < control; });
  list("unchanged", [](auto control, auto test) { return control == test && test > 0; });
  json.end_object();
}

}  // namespace

ExitCode run_hta_breakdown(Invocation& invocation) {
  const Result<HtaJob> job = load_hta_steps(invocation);
  if (!job) return invocation.fail(job.error());
  HtaAnswers answers;
  add_numbers(answers, "steps", "step", hta::profiled_steps(job->rows));
  answers.add("temporal", hta::temporal_sheet(job->rows));
  Result<hta::IdleSheets> idle = hta::idle_sheets(job->rows, invocation.number("kernel-delay-us"));
  if (idle) {
    answers.add(std::move(idle->times));
    answers.add(std::move(idle->intervals));
  } else {
    for (const char* key : {"idle", "idle_intervals"}) answers.add_unavailable(key, idle.error().message);
  }
  answers.add(hta::overlap_sheet(job->rows));
  const hta::TotalsLimit limit = totals_limit(invocation);
  answers.add("device_annotations",
              hta::annotations_sheet(job->rows, "device_annotations", "gpu_user_annotation", limit));
  answers.add("host_annotations", hta::annotations_sheet(job->rows, "host_annotations", "user_annotation", limit));
  return answers.show(invocation, job->ranks());
}

ExitCode run_hta_kernels(Invocation& invocation) {
  const Result<HtaJob> job = load_hta_steps(invocation);
  if (!job) return invocation.fail(job.error());
  const bool with_memory = !invocation.has("no-memory");
  HtaAnswers answers;
  answers.add(hta::kernel_types_sheet(job->rows, with_memory));
  answers.add(hta::kernel_totals_sheet(job->rows, with_memory, totals_limit(invocation)));
  answers.add("by_annotation", hta::kernel_annotations_sheet(job->rows));
  if (invocation.has("sequences"))
    add_sequences(answers, hta::kernel_sequences(job->rows.front(), invocation.text("sequences"),
                                                 static_cast<std::size_t>(invocation.integer("min-length"))));
  if (invocation.has("counters")) add_counters(answers, read_counters(job->rows));
  return answers.show(invocation, job->ranks());
}

ExitCode run_hta_launches(Invocation& invocation) {
  const Result<HtaJob> job = load_hta_steps(invocation);
  if (!job) return invocation.fail(job.error());
  HtaAnswers answers;
  add_launches(answers, hta::launch_stats(job->rows, {.with_memory = !invocation.has("no-memory"),
                                                      .runtime_cutoff_us = invocation.number("runtime-cutoff-us"),
                                                      .delay_cutoff_us = invocation.number("delay-cutoff-us")}));
  answers.add("queue", hta::queue_sheet(job->rows));
  answers.add("full_queue", hta::full_queue_sheet(job->rows, invocation.integer("queue-limit")));
  add_operators(answers, hta::operator_delays(job->rows));
  return answers.show(invocation, job->ranks());
}

ExitCode run_hta_memory(Invocation& invocation) {
  if (invocation.operands().size() == 1) {
    const std::string& file = invocation.operands().front();
    const Result<std::string> head = read_first_bytes(file, formats::Head::kBytes);
    if (head && memory_timeline::looks_like_timeline(*head)) return show_timeline(invocation, file);
  }
  const Result<HtaJob> job = load_hta_steps(invocation);
  if (!job) return invocation.fail(job.error());
  std::vector<std::vector<double>> rates;
  for (const RankRows& rank : job->rows) {
    auto read = job::read_number_argument(rank.rows, hta::copy_rows(rank), "memory bandwidth (GB/s)", 0);
    if (!read) return invocation.fail(read.error());
    rates.push_back(std::move(*read));
  }
  HtaAnswers answers;
  answers.add("copies", hta::copy_rates_sheet(job->rows, rates));
  return answers.show(invocation, job->ranks());
}

ExitCode run_hta_blame(Invocation& invocation) {
  const Result<HtaJob> job = load_hta_steps(invocation);
  if (!job) return invocation.fail(job.error());
  HtaAnswers answers;
  std::vector<std::int64_t> steps;
  for (const std::string& step : invocation.texts("step"))
    steps.push_back(parse_number<std::int64_t>(step).value_or(0));
  Result<std::vector<std::int64_t>> found =
      hta::potential_stragglers(job->rows, static_cast<std::size_t>(invocation.integer("candidates")), steps);
  if (found) add_numbers(answers, "stragglers", "rank", std::move(*found));
  else answers.add_unavailable("stragglers", found.error().message);
  return answers.show(invocation, job->ranks());
}

ExitCode run_hta_diff(Invocation& invocation) {
  hta::DiffOptions options{.rows = invocation.text("on") == "cpu"   ? hta::DiffRows::cpu
                                   : invocation.text("on") == "gpu" ? hta::DiffRows::gpu
                                                                    : hta::DiffRows::all,
                           .short_names = invocation.has("short-names")};
  if (invocation.has("control-step")) options.control_step = invocation.integer("control-step");
  if (invocation.has("test-step")) options.test_step = invocation.integer("test-step");
  const Result<HtaJob> control =
      load_hta_job(invocation, invocation.named_by(invocation.operands()[0]), causal::hta::Filter::none);
  if (!control) return invocation.fail(control.error());
  const Result<HtaJob> test =
      load_hta_job(invocation, invocation.named_by(invocation.operands()[1]), causal::hta::Filter::none);
  if (!test) return invocation.fail(test.error());
  const Result<hta::TraceDiff> diff = hta::diff_traces(control->rows, test->rows, options);
  if (!diff) return invocation.fail(diff.error());
  const report::Sheet sheet = hta::diff_sheet(*diff);
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    for (const auto& [key, side] : {std::pair{"control", diff->control}, std::pair{"test", diff->test}})
      json.key(key).begin_object().field("rank", side.rank).field("step", side.step).end_object();
    report::write_sheet(json, sheet);
    write_operator_changes(json, *diff);
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(sheet);
  } else {
    invocation.text() = fmt::format("Step {} of rank {} against step {} of rank {}, as HTA 0.6.1 compares them.\n\n",
                                    diff->test.step, diff->test.rank, diff->control.step, diff->control.rank) +
                        report::to_text(sheet, invocation.view());
  }
  return ExitCode::ok;
}

}  // namespace orrery::cli
