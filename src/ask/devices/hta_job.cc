#include "ask/devices/hta_job.h"

#include <fmt/format.h>

#include "analyze/hta/copy_rates.h"
#include "analyze/hta/counters.h"
#include "analyze/hta/idle.h"
#include "analyze/hta/kernel_annotations.h"
#include "analyze/hta/kernel_sequences.h"
#include "analyze/hta/operator_delays.h"
#include "analyze/hta/queue_length.h"
#include "analyze/hta/stragglers.h"
#include "analyze/hta/temporal.h"
#include "ask/devices/device_source.h"
#include "job/read/hta_input.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

namespace hta = analyze::hta;
using causal::hta::JobRows;
using causal::hta::RankRows;
using report::Facts;
using report::Readers;

/// The rows point into the input.
struct HtaJob {
  job::HtaInput input;
  JobRows rows;
};

Result<HtaJob> load_hta_job(Context& context, const RecordingRequest& request, causal::hta::Filter filter) {
  const Result<job::Source> source = job::find_source(request.files, {.may_miss_ranks = true}, context.diagnostics());
  if (!source) return source.error();
  Progress progress = context.progress("reading", total_bytes(source->files));
  Result<job::HtaInput> input = job::read_hta_job(*source, reading_of(context, request, progress));
  if (!input) return input.error();
  Result<JobRows> rows = causal::hta::make_job_rows(input->ranks, filter);
  if (!rows) return rows.error();
  return HtaJob{std::move(*input), std::move(*rows)};
}

Result<HtaJob> load_hta_steps(Context& context, const HtaSteps& steps) {
  return load_hta_job(context, steps.recording,
                      steps.include_last_step ? causal::hta::Filter::with_last_step : causal::hta::Filter::whole_steps);
}

/// The tables of one answer; of each there may be a reason instead why HTA has none.
class HtaTables {
 public:
  HtaTables(const Context& context, const HtaJob& job) : answer_(context.answer()) {
    answer_.line(fmt::format("As HTA 0.6.1 computes it, of {}.", report::counted(job.rows.size(), "rank")));
    answer_.facts().key("ranks").begin_array();
    for (const RankRows& rank : job.rows) answer_.facts().value(rank.number);
    answer_.facts().end_array();
  }

  void add(report::Sheet sheet) { add_for(Readers::all, std::move(sheet)); }
  /// `key`: of the answer, where there is none.
  void add(std::string_view key, Result<report::Sheet> sheet) {
    if (sheet) add(std::move(*sheet));
    else add_unavailable(key, sheet.error().message);
  }
  /// The same where programs get rows that nest: `tell` writes the value of the key.
  template <typename Tell>
  void add(report::Sheet sheet, const Tell& tell) {
    if (answer_.for_programs()) tell(answer_.facts().key(sheet.name()));
    add_for(Readers::people_and_tables, std::move(sheet));
  }
  void add_unavailable(std::string_view key, const std::string& reason) {
    answer_.gap().text(key, report::Tone::strong).text(fmt::format(": not available: {}.\n", reason));
    if (answer_.for_programs()) answer_.facts().key(key).null();
    unavailable_.emplace_back(key, reason);
  }

  /// Behind the last.
  report::Answer take() {
    if (answer_.for_programs()) tell_unavailable(answer_.facts(), unavailable_);
    return std::move(answer_);
  }

 private:
  void add_for(Readers readers, report::Sheet sheet) {
    answer_.gap().text(sheet.name(), report::Tone::strong).text(sheet.rows() == 0 ? ": nothing\n" : "\n");
    answer_.table(std::move(sheet), {.view = {.rows = kRowsThatMatter}, .readers = readers});
  }

  report::Answer answer_;
  Unavailable unavailable_;
};

void add_numbers(HtaTables& tables, const char* name, const char* column, const std::vector<std::int64_t>& numbers) {
  report::Sheet sheet(name);
  sheet.add({.name = column, .type = report::Type::integer, .title = column});
  for (const std::int64_t number : numbers) sheet.add_row({number});
  tables.add(std::move(sheet), [&](Facts& facts) {
    facts.begin_array();
    for (const std::int64_t number : numbers) facts.value(number);
    facts.end_array();
  });
}

/// A list of objects, one per row; `tell` writes the members.
template <typename Row, typename Tell>
void add_rows(HtaTables& tables, report::Sheet sheet, const std::vector<Row>& rows, const Tell& tell) {
  tables.add(std::move(sheet), [&](Facts& facts) {
    facts.begin_array();
    for (const Row& row : rows) {
      facts.begin_object().field("rank", row.rank);
      tell(facts, row);
      facts.end_object();
    }
    facts.end_array();
  });
}

