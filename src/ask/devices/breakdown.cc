#include "ask/devices/breakdown.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/device/breakdown_sheets.h"
#include "ask/devices/hta_job.h"
#include "report/bar.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using analyze::DeviceTime;
using analyze::IdleReason;
using report::Readers;

constexpr std::size_t kAnnotationsNamed = 1000;
constexpr double kHtaKernelDelayUs = 30;

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
  if (const TimePs earlier = sum.idle.earlier(); earlier > 0)
    text += fmt::format(", {} at work from before the recording", share_of(earlier, sum.window));
  const TimePs idle = sum.idle_time();
  if (idle == 0) return text + ", never idle.";
  static constexpr const char* kWords[] = {"waits for the host to launch something", "is launch latency",
                                           "waits for another stream", "lies between queued work",
                                           "has no recorded cause"};
  std::size_t most = 0;
  for (std::size_t r = 1; r < std::size(kWords); ++r) most = sum.idle.time[r] > sum.idle.time[most] ? r : most;
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

void tell_next_of_breakdown(report::Answer& answer, const DeviceRequest& request, const DeviceJob& job,
                            const DeviceTime& sum) {
  const TimePs host = idle_for(sum, IdleReason::host_wait) + idle_for(sum, IdleReason::launch_latency);
  // Which run keeps the host waiting is a question to that run alone.
  const bool is_one_job = !are_runs(job);
  if (is_one_job && host > sum.computing() && host > sum.exposed_communication())
    tell_next(answer, request, "does the host keep up?", "launches");
  else if (is_one_job && sum.exposed_communication() > sum.computing())
    tell_next(answer, request, "who waits for whom?", "blame");
  else tell_next(answer, request, "which kernels take the time?", "kernels");
}

void tell_breakdown_tables(report::Answer& answer, const BreakdownRequest& request, const DeviceJob& job,
                           const std::vector<analyze::RankBreakdown>& ranks) {
  const std::size_t top = request.top.value_or(kAnnotationsNamed);
  const std::size_t rows = rows_shown(request.top.value_or(kRowsThatMatter));
  const auto shown = [&](std::string_view rest, std::string_view largest) {
    return report::Shown{.view = {.rows = rows, .rest = rest, .largest = largest}};
  };
  constexpr std::string_view kNeverIdle = "no device is ever idle";
  DeviceTables tables(answer, job);
  // Runs are not added up for people.
  tables.add([&] { return analyze::parts_sheet(analyze::sum_of(ranks)); }, kNeverIdle,
             {.readers = are_runs(job) ? Readers::programs_and_tables : Readers::all});
  tables.add([&] { return analyze::temporal_sheet(ranks); }, kNeverIdle, shown("devices", request.sort.value_or("")));
  tables.add([&] { return analyze::host_waits_sheet(ranks, top); }, "no device waits for a launch call",
             shown("rows", "idle"));
  tables.add([&] { return analyze::overlap_sheet(ranks); }, "no device communicates", shown("devices", ""));
  tables.add([&] { return analyze::stream_idle_sheet(ranks); }, kNeverIdle, shown("rows", "busy"));
  tables.add_of_host([&] { return analyze::host_annotations_sheet(ranks, top); }, "no annotation was recorded",
                     shown("annotations", "sum"));
  constexpr report::Shown kNotForPeople{.readers = Readers::programs_and_tables};
  tables.add([&] { return analyze::device_annotations_sheet(ranks, top); }, "no device annotation was recorded",
             kNotForPeople);
  tables.add([&] { return analyze::idle_sheet(ranks); }, kNeverIdle, kNotForPeople);
  tables.add([&] { return analyze::idle_intervals_sheet(ranks); }, kNeverIdle, kNotForPeople);
  tables.finish();
}

}  // namespace

Result<report::Answer> run(const BreakdownRequest& request, Context& context) {
  const auto error = check_device_mode(request.compat, request.devices, request.sort.has_value(),
                                       {{"kernel-delay-us", request.kernel_delay_us.has_value()},
                                        {"duration-ratio", request.duration_ratio.has_value()},
                                        {"include-last-step", request.include_last_step}});
  if (error) return *error;
  if (request.compat == Compat::hta)
    return breakdown_as_hta(
        {request.devices.recording, request.include_last_step},
        {request.top.value_or(kAnnotationsNamed), request.duration_ratio.value_or(kHtaDurationRatio)},
        request.kernel_delay_us.value_or(kHtaKernelDelayUs), context);
  const auto job = load_devices(context, request.devices);
  if (!job) return job.error();
  report::Answer answer = context.answer();
  if (answer.for_people() && !analyze::any_device_work(job->ranks)) {
    tell_no_device_work(answer, request.devices, *job);
    return answer;
  }
  const std::vector<analyze::RankBreakdown> ranks = analyze::break_down(job->ranks);
  const DeviceTime sum = analyze::sum_of(ranks);
  answer.headline(breakdown_sentences(*job, ranks, sum)).gap();
  if (answer.for_programs()) {
    answer.facts().key("steps").begin_array();
    for (const std::int64_t step : analyze::step_numbers(job->ranks)) answer.facts().value(step);
    answer.facts().end_array();
  }
  tell_breakdown_tables(answer, request, *job, ranks);
  tell_next_of_breakdown(answer, request.devices, *job, sum);
  return answer;
}

}  // namespace orrery::ask
