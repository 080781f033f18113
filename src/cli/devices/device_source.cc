#include "cli/devices/device_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/command_line.h"
#include "cli/frame/load.h"
#include "report/counted.h"
#include "report/sheet_json.h"

namespace orrery::cli {

std::vector<Flag> with_device_flags(std::vector<Flag> flags) {
  flags.push_back(csv_flag());
  flags.push_back(Flag{.name = "rank",
                       .value_name = "N",
                       .kind = ValueKind::integer,
                       .help = "look at this rank only (default: all)",
                       .group = "Window"});
  flags.push_back(Flag{
      .name = "annotation",
      .value_name = "TEXT",
      .help =
          "the host event whose name contains TEXT, and the device work it launched (default: all that was recorded)",
      .group = "Window"});
  flags.push_back(Flag{.name = "instance",
                       .value_name = "N[:M]",
                       .help = "which of them, counting from 0; N:M spans several",
                       .group = "Window"});
  return with_input_flags(std::move(flags));
}

Result<DeviceJob> load_devices(Invocation& invocation, bool with_operators) {
  Instances instances;
  // The verb has refused what does not parse.
  (void)parse_instances(invocation, instances);
  auto trace = load_job(invocation, invocation.operands(), {.one_rank = invocation.has("rank")});
  if (!trace) return trace.error();
  DeviceJob job{.trace = *trace, .ranks = {}};
  causal::WindowRequest request{.annotation = "", .first_instance = instances.first, .last_instance = instances.last};
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  // --instance alone counts the profiler's steps.
  else if (instances.first) request.annotation.reset();
  auto ranks = analyze::look_at_devices(*job.trace, request, with_operators, invocation.diagnostics());
  if (!ranks) return ranks.error();
  job.ranks = std::move(*ranks);
  return job;
}

void write_devices_json(JsonWriter& json, const DeviceJob& job, const std::vector<report::Sheet>& sheets,
                        const Unavailable& unavailable) {
  json.key("ranks").begin_array();
  for (const analyze::DeviceRank& rank : job.ranks) json.value(rank.rank->rank);
  json.end_array();
  json.field("are_runs", are_runs(job));
  json.key("windows").begin_array();
  for (const analyze::DeviceRank& rank : job.ranks) {
    json.begin_object()
        .field("rank", rank.rank->rank)
        .field("file", rank.rank->source.path)
        .field("label", rank.window.label);
    json.field("begin_us", to_us(rank.window.begin)).field("span_us", to_us(rank.window.span())).end_object();
  }
  json.end_array();
  const auto is_missing = [&](const std::string& key) {
    return std::any_of(unavailable.begin(), unavailable.end(), [&](const auto& entry) { return entry.first == key; });
  };
  for (const report::Sheet& sheet : sheets) {
    if (is_missing(sheet.name())) json.key(sheet.name()).raw("null");
    else write_sheet(json, sheet);
  }
  json.key("unavailable").begin_object();
  for (const auto& [key, reason] : unavailable) json.field(key, reason);
  json.end_object();
}

bool are_runs(const DeviceJob& job) { return job.ranks.size() > 1 && job.ranks.front().rank->source.is_run; }

std::string window_in_words(const analyze::DeviceRank& rank) {
  return fmt::format("{}, {}, {}", what_it_is(*rank.rank), rank.window.label, format_duration(rank.window.span()));
}

std::string window_in_words(const DeviceJob& job) {
  const analyze::DeviceRank& first = job.ranks.front();
  const std::string ranks = job.ranks.size() == 1
                                ? what_it_is(*first.rank)
                                : report::counted(job.ranks.size(), first.rank->source.is_run ? "run" : "rank");
  TimePs least = first.window.span(), most = least;
  for (const analyze::DeviceRank& rank : job.ranks) {
    least = std::min(least, rank.window.span());
    most = std::max(most, rank.window.span());
  }
  const std::string span =
      least == most ? format_duration(most) : fmt::format("{} to {}", format_duration(least), format_duration(most));
  return fmt::format("{}, {}, {}", ranks, first.window.label, span);
}

std::string no_device_work_text(const Invocation& invocation, const DeviceJob& job) {
  return fmt::format("{}: no device work was recorded, so there is nothing to say about devices.\n{}",
                     window_in_words(job),
                     are_runs(job) ? next_verb(invocation, "what is in them?", "info")
                                   : next_verb(invocation, "what does the host do?", "path"));
}

std::string next_verb(const Invocation& invocation, std::string_view question, std::string_view verb) {
  std::string line = fmt::format("Next: {}  orrery {}", question, verb);
  for (const std::string& operand : invocation.operands()) line += " " + report::shell_quote(operand);
  for (const char* flag : {"rank", "annotation", "instance"}) {
    if (invocation.has(flag)) line += fmt::format(" --{} {}", flag, report::shell_quote(invocation.text(flag)));
  }
  return line + "\n";
}

report::SheetView short_view(const Invocation& invocation, std::size_t rows, std::string_view rest) {
  report::SheetView view = invocation.view();
  view.rows = rows;
  view.rest = rest;
  return view;
}

}  // namespace orrery::cli
