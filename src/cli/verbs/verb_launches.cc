// orrery launches: does the host keep the devices fed.
#include <fmt/format.h>

#include "analyze/device/launches.h"
#include "cli/devices/device_source.h"
#include "cli/devices/hta_job_report.h"
#include "cli/frame/verbs.h"
#include "report/bar.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

struct LaunchAnswer {
  std::vector<analyze::RankLaunches> launches;
  std::vector<analyze::RankQueues> queues;
  std::vector<analyze::RankOperators> operators;
  std::vector<analyze::RankOperatorTree> nested;
};

std::string launches_sentence(const DeviceJob& job, const LaunchAnswer& answer) {
  std::size_t calls = 0, works = 0, shorter = 0;
  TimePs host = 0, blocked = 0;
  for (const analyze::RankLaunches& rank : answer.launches) {
    calls += rank.host.count;
    works += rank.work.count;
    shorter += rank.short_kernels;
    host = analyze::plus_capped(host, rank.host.sum);
  }
  for (const analyze::RankQueues& rank : answer.queues) {
    for (const analyze::QueueTimes& queue : rank.queues)
      blocked = analyze::plus_capped(blocked, queue.stream ? queue.blocked : 0);
  }
  if (calls == 0) return fmt::format("{}: no launch of the devices' work was recorded.", window_in_words(job));
  std::string text =
      fmt::format("{}: {} for {} of device work, {} on the host; {} of the work is shorter than its launch call",
                  window_in_words(job), report::counted(calls, "launch call"), report::counted(works, "piece"),
                  format_duration(host), report::percent(static_cast<double>(shorter), static_cast<double>(works)));
  return text + (blocked > 0 ? fmt::format("; full queues block calls for {}.", format_duration(blocked)) : ".");
}

void write_operators(JsonWriter& json, const LaunchAnswer& answer) {
  const report::Sheet sheet = analyze::operators_sheet(answer.operators, false);
  json.key("operators").begin_array();
  std::size_t row = 0;
  for (const analyze::RankOperators& rank : answer.operators) {
    for (const analyze::OperatorDelay& op : rank.operators) {
      json.begin_object();
      report::write_members(json, sheet, row++);
      json.key("kernels").begin_array();
      for (const StringId name : op.kernels) json.value(rank.devices->trace->strings.text(name));
      json.end_array().end_object();
    }
  }
  json.end_array();
}

std::string launches_text(const Invocation& invocation, const DeviceJob& job, const LaunchAnswer& answer,
                          const std::vector<report::Sheet>& sheets) {
  const std::size_t rows = static_cast<std::size_t>(invocation.integer("top"));
  std::string text = invocation.style().paint(report::Tone::strong, launches_sentence(job, answer)) + "\n\n";
  const auto table = [&](const report::Sheet& sheet, std::string_view rest, std::string_view largest) {
    if (sheet.rows() == 0) return;
    report::SheetView view = short_view(invocation, rows == 0 ? ~std::size_t{0} : rows, rest);
    view.largest = largest;
    text += to_text(sheet, view) + "\n";
  };
  table(sheets[analyze::kLaunches], "rows", "");
  table(sheets[analyze::kLaunchCounts], "ranks", "");
  table(sheets[analyze::kLaunchCalls], "calls", "cpu_sum");
  table(sheets[analyze::kQueue], "rows", "");
  table(sheets[analyze::kFullQueue], "streams", "blocked");
  const std::string sort = invocation.text("sort");
  table(analyze::operators_sheet(answer.operators, true), "rows",
        sort == "count" ? std::string_view() : std::string_view(sort));
  table(sheets.back(), "operators", "");
  return text + next_verb(invocation, "what keeps the host?", "path");
}

Unavailable missing_of_launches(const DeviceJob& job, const std::vector<report::Sheet>& sheets, std::int64_t limit) {
  Unavailable missing;
  const bool any_work = analyze::any_device_work(job.ranks);
  for (const report::Sheet& sheet : sheets) {
    if (any_work && sheet.rows() > 0) continue;
    if (!any_work) missing.emplace_back(sheet.name(), "no device work was recorded in the window");
    else if (sheet.name() == "full_queue")
      missing.emplace_back(sheet.name(), fmt::format("no call was entered while {} waited", limit));
    else if (sheet.name() == "nested_operators")
      missing.emplace_back(sheet.name(), "no operator was recorded around a launch");
    else missing.emplace_back(sheet.name(), "no launch of the devices' work was recorded");
  }
  return missing;
}