void tell_texts(Facts& facts, std::string_view key, const std::vector<std::string>& texts) {
  facts.key(key).begin_array();
  for (const std::string& text : texts) facts.value(text);
  facts.end_array();
}

void add_sequences(HtaTables& tables, const Result<std::vector<hta::KernelSequence>>& found) {
  if (!found) return tables.add_unavailable("sequences", found.error().message);
  add_rows(tables, hta::sequences_sheet(*found), *found, [](Facts& facts, const hta::KernelSequence& row) {
    facts.field("operator", row.operator_name);
    tell_texts(facts, "kernels", row.kernels);
    facts.field("count", row.count).field("device_us", to_us(row.device)).field("host_us", to_us(row.host));
  });
}

Result<std::vector<hta::CounterRow>> read_hta_counters(const JobRows& job) {
  std::vector<std::vector<hta::RangeArguments>> arguments;
  for (const RankRows& rank : job) {
    Result<std::vector<job::Arguments>> read = job::read_arguments(rank.rows, hta::counted_ranges(rank));
    if (!read) return read.error();
    arguments.push_back(std::move(*read));
  }
  return hta::counter_rows(job, arguments);
}

void add_counters(HtaTables& tables, const Result<std::vector<hta::CounterRow>>& found) {
  if (!found) return tables.add_unavailable("counters", found.error().message);
  add_rows(tables, hta::counters_sheet(*found), *found, [](Facts& facts, const hta::CounterRow& row) {
    facts.field("kernel", row.kernel);
    tell_texts(facts, "op_stack", row.op_stack);
    facts.key("counters").begin_object();
    for (const auto& [name, value] : row.counters) facts.key(name).raw(value);
    facts.end_object();
  });
}

void tell_launch_times(Facts& facts, std::string_view key, const hta::LaunchTimes& times) {
  const hta::Description& d = times.us;
  facts.key(key).begin_object().field("count", d.count).field("mean", d.mean).field("std", d.std).field("min", d.min);
  facts.field("p25", d.p25)
      .field("p50", d.p50)
      .field("p75", d.p75)
      .field("max", d.max)
      .field("sum", to_us(times.sum))
      .end_object();
}

void add_launches(HtaTables& tables, const std::vector<hta::LaunchStats>& stats) {
  add_rows(tables, hta::launches_sheet(stats), stats, [](Facts& facts, const hta::LaunchStats& row) {
    tell_launch_times(facts, "cpu_us", row.cpu);
    tell_launch_times(facts, "gpu_us", row.gpu);
    tell_launch_times(facts, "delay_us", row.delay);
    facts.field("short_kernels", row.short_kernels).field("runtime_outliers", row.runtime_outliers);
    facts.field("delay_outliers", row.delay_outliers);
  });
}

void add_operators(HtaTables& tables, const Result<std::vector<hta::OperatorDelay>>& found) {
  if (!found) return tables.add_unavailable("operators", found.error().message);
  add_rows(tables, hta::operators_sheet(*found), *found, [](Facts& facts, const hta::OperatorDelay& row) {
    facts.field("operator", row.operator_name);
    tell_texts(facts, "kernels", row.kernels);
    facts.field("count", row.count)
        .field("launch_delay_us", row.launch_delay_us)
        .field("runtime_delay_us", row.runtime_delay_us);
  });
}

/// {"added": [...], ...}: names by how often they occur in the two.
void tell_operator_changes(Facts& facts, const hta::TraceDiff& diff) {
  const auto list = [&](std::string_view key, auto&& test) {
    facts.key(key).begin_array();
    for (const hta::DiffRow& row : diff.rows) {
      if (test(row.control_count, row.test_count)) facts.value(row.name);
    }
    facts.end_array();
  };
  facts.key("operators").begin_object();
  list("added", [](auto control, auto test) { return control == 0 && test > 0; });
  list("deleted", [](auto control, auto test) { return control > 0 && test == 0; });
  list("increased", [](auto control, auto test) { return control > 0 && test > control; });
  list("decreased", [](auto control, auto test) { return test > 0 && test < control; });
  list("unchanged", [](auto control, auto test) { return control == test && test > 0; });
  facts.end_object();
}

}  // namespace

