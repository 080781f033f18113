#include "ask/devices/launches.h"

#include <fmt/format.h>

#include "analyze/device/launches.h"
#include "ask/devices/hta_job.h"
#include "report/bar.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

std::string launches_sentence(const DeviceJob& job, const std::vector<analyze::RankLaunches>& launches,
                              const std::vector<analyze::RankQueues>& queues) {
  std::size_t calls = 0, works = 0, shorter = 0;
  TimePs host = 0, blocked = 0;
  for (const analyze::RankLaunches& rank : launches) {
    calls += rank.host.count;
    works += rank.work.count;
    shorter += rank.short_kernels;
    host = analyze::plus_capped(host, rank.host.sum);
  }
  for (const analyze::RankQueues& rank : queues) {
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

// Programs get the kernels as a list, where a Sheet has one text.
void tell_operator_facts(report::Facts& facts, const std::vector<analyze::RankOperators>& operators) {
  const auto sheet = report::Facts::share(analyze::operators_sheet(operators, false));
  facts.key("operators").begin_array();
  std::size_t row = 0;
  for (const analyze::RankOperators& rank : operators) {
    for (const analyze::OperatorDelay& op : rank.operators) {
      facts.begin_object().members(sheet, row++).key("kernels").begin_array();
      for (const StringId name : op.kernels) facts.value(rank.devices->trace->strings.text(name));
      facts.end_array().end_object();
    }
  }
  facts.end_array();
}

void tell_launches(report::Answer& answer, const LaunchesRequest& request, const DeviceJob& job) {
  const bool with_memory = !request.no_memory;
  const auto ps = [](double us) { return static_cast<TimePs>(us * static_cast<double>(kPsPerUs)); };
  const auto launches = analyze::measure_launches(job.ranks, {.with_memory = with_memory,
                                                              .runtime_cutoff = ps(request.runtime_cutoff_us),
                                                              .delay_cutoff = ps(request.delay_cutoff_us)});
  const auto queues = analyze::measure_queues(job.ranks, request.queue_limit, with_memory);
  const auto operators = analyze::measure_operators(job.ranks, with_memory);
  answer.headline(launches_sentence(job, launches, queues)).gap();
  const auto shown = [&](std::string_view rest, std::string_view largest = {}) {
    return report::Shown{.view = {.rows = rows_shown(request.top), .rest = rest, .largest = largest}};
  };
  constexpr std::string_view kNone = "no launch of the devices' work was recorded";
  DeviceTables tables(answer, job);
  tables.add([&] { return analyze::launches_sheet(launches); }, kNone, shown("rows"));
  tables.add([&] { return analyze::launch_counts_sheet(launches); }, kNone, shown("ranks"));
  tables.add([&] { return analyze::launch_calls_sheet(launches); }, kNone, shown("calls", "cpu_sum"));
  tables.add([&] { return analyze::queue_sheet(queues); }, kNone, shown("rows"));
  tables.add([&] { return analyze::full_queue_sheet(queues); },
             fmt::format("no call was entered while {} waited", request.queue_limit), shown("streams", "blocked"));
  if (answer.for_programs()) tell_operator_facts(answer.facts(), operators);
  report::Shown shown_operators = shown("rows", request.sort.value_or(""));
  shown_operators.readers = report::Readers::people_and_tables;
  tables.add([&] { return analyze::operators_sheet(operators, true); }, {}, shown_operators);
  tables.add([&] { return analyze::nested_operators_sheet(analyze::nest_operators(job.ranks, with_memory)); },
             "no operator was recorded around a launch", shown("operators"));
  tables.finish();
  tell_next(answer, request.devices, "what keeps the host?", "path");
}

}  // namespace

Result<report::Answer> run(const LaunchesRequest& request, Context& context) {
  const auto error = check_device_mode(request.compat, request.devices, request.sort.has_value(),
                                       {{"include-last-step", request.include_last_step}});
  if (error) return *error;
  if (request.compat == Compat::hta)
    return launches_as_hta({request.devices.recording, request.include_last_step},
                           {.with_memory = !request.no_memory,
                            .runtime_cutoff_us = request.runtime_cutoff_us,
                            .delay_cutoff_us = request.delay_cutoff_us},
                           request.queue_limit, context);
  for (const auto& [flag, us] :
       {std::pair{"runtime-cutoff-us", request.runtime_cutoff_us}, {"delay-cutoff-us", request.delay_cutoff_us}}) {
    // 10^12 us are 12 days; more than any trace has, and what still fits picoseconds.
    if (!(us >= 0 && us <= 1e12))
      return misuse(fmt::format("--{} takes a time in microseconds, at least 0", flag), "like 50");
  }
  const auto job = load_devices(context, request.devices, {.operators = true});
  if (!job) return job.error();
  report::Answer answer = context.answer();
  if (answer.for_people() && !analyze::any_device_work(job->ranks)) tell_no_device_work(answer, request.devices, *job);
  else tell_launches(answer, request, *job);
  return answer;
}

}  // namespace orrery::ask