ExitCode run_launches(Invocation& invocation) {
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  if (invocation.has("compat")) return run_hta_launches(invocation);
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  const auto us = [&](const char* flag) {
    return static_cast<TimePs>(invocation.number(flag) * static_cast<double>(kPsPerUs));
  };
  // 10^12 us are 12 days; more than any trace has, and what still fits picoseconds.
  for (const char* flag : {"runtime-cutoff-us", "delay-cutoff-us"}) {
    if (!(invocation.number(flag) >= 0 && invocation.number(flag) <= 1e12))
      return invocation.fail_usage({fmt::format("--{} takes a time in microseconds, at least 0", flag), "like 50"});
  }
  const auto job = load_devices(invocation, true);
  if (!job) return invocation.fail(job.error());
  const bool with_memory = !invocation.has("no-memory");
  const std::int64_t limit = invocation.integer("queue-limit");
  const LaunchAnswer answer{
      .launches = analyze::measure_launches(job->ranks, {.with_memory = with_memory,
                                                         .runtime_cutoff = us("runtime-cutoff-us"),
                                                         .delay_cutoff = us("delay-cutoff-us")}),
      .queues = analyze::measure_queues(job->ranks, limit, with_memory),
      .operators = analyze::measure_operators(job->ranks, with_memory),
      .nested = analyze::nest_operators(job->ranks, with_memory)};
  std::vector<report::Sheet> sheets = analyze::launch_sheets(answer.launches, answer.queues);
  sheets.push_back(analyze::nested_operators_sheet(answer.nested));
  if (invocation.json()) {
    Unavailable missing = missing_of_launches(*job, sheets, limit);
    write_operators(invocation.data(), answer);
    write_devices_json(invocation.data(), *job, sheets, missing);
  } else if (invocation.csv()) {
    sheets.push_back(analyze::operators_sheet(answer.operators, true));
    invocation.text() = report::to_csv(sheets);
  } else if (!analyze::any_device_work(job->ranks)) {
    invocation.text() = no_device_work_text(invocation, *job);
  } else {
    invocation.text() = launches_text(invocation, *job, answer, sheets);
  }
  return ExitCode::ok;
}

}  // namespace

const Verb& launches_verb() {
  static const Verb verb = {
      .name = "launches",
      .summary = "does the host keep the devices fed: launch calls, delays, queues, operators",
      .description =
          "Every call of a runtime or driver that shares a correlation with device work is a launch: of kernels, "
          "copies and sets, and of "
          "graphs, "
          "whose call starts many. The delay counts from entering the call and keeps its sign. Queue lengths are "
          "weighted by time, from "
          "entering "
          "the call until the work has ended, and until it starts. Operators are the innermost ones of the launching "
          "thread; "
          "the nested view has those around them, with what each launches itself and all inside it.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_device_flags({
                                  Flag{.name = "queue-limit",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "with this many waiting, a queue is full",
                                       .default_text = "1024"},
                                  Flag{.name = "no-memory", .help = "leave out copies and sets"},
                                  Flag{.name = "runtime-cutoff-us",
                                       .value_name = "X",
                                       .kind = ValueKind::number,
                                       .help = "calls that take longer are counted as slow",
                                       .default_text = "50"},
                                  Flag{.name = "delay-cutoff-us",
                                       .value_name = "X",
                                       .kind = ValueKind::number,
                                       .help = "work that starts later after its call is counted as late",
                                       .default_text = "100"},
                                  Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "show N rows of each table; 0: all",
                                       .default_text = "10"},
                                  Flag{.name = "sort",
                                       .value_name = "COLUMN",
                                       .help = "which operators come first",
                                       .default_text = "count",
                                       .choices = "count device launch_delay runtime_delay"},
                              }),
                              hta_launches_flags()),
      .examples = {{"orrery launches trace.json.gz", "all launches of one rank"},
                   {"orrery launches traces/ --queue-limit 100", "and what calls lose while 100 pieces of work wait"}},
      .run = run_launches,
  };
  return verb;
}

}  // namespace orrery::cli
