// orrery breakdown: where the time of the devices goes.
#include <fmt/format.h>

#include <filesystem>

#include "analyze/device/breakdown_sheets.h"
#include "base/percent.h"
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

using analyze::DeviceTime;
using analyze::IdleReason;

std::string share_of(TimePs part, TimePs whole) {
  return report::percent(static_cast<double>(part), static_cast<double>(whole));
}

TimePs idle_for(const DeviceTime& sum, IdleReason reason) { return sum.idle.time[static_cast<std::size_t>(reason)]; }

std::size_t count_devices(const std::vector<analyze::RankBreakdown>& ranks) {
  std::size_t count = 0;
  for (const analyze::RankBreakdown& rank : ranks) count += rank.times.size();
  return count;
}

// "GPU busy 71 % of the time; of the idle 29 %, 66 % wait for the host to launch something."
std::string breakdown_sentence(const std::string& window, std::size_t count, const DeviceTime& sum) {
  std::string text = fmt::format("{}: {} busy {}", window, count == 1 ? "device" : report::counted(count, "device"),
                                 share_of(sum.busy_time(), sum.window));
  const TimePs idle = sum.idle_time();
  if (idle == 0) return text + ", never idle.";
  std::size_t most = 0;
  for (std::size_t r = 1; r < analyze::kIdleReasons; ++r) most = sum.idle.time[r] > sum.idle.time[most] ? r : most;
  static constexpr const char* kWords[] = {"waits for the host to launch something", "is launch latency",
                                           "waits for another stream", "lies between queued work",
                                           "has no recorded cause"};
  return fmt::format("{}; of the idle {}, {} {}.", text, share_of(idle, sum.window),
                     share_of(sum.idle.time[most], idle), kWords[most]);
}

// Runs are not added up: each has its sentence.
std::string breakdown_sentences(const DeviceJob& job, const std::vector<analyze::RankBreakdown>& ranks,
                                const DeviceTime& sum) {
  if (!are_runs(job)) return breakdown_sentence(window_in_words(job), count_devices(ranks), sum);
  std::string text;
  for (const analyze::RankBreakdown& run : ranks) {
    const std::string file = std::filesystem::path(run.devices->rank->source.path).filename().string();
    const std::string window = fmt::format("{} ({})", window_in_words(*run.devices), file);
    text += (text.empty() ? "" : "\n") + breakdown_sentence(window, run.times.size(), analyze::sum_of({run}));
  }
  return text;
}

std::string hint_of(const Invocation& invocation, const DeviceJob& job, const DeviceTime& sum) {
  // Which run keeps the host waiting is a question to that run alone.
  if (are_runs(job)) return next_verb(invocation, "which kernels take the time?", "kernels");
  const TimePs host = idle_for(sum, IdleReason::host_wait) + idle_for(sum, IdleReason::launch_latency);
  if (host > sum.computing() && host > sum.exposed_communication())
    return next_verb(invocation, "does the host keep up?", "launches");
  if (sum.exposed_communication() > sum.computing()) return next_verb(invocation, "who waits for whom?", "blame");
  return next_verb(invocation, "which kernels take the time?", "kernels");
}

std::string breakdown_text(const Invocation& invocation, const DeviceJob& job,
                           const std::vector<analyze::RankBreakdown>& ranks, const std::vector<report::Sheet>& sheets) {
  const DeviceTime sum = analyze::sum_of(ranks);
  std::string text = invocation.style().paint(report::Tone::strong, breakdown_sentences(job, ranks, sum)) + "\n\n";
  if (!are_runs(job)) text += to_text(sheets[analyze::kPartsOfBreakdown], invocation.view()) + "\n";
  const std::size_t rows =
      invocation.has("top") ? static_cast<std::size_t>(invocation.integer("top")) : kRowsThatMatter;
  const auto table = [&](std::size_t sheet, std::string_view rest, std::string_view largest) {
    if (sheets[sheet].rows() == 0) return;
    report::SheetView view = short_view(invocation, rows == 0 ? ~std::size_t{0} : rows, rest);
    view.largest = largest;
    text += to_text(sheets[sheet], view) + "\n";
  };
  const std::string sort = invocation.text("sort");
  table(analyze::kTemporal, "devices", sort == "rank" ? std::string_view() : std::string_view(sort));
  table(analyze::kHostWaits, "rows", "idle");
  table(analyze::kOverlap, "devices", "");
  table(analyze::kStreamIdle, "rows", "busy");
  table(analyze::kHostAnnotations, "annotations", "sum");
  return text + hint_of(invocation, job, sum);
}

