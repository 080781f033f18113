// orrery kernels: which kernels take the time of the devices.
#include <fmt/format.h>

#include "analyze/device/kernel_counters.h"
#include "analyze/device/kernel_sheets.h"
#include "cli/devices/device_source.h"
#include "cli/devices/hta_job_report.h"
#include "cli/frame/verbs.h"
#include "job/read/event_arguments.h"
#include "report/bar.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"
#include "report/text_width.h"

namespace orrery::cli {
namespace {

using analyze::KernelOrder;

constexpr std::size_t kNameInSentence = 60;

KernelOrder order_of(const std::string& word) {
  if (word == "calls") return KernelOrder::calls;
  if (word == "mean") return KernelOrder::mean;
  return word == "longest" ? KernelOrder::longest : KernelOrder::time;
}

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

void write_sequences(JsonWriter& json, const Interner& strings, const std::vector<analyze::KernelSequence>& sequences) {
  const report::Sheet sheet = analyze::sequences_sheet(strings, sequences, false);
  json.key("sequences").begin_array();
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    json.begin_object();
    report::write_members(json, sheet, row);
    json.key("kernels").begin_array();
    for (const StringId name : sequences[row].kernels) json.value(strings.text(name));
    json.end_array().end_object();
  }
  json.end_array();
}

void write_counters(JsonWriter& json, const Interner& strings, const std::vector<analyze::KernelCounters>& rows) {
  json.key("counters").begin_array();
  for (const analyze::KernelCounters& row : rows) {
    json.begin_object().field("rank", row.rank).field("kernel", strings.text(row.kernel)).key("op_stack");
    if (row.operators) {
      json.begin_array();
      for (const StringId name : *row.operators) json.value(strings.text(name));
      json.end_array();
    } else {
      json.raw("null");
    }
    json.key("counters").begin_object();
    for (const auto& [name, value] : row.counters) json.key(name).raw(value);
    json.end_object().end_object();
  }
  json.end_array();
}

// Counters are arguments that no other question needs: they are read from the files again.
Result<std::vector<analyze::KernelCounters>> read_counters(const DeviceJob& job) {
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

std::string kernels_text(const Invocation& invocation, const DeviceJob& job, const std::vector<report::Sheet>& sheets,
                         const std::vector<analyze::KernelSum>& over_ranks) {
  std::string text = invocation.style().paint(report::Tone::strong, kernels_sentence(job, over_ranks)) + "\n\n";
  text += to_text(sheets[analyze::kTypesOfKernels], invocation.view()) + "\n";
  // Of one rank the two say the same.
  text += to_text(sheets[analyze::kKernelsOverRanks], invocation.view()) + "\n";
  if (job.ranks.size() > 1)
    text += to_text(sheets[analyze::kTypeTotals], short_view(invocation, 4 * kRowsThatMatter, "rows")) + "\n";
  report::SheetView annotations = short_view(invocation, kRowsThatMatter, "annotations");
  annotations.largest = "sum";
  return text + to_text(sheets[analyze::kKernelsByAnnotation], annotations) + "\n";
}

constexpr const char* kNoCounters = "no range of hardware counters was recorded";

std::string counters_text(const Invocation& invocation, const DeviceJob& job,
                          const std::vector<analyze::KernelCounters>& counters) {
  if (counters.empty()) return fmt::format("No counters: {}.\n\n", kNoCounters);
  const std::size_t rows = static_cast<std::size_t>(invocation.integer("top"));
  return to_text(analyze::counters_sheet(job.trace->strings, counters),
                 short_view(invocation, rows == 0 ? ~std::size_t{0} : rows * kRowsThatMatter, "counters")) +
         "\n";
}

Unavailable missing_of_kernels(const DeviceJob& job, const std::vector<report::Sheet>& sheets) {
  Unavailable missing;
  const bool any_work = analyze::any_device_work(job.ranks);
  for (const report::Sheet& sheet : sheets) {
    if (sheet.rows() > 0) continue;
    missing.emplace_back(sheet.name(), any_work ? "there is no work of these types in the window"
                                                : "no device work was recorded in the window");
  }
  return missing;
}

ExitCode run_kernels(Invocation& invocation) {
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  if (invocation.has("compat")) return run_hta_kernels(invocation);
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  const auto job = load_devices(invocation, false);
  if (!job) return invocation.fail(job.error());
  const analyze::KernelRequest request{.top = static_cast<std::size_t>(invocation.integer("top")),
                                       .order = order_of(invocation.text("sort")),
                                       .with_memory = !invocation.has("no-memory")};
  const std::vector<analyze::KernelSum> over_ranks = analyze::sum_over_ranks(job->ranks, request);
  std::vector<report::Sheet> sheets = analyze::kernel_sheets(analyze::sum_kernels(job->ranks, request), over_ranks);
  std::vector<analyze::KernelSequence> sequences;
  if (invocation.has("sequences"))
    sequences = analyze::kernel_sequences(job->ranks, invocation.text("sequences"),
                                          static_cast<std::size_t>(invocation.integer("min-length")));
  std::vector<analyze::KernelCounters> counters;
  if (invocation.has("counters")) {
    Result<std::vector<analyze::KernelCounters>> read = read_counters(*job);
    if (!read) return invocation.fail(read.error());
    counters = std::move(*read);
  }
  if (invocation.json()) {
    Unavailable missing = missing_of_kernels(*job, sheets);
    if (invocation.has("counters")) {
      if (counters.empty()) missing.emplace_back("counters", kNoCounters);
      if (counters.empty()) invocation.data().key("counters").raw("null");
      else write_counters(invocation.data(), job->trace->strings, counters);
    }
    write_devices_json(invocation.data(), *job, sheets, missing);
    if (invocation.has("sequences")) write_sequences(invocation.data(), job->trace->strings, sequences);
  } else if (invocation.csv()) {
    if (invocation.has("sequences")) sheets.push_back(analyze::sequences_sheet(job->trace->strings, sequences, true));
    if (invocation.has("counters")) sheets.push_back(analyze::counters_sheet(job->trace->strings, counters));
    invocation.text() = report::to_csv(sheets);
  } else if (!counters.empty() && !analyze::any_device_work(job->ranks)) {
    // A profiler of ranges records no kernels beside them.
    invocation.text() = counters_text(invocation, *job, counters);
  } else if (!analyze::any_device_work(job->ranks)) {
    invocation.text() = no_device_work_text(invocation, *job);
  } else {
    invocation.text() = kernels_text(invocation, *job, sheets, over_ranks);
    if (invocation.has("sequences")) {
      const std::string table = to_text(analyze::sequences_sheet(job->trace->strings, sequences, true),
                                        short_view(invocation, kRowsThatMatter, "sequences"));
      invocation.text() += (table.empty() ? fmt::format("No operator called {} launches {} or more kernels.\n",
                                                        report::printable(invocation.text("sequences")),
                                                        invocation.integer("min-length"))
                                          : table) +
                           "\n";
    }
    if (invocation.has("counters")) invocation.text() += counters_text(invocation, *job, counters);
    invocation.text() += next_verb(invocation, "what of it is on the critical path?", "path");
  }
  return ExitCode::ok;
}

}  // namespace

const Verb& kernels_verb() {
  static const Verb verb = {
      .name = "kernels",
      .summary = "which kernels, copies and sets take the devices' time, and who launched them",
      .description =
          "Statistics are of calls, always; what is not among the largest is one row with its number of names. What a "
          "piece of work is for "
          "is told by "
          "its category, a recorded collective, its name or the operator that launched it. Work belongs to the "
          "innermost annotation of the "
          "thread that "
          "launched it.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(
          with_device_flags({
              Flag{.name = "top",
                   .value_name = "N",
                   .kind = ValueKind::count,
                   .help = "the N largest names, and one row for the rest; 0: all",
                   .default_text = "10"},
              Flag{.name = "sort",
                   .value_name = "WHAT",
                   .help = "what makes a name large",
                   .default_text = "time",
                   .choices = "time calls mean longest"},
              Flag{.name = "no-memory", .help = "leave out copies and sets"},
              Flag{.name = "sequences",
                   .value_name = "OP",
                   .help = "also the kernels that operators called OP launch, in order; * and ? stand for anything"},
              Flag{.name = "min-length",
                   .value_name = "N",
                   .kind = ValueKind::count,
                   .help = "with --sequences: leave out sequences of fewer kernels",
                   .default_text = "3"},
              Flag{.name = "counters",
                   .help = "also the hardware counters of kernels, and the operators that launched them"},
          }),
          hta_kernels_flags()),
      .examples = {{"orrery kernels trace.json.gz", "the ten largest, by time"},
                   {"orrery kernels traces/ --top 0 --csv", "every name of every rank, as a table"},
                   {"orrery kernels trace.json.gz --sequences 'aten::linear'", "what a linear layer launches"}},
      .run = run_kernels,
  };
  return verb;
}

}  // namespace orrery::cli
