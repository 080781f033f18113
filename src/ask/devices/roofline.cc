#include "ask/devices/roofline.h"

#include <fmt/format.h>

#include "analyze/distribution.h"
#include "analyze/roofline/step_roofs.h"
#include "ask/device_choice.h"
#include "base/percent.h"
#include "report/bar.h"

namespace orrery::ask {
namespace {

constexpr std::string_view kNoDevice = "nothing in the recording says which device it was made on: give --device";
constexpr std::string_view kNoOperators = "no operator is known of any work: record with_stack or give --capture";

void tell_rates(report::Facts& facts, std::string_view key, const machine::PeakTflops& rates) {
  facts.key(key).begin_object();
  for (std::size_t t = 0; t < machine::kDataTypeNames.size(); ++t) {
    if (const auto rate = rates[static_cast<machine::DataType>(t)]) facts.field(machine::kDataTypeNames[t], *rate);
  }
  facts.end_object();
}

void tell_device(report::Facts& facts, const ChosenDevice& chosen) {
  facts.key("device").begin_object().field("name", chosen.device.name).field("source", chosen.source);
  tell_rates(facts, "matrix_peak_tflops", chosen.device.matrix_peak_tflops);
  tell_rates(facts, "vector_peak_tflops", chosen.device.vector_peak_tflops);
  facts.field("memory_gb_per_s", chosen.device.memory.bandwidth_gb_per_s.value_or(0)).end_object();
}

struct Totals {
  TimePs all = 0, priced = 0, roof = 0;
};

Totals totals_of(const std::vector<analyze::RooflineRank>& ranks) {
  Totals totals;
  for (const analyze::RooflineRank& rank : ranks) {
    totals.all = analyze::plus_capped(totals.all, rank.kernel_time);
    totals.priced = analyze::plus_capped(totals.priced, rank.priced_time);
    for (const analyze::PricedCall& call : rank.priced.calls)
      totals.roof = analyze::plus_capped(totals.roof, call.roof.value_or(0));
  }
  return totals;
}

std::string roofline_sentence(const DeviceJob& job, const ChosenDevice& chosen, const Totals& totals) {
  return fmt::format("{}, {}: {} of {} of device time has a formula; at the roof it would take {} instead of {}.",
                     window_in_words(job), chosen.device.name,
                     report::percent(static_cast<double>(totals.priced), static_cast<double>(totals.all)),
                     format_duration(totals.all), format_duration(totals.roof), format_duration(totals.priced));
}

}  // namespace

Result<report::Answer> run(const RooflineRequest& request, Context& context) {
  const auto job = load_devices(context, request.devices, {.operands = true});
  if (!job) return job.error();
  const auto chosen = choose_device(request.device, *job->trace);
  if (!chosen) return chosen.error();
  report::Answer answer = context.answer();
  if (answer.for_people() && !analyze::any_device_work(job->ranks)) {
    tell_no_device_work(answer, request.devices, *job);
    return answer;
  }
  DeviceTables tables(answer, *job);
  if (!*chosen) {
    if (answer.for_people()) answer.headline(fmt::format("{}: {}.", window_in_words(*job), kNoDevice));
    for (const std::string_view name : {"device", "operators", "kinds", "steps", "priced_pct"})
      tables.add_unavailable(name, kNoDevice);
    tables.finish();
    return answer;
  }
  const std::vector<analyze::RooflineRank> ranks = analyze::hold_against_roof(job->ranks, (*chosen)->device);
  const Totals totals = totals_of(ranks);
  answer.headline(roofline_sentence(*job, **chosen, totals)).gap();
  if (answer.for_programs()) {
    tell_device(answer.facts(), **chosen);
    answer.facts().field("priced_pct", share_percent(totals.priced, totals.all));
  }
  const analyze::RooflineOrder order = request.sort.value_or(analyze::RooflineOrder::time);
  const std::size_t rows = rows_shown(request.top);
  tables.add([&] { return analyze::operators_sheet(ranks, order, request.top); }, kNoOperators,
             {.view = {.rows = rows, .rest = "operators"}});
  tables.add([&] { return analyze::kinds_sheet(ranks); }, kNoOperators);
  tables.add([&] { return analyze::step_roofs_sheet(ranks, (*chosen)->device); }, "there are no steps",
             {.view = {.rows = rows, .rest = "steps"}});
  tables.finish();
  tell_next(answer, request.devices, "which kernels take the time?", "kernels");
  return answer;
}

}  // namespace orrery::ask
