#include "ask/devices/kernels.h"

#include <fmt/format.h>

#include "analyze/device/communication.h"
#include "analyze/device/kernels.h"
#include "analyze/device/operator_times.h"
#include "ask/devices/hta_job.h"
#include "job/read/hta_input.h"
#include "report/bar.h"
#include "report/counted.h"
#include "report/text_width.h"

namespace orrery::ask {
namespace {

using report::Readers;

constexpr std::size_t kNameInSentence = 60;
constexpr std::string_view kNoWorkOfTypes = "there is no work of these types in the window";

std::string kernels_sentence(const DeviceJob& job, const std::vector<analyze::KernelSum>& sums) {
  std::size_t calls = 0, names = 0;
  TimePs all = 0;
  for (const analyze::KernelSum& sum : sums) {
    calls += sum.calls.count;
    names += sum.names;
    all = analyze::plus_capped(all, sum.calls.sum);
  }
  const std::string head =
      fmt::format("{}: {} of {} of kernel, copy or set, {} in all", window_in_words(job),
                  report::counted(calls, "call"), report::counted(names, "kind"), format_duration(all));
  if (sums.empty() || sums.front().is_rest) return head + ".";
  const analyze::KernelSum& first = sums.front();
  return fmt::format("{}; {} takes {}.", head,
                     report::truncate_middle(report::printable(job.trace->strings.text(first.name)), kNameInSentence),
                     report::percent(static_cast<double>(first.calls.sum), static_cast<double>(all)));
}

void tell_kernel_tables(DeviceTables& tables, const DeviceJob& job, const std::vector<analyze::RankKernels>& ranks,
                        const std::vector<analyze::KernelSum>& over_ranks) {
  tables.add([&] { return analyze::types_sheet(ranks); }, kNoWorkOfTypes);
  tables.add([&] { return analyze::kernels_over_ranks_sheet(job.trace->strings, over_ranks); }, kNoWorkOfTypes);
  // Of one rank these and the names over all ranks say the same.
  tables.add([&] { return analyze::type_totals_sheet(ranks); }, kNoWorkOfTypes,
             {.view = {.rows = 4 * kRowsThatMatter},
              .readers = job.ranks.size() > 1 ? Readers::all : Readers::programs_and_tables});
  tables.add([&] { return analyze::kernels_sheet(ranks); }, kNoWorkOfTypes, {.readers = Readers::programs_and_tables});
  tables.add([&] { return analyze::by_annotation_sheet(ranks); }, kNoWorkOfTypes,
             {.view = {.rows = kRowsThatMatter, .rest = "annotations", .largest = "sum"}});
}

// Programs get the kernels as a list, where a Sheet has one text.
void tell_sequence_facts(report::Facts& facts, const Interner& strings,
                         const std::vector<analyze::KernelSequence>& sequences) {
  const auto sheet = report::Facts::share(analyze::sequences_sheet(strings, sequences, false));
  facts.key("sequences").begin_array();
  for (std::size_t row = 0; row < sheet->rows(); ++row) {
    facts.begin_object().members(sheet, row).key("kernels").begin_array();
    for (const StringId name : sequences[row].kernels) facts.value(strings.text(name));
    facts.end_array().end_object();
  }
  facts.end_array();
}

void tell_sequences(report::Answer& answer, const KernelsRequest& request, const DeviceJob& job) {
  if (!request.sequences) return;
  const std::vector<analyze::KernelSequence> sequences =
      analyze::kernel_sequences(job.ranks, *request.sequences, request.min_length);
  const Interner& strings = job.trace->strings;
  if (answer.for_programs()) return tell_sequence_facts(answer.facts(), strings, sequences);
  if (sequences.empty())
    answer.line(fmt::format("No operator called {} launches {} or more kernels.", report::printable(*request.sequences),
                            request.min_length));
  answer.table(analyze::sequences_sheet(strings, sequences, true),
               {.view = {.rows = kRowsThatMatter, .rest = "sequences"}});
  answer.gap();
}

// What the operators of communication were given is read from the files again: most recordings have none of them.
Result<std::vector<analyze::OperandsByOperator>> read_operands_of(const DeviceJob& job) {
  std::vector<analyze::OperandsByOperator> given;
  for (const analyze::DeviceRank& devices : job.ranks) {
    given.emplace_back();
    const std::vector<trace::EventIndex> operators = analyze::sizing_operators(devices);
    if (operators.empty()) continue;
    Result<std::vector<job::Arguments>> arguments = job::read_arguments(*devices.rank, operators);
    if (!arguments) return arguments.error();
    for (std::size_t i = 0; i < operators.size(); ++i)
      given.back()[operators[i]] = {(*arguments)[i]["Input Dims"], (*arguments)[i]["Input type"]};
  }
  return given;
}

// Counters are arguments that no other question needs: they are read from the files again.
Result<std::vector<analyze::KernelCounters>> read_counters_of(const DeviceJob& job) {
  std::vector<analyze::KernelCounters> counters;
  for (const analyze::DeviceRank& devices : job.ranks) {
    const std::vector<trace::EventIndex> ranges = analyze::counted_ranges(devices);
    Result<std::vector<job::Arguments>> arguments = job::read_arguments(*devices.rank, ranges);
    if (!arguments) return arguments.error();
    for (analyze::KernelCounters& row : analyze::kernel_counters(devices, ranges, std::move(*arguments)))
      counters.push_back(std::move(row));
  }
  return counters;
}

void tell_counter_facts(report::Facts& facts, const Interner& strings,
                        const std::vector<analyze::KernelCounters>& rows) {
  facts.key("counters").begin_array();
  for (const analyze::KernelCounters& row : rows) {
    facts.begin_object().field("rank", row.rank).field("kernel", strings.text(row.kernel)).key("op_stack");
    if (row.operators) {
      facts.begin_array();
      for (const StringId name : *row.operators) facts.value(strings.text(name));
      facts.end_array();
    } else {
      facts.null();
    }
    facts.key("counters").begin_object();
    for (const auto& [name, value] : row.counters) facts.key(name).raw(value);
    facts.end_object().end_object();
  }
  facts.end_array();
}

void tell_counters(report::Answer& answer, DeviceTables& tables, const KernelsRequest& request, const DeviceJob& job,
                   const std::vector<analyze::KernelCounters>& counters) {
  if (!request.counters) return;
  constexpr std::string_view kNoCounters = "no range of hardware counters was recorded";
  const Interner& strings = job.trace->strings;
  if (answer.for_programs()) {
    if (counters.empty()) tables.add_unavailable("counters", kNoCounters);
    else tell_counter_facts(answer.facts(), strings, counters);
    return;
  }
  if (counters.empty()) answer.line(fmt::format("No counters: {}.", kNoCounters));
  // A row per kernel and counter: there are several of each kernel.
  const std::size_t rows = rows_shown(request.top * kRowsThatMatter);
  answer.table(analyze::counters_sheet(strings, counters), {.view = {.rows = rows, .rest = "counters"}}).gap();
}

}  // namespace

Result<report::Answer> run(const KernelsRequest& request, Context& context) {
  const auto error = check_device_mode(
      request.compat, request.devices, request.sort.has_value(),
      {{"duration-ratio", request.duration_ratio.has_value()}, {"include-last-step", request.include_last_step}});
  if (error) return *error;
  if (request.compat == Compat::hta)
    return kernels_as_hta({request.devices.recording, request.include_last_step},
                          {.limit = {request.top, request.duration_ratio.value_or(kHtaDurationRatio)},
                           .with_memory = !request.no_memory,
                           .sequences = request.sequences,
                           .min_length = request.min_length,
                           .counters = request.counters},
                          context);
  // Operators take longer to find than all the rest: people who gave no captures are not shown them.
  const bool by_operator =
      context.setting().reader != report::Reader::people || !request.devices.recording.captures.empty();
  const auto job = load_devices(context, request.devices, {.operators = by_operator});
  if (!job) return job.error();
  std::vector<analyze::KernelCounters> counters;
  if (request.counters) {
    Result<std::vector<analyze::KernelCounters>> read = read_counters_of(*job);
    if (!read) return read.error();
    counters = std::move(*read);
  }
  const Result<std::vector<analyze::OperandsByOperator>> operands = read_operands_of(*job);
  if (!operands) return operands.error();
  report::Answer answer = context.answer();
  DeviceTables tables(answer, *job);
  if (answer.for_people() && !analyze::any_device_work(job->ranks)) {
    // A profiler of ranges records no kernels beside them.
    if (counters.empty()) tell_no_device_work(answer, request.devices, *job);
    else tell_counters(answer, tables, request, *job, counters);
    return answer;
  }
  const analyze::KernelRequest wanted{.top = request.top,
                                      .order = request.sort.value_or(analyze::KernelOrder::time),
                                      .with_memory = !request.no_memory};
  const std::vector<analyze::KernelSum> over_ranks = analyze::sum_over_ranks(job->ranks, wanted);
  answer.headline(kernels_sentence(*job, over_ranks)).gap();
  tell_kernel_tables(tables, *job, analyze::sum_kernels(job->ranks, wanted), over_ranks);
  tables.add([&] { return analyze::communication_sheet(job->ranks, *operands); }, "no work in the window communicates",
             {.view = {.rows = kRowsThatMatter, .rest = "rows", .largest = "sum"}});
  if (by_operator)
    tables.add([&] { return analyze::by_operator_sheet(job->ranks); }, kNoWorkOfTypes,
               {.view = {.rows = kRowsThatMatter, .rest = "operators", .largest = "sum"}});
  tell_sequences(answer, request, *job);
  tell_counters(answer, tables, request, *job, counters);
  tables.finish();
  tell_next(answer, request.devices, "what of it is on the critical path?", "path");
  return answer;
}

}  // namespace orrery::ask