Unavailable missing_of(const DeviceJob& job, const std::vector<report::Sheet>& sheets) {
  const bool any_work = analyze::any_device_work(job.ranks);
  Unavailable missing;
  for (std::size_t s = 0; s < sheets.size(); ++s) {
    if (sheets[s].rows() > 0 && (any_work || s == analyze::kHostAnnotations)) continue;
    if (s == analyze::kHostAnnotations) missing.emplace_back(sheets[s].name(), "no annotation was recorded");
    else if (!any_work) missing.emplace_back(sheets[s].name(), "no device work was recorded in the window");
    else if (s == analyze::kOverlap) missing.emplace_back(sheets[s].name(), "no device communicates");
    else if (s == analyze::kHostWaits) missing.emplace_back(sheets[s].name(), "no device waits for a launch call");
    else if (s == analyze::kDeviceAnnotations)
      missing.emplace_back(sheets[s].name(), "no device annotation was recorded");
    else missing.emplace_back(sheets[s].name(), "no device is ever idle");
  }
  return missing;
}

ExitCode run_breakdown(Invocation& invocation) {
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  if (invocation.has("compat")) return run_hta_breakdown(invocation);
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  const auto job = load_devices(invocation, false);
  if (!job) return invocation.fail(job.error());
  const std::vector<analyze::RankBreakdown> ranks = analyze::break_down(job->ranks);
  const std::vector<report::Sheet> sheets =
      analyze::breakdown_sheets(ranks, static_cast<std::size_t>(invocation.integer("top")));
  if (invocation.json()) {
    invocation.data().key("steps").begin_array();
    for (const std::int64_t step : analyze::step_numbers(job->ranks)) invocation.data().value(step);
    invocation.data().end_array();
    write_devices_json(invocation.data(), *job, sheets, missing_of(*job, sheets));
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(sheets);
  } else if (!analyze::any_device_work(job->ranks)) {
    invocation.text() = no_device_work_text(invocation, *job);
  } else {
    invocation.text() = breakdown_text(invocation, *job, ranks, sheets);
  }
  return ExitCode::ok;
}

}  // namespace

const Verb& breakdown_verb() {
  static const Verb verb = {
      .name = "breakdown",
      .summary = "where the devices' time goes: computing, communicating, copying, idle and why",
      .description =
          "Every moment of every device is counted once, however many streams work in it: computing, communicating "
          "without computing, "
          "copying "
          "alone, or idle. Idle time is split by what bound the work that ended it: the launch call had not come, the "
          "launch took its "
          "time, another "
          "stream had to end first, the device went on slowly, or nothing that was recorded. Where the call had not "
          "come, rows say what "
          "the host "
          "did meanwhile: the history of the thread that launched, across threads that it waited for. Per-stream "
          "figures, overlap and "
          "annotations "
          "follow. "
          "Times are exact; percentages add up to 100.\n\n"
          "docs/BREAKDOWN.md says what each number means, and how it differs from HTA's.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_device_flags({
                                  Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "the N largest annotations, and one row for the rest; 0: all (people "
                                               "see ten rows unless it is given)",
                                       .default_text = "1000"},
                                  Flag{.name = "sort",
                                       .value_name = "COLUMN",
                                       .help = "which device comes first in the table",
                                       .default_text = "rank",
                                       .choices = "rank idle busy compute window"},
                              }),
                              hta_breakdown_flags()),
      .examples = {{"orrery breakdown trace.json.gz", "all that was recorded of one rank"},
                   {"orrery breakdown traces/ --sort idle", "all ranks of a job, those with the most idle time first"},
                   {"orrery breakdown trace.json.gz --annotation ProfilerStep --instance 2", "the third step"}},
      .run = run_breakdown,
  };
  return verb;
}

}  // namespace orrery::cli