Result<report::Answer> breakdown_as_hta(const HtaSteps& steps, const hta::TotalsLimit& limit, double kernel_delay_us,
                                        Context& context) {
  const Result<HtaJob> job = load_hta_steps(context, steps);
  if (!job) return job.error();
  HtaTables tables(context, *job);
  add_numbers(tables, "steps", "step", hta::profiled_steps(job->rows));
  tables.add("temporal", hta::temporal_sheet(job->rows));
  Result<hta::IdleSheets> idle = hta::idle_sheets(job->rows, kernel_delay_us);
  if (idle) {
    tables.add(std::move(idle->times));
    tables.add(std::move(idle->intervals));
  } else {
    for (const char* key : {"idle", "idle_intervals"}) tables.add_unavailable(key, idle.error().message);
  }
  tables.add(hta::overlap_sheet(job->rows));
  tables.add("device_annotations",
             hta::annotations_sheet(job->rows, "device_annotations", "gpu_user_annotation", limit));
  tables.add("host_annotations", hta::annotations_sheet(job->rows, "host_annotations", "user_annotation", limit));
  return tables.take();
}

Result<report::Answer> kernels_as_hta(const HtaSteps& steps, const HtaKernels& wanted, Context& context) {
  const Result<HtaJob> job = load_hta_steps(context, steps);
  if (!job) return job.error();
  HtaTables tables(context, *job);
  tables.add(hta::kernel_types_sheet(job->rows, wanted.with_memory));
  tables.add(hta::kernel_totals_sheet(job->rows, wanted.with_memory, wanted.limit));
  tables.add("by_annotation", hta::kernel_annotations_sheet(job->rows));
  if (wanted.sequences)
    add_sequences(tables, hta::kernel_sequences(job->rows.front(), *wanted.sequences, wanted.min_length));
  if (wanted.counters) add_counters(tables, read_hta_counters(job->rows));
  return tables.take();
}

Result<report::Answer> launches_as_hta(const HtaSteps& steps, const hta::LaunchOptions& options,
                                       std::int64_t queue_limit, Context& context) {
  const Result<HtaJob> job = load_hta_steps(context, steps);
  if (!job) return job.error();
  HtaTables tables(context, *job);
  add_launches(tables, hta::launch_stats(job->rows, options));
  tables.add("queue", hta::queue_sheet(job->rows));
  tables.add("full_queue", hta::full_queue_sheet(job->rows, queue_limit));
  add_operators(tables, hta::operator_delays(job->rows));
  return tables.take();
}

Result<report::Answer> memory_as_hta(const HtaSteps& steps, Context& context) {
  const Result<HtaJob> job = load_hta_steps(context, steps);
  if (!job) return job.error();
  std::vector<std::vector<double>> rates;
  for (const RankRows& rank : job->rows) {
    auto read = job::read_number_argument(rank.rows, hta::copy_rows(rank), "memory bandwidth (GB/s)", 0);
    if (!read) return read.error();
    rates.push_back(std::move(*read));
  }
  HtaTables tables(context, *job);
  tables.add("copies", hta::copy_rates_sheet(job->rows, rates));
  return tables.take();
}

Result<report::Answer> blame_as_hta(const HtaSteps& steps, std::size_t candidates,
                                    const std::vector<std::int64_t>& only, Context& context) {
  const Result<HtaJob> job = load_hta_steps(context, steps);
  if (!job) return job.error();
  HtaTables tables(context, *job);
  const Result<std::vector<std::int64_t>> found = hta::potential_stragglers(job->rows, candidates, only);
  if (found) add_numbers(tables, "stragglers", "rank", *found);
  else tables.add_unavailable("stragglers", found.error().message);
  return tables.take();
}

Result<report::Answer> diff_as_hta(const RecordingRequest& control, const RecordingRequest& test,
                                   const hta::DiffOptions& options, Context& context) {
  const Result<HtaJob> a = load_hta_job(context, control, causal::hta::Filter::none);
  if (!a) return a.error();
  const Result<HtaJob> b = load_hta_job(context, test, causal::hta::Filter::none);
  if (!b) return b.error();
  const Result<hta::TraceDiff> diff = hta::diff_traces(a->rows, b->rows, options);
  if (!diff) return diff.error();
  report::Answer answer = context.answer();
  answer
      .line(fmt::format("Step {} of rank {} against step {} of rank {}, as HTA 0.6.1 compares them.", diff->test.step,
                        diff->test.rank, diff->control.step, diff->control.rank))
      .gap();
  if (answer.for_programs()) {
    for (const auto& [key, side] : {std::pair{"control", diff->control}, std::pair{"test", diff->test}})
      answer.facts().key(key).begin_object().field("rank", side.rank).field("step", side.step).end_object();
    tell_operator_changes(answer.facts(), *diff);
  }
  answer.table(hta::diff_sheet(*diff));
  return answer;
}

}  // namespace orrery::ask
