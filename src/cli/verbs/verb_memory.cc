// orrery memory: how fast are copies, or what fills the memory.
#include <fmt/format.h>

#include <filesystem>

#include "analyze/device/copies.h"
#include "base/io/file_content.h"
#include "cli/devices/device_source.h"
#include "cli/devices/hta_job_report.h"
#include "cli/frame/verbs.h"
#include "formats/memory_timeline/reader.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

bool is_timeline(const std::vector<std::string>& operands) {
  if (operands.size() != 1 || std::filesystem::is_directory(operands.front())) return false;
  constexpr std::size_t kHeadBytes = 64;
  const auto head = read_first_bytes(operands.front(), kHeadBytes);
  return head && memory_timeline::looks_like_timeline(*head);
}

std::string copies_sentence(const DeviceJob& job, const std::vector<analyze::RankCopies>& ranks) {
  std::size_t count = 0, unsized_copies = 0;
  std::uint64_t bytes = 0;
  TimePs time = 0;
  for (const analyze::RankCopies& rank : ranks) {
    for (const analyze::CopyRates& kind : rank.kinds) {
      count += kind.count;
      unsized_copies += kind.without_bytes;
      bytes += kind.bytes;
      time = analyze::plus_capped(time, kind.time);
    }
  }
  const std::string head = window_in_words(job) + ": ";
  if (count == 0) return head + "the devices copy and set nothing.";
  std::string text = fmt::format("{}{}, {} in {}", head,
                                 count == 1 ? "1 copy or set" : fmt::format("{} copies and sets", format_count(count)),
                                 format_bytes(bytes), format_duration(time));
  return text +
         (unsized_copies > 0 ? fmt::format("; the size of {} was not recorded.", format_count(unsized_copies)) : ".");
}

ExitCode run_memory(Invocation& invocation) {
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  // A timeline has one meaning, whoever asks.
  if (invocation.has("compat") || is_timeline(invocation.operands())) return run_hta_memory(invocation);
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  const auto job = load_devices(invocation, false);
  if (!job) return invocation.fail(job.error());
  const std::vector<analyze::RankCopies> ranks = analyze::measure_copies(job->ranks);
  std::vector<report::Sheet> sheets;
  sheets.push_back(analyze::copies_sheet(ranks));
  if (invocation.json()) {
    Unavailable missing;
    if (sheets.front().rows() == 0)
      missing.emplace_back("copies", analyze::any_device_work(job->ranks)
                                         ? "the devices copy and set nothing in the window"
                                         : "no device work was recorded in the window");
    write_devices_json(invocation.data(), *job, sheets, missing);
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(sheets);
  } else if (!analyze::any_device_work(job->ranks)) {
    invocation.text() = no_device_work_text(invocation, *job);
  } else {
    report::SheetView view = short_view(invocation, static_cast<std::size_t>(invocation.integer("top")), "rows");
    if (view.rows == 0) view.rows = ~std::size_t{0};
    view.largest = invocation.text("sort") == "kind"    ? std::string_view()
                   : invocation.text("sort") == "bytes" ? "bytes"
                                                        : "time";
    const bool any_copy = sheets.front().rows() > 0;
    invocation.text() = invocation.style().paint(report::Tone::strong, copies_sentence(*job, ranks)) + "\n";
    if (any_copy) invocation.text() += "\n" + to_text(sheets.front(), view) + "\n";
    invocation.text() += next_verb(
        invocation, any_copy ? "does copying hide behind computing?" : "what do the devices do instead?", "breakdown");
  }
  return ExitCode::ok;
}

}  // namespace

const Verb& memory_verb() {
  static const Verb verb = {
      .name = "memory",
      .summary = "how fast copies and sets are; or, of a memory timeline, what fills the memory",
      .description =
          "Of a raw memory timeline of PyTorch's profiler: what fills the memory. Of traces: copies and sets by kind, "
          "with bytes, time, "
          "bytes over time, the spread over copies, and the rate of all that run "
          "together, over "
          "the time in which any runs.\n\n"
          "With --compat hta, the tables of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "FILE...",
                   .help = "traces (files, folders or globs; several are several ranks), or one memory timeline",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(with_device_flags({
                                  Flag{.name = "top",
                                       .value_name = "N",
                                       .kind = ValueKind::count,
                                       .help = "show N rows; 0: all",
                                       .default_text = "10"},
                                  Flag{.name = "sort",
                                       .value_name = "COLUMN",
                                       .help = "which rows come first",
                                       .default_text = "time",
                                       .choices = "kind bytes time"},
                              }),
                              hta_memory_flags()),
      .examples = {{"orrery memory trace.json.gz", "copies and sets by kind"}},
      .run = run_memory,
  };
  return verb;
}

}  // namespace orrery::cli
