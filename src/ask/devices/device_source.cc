#include "ask/devices/device_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"

namespace orrery::ask {

std::optional<Error> check_device_mode(Compat compat, const DeviceRequest& request, bool has_sort,
                                       std::initializer_list<GivenField> of_hta) {
  return check_mode(compat,
                    {{"sort", has_sort},
                     {"rank", request.recording.rank.has_value()},
                     {"without-profiler", request.recording.without_profiler},
                     {"capture", !request.recording.captures.empty()},
                     {"rules", !request.recording.rules.empty()},
                     {"annotation", request.window.annotation.has_value()},
                     {"instance", request.window.instances.first.has_value()}},
                    of_hta);
}

Result<DeviceJob> load_devices(Context& context, const DeviceRequest& request, DeviceDetail detail) {
  auto trace = load_trace(context, request.recording,
                          {.operands = detail.operands, .one_rank = request.recording.rank.has_value()});
  if (!trace) return trace.error();
  const auto& [annotation, instances] = request.window;
  causal::WindowRequest window{
      .annotation = annotation.value_or(""), .first_instance = instances.first, .last_instance = instances.last};
  // Instances alone are those of the profiler's steps.
  if (!annotation && instances.first) window.annotation.reset();
  auto ranks = analyze::look_at_devices(**trace, window, detail.operators, context.diagnostics());
  if (!ranks) return ranks.error();
  return DeviceJob{.trace = std::move(*trace), .ranks = std::move(*ranks)};
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

void tell_next(report::Answer& answer, const DeviceRequest& request, std::string_view question, std::string_view verb) {
  std::string command = fmt::format("orrery {}", verb);
  for (const std::string& file : request.recording.files) command += " " + report::shell_quote(file);
  if (request.recording.rank) command += fmt::format(" --rank {}", *request.recording.rank);
  answer.next(question, command + typed(request.recording) + typed(request.window));
}

void tell_no_device_work(report::Answer& answer, const DeviceRequest& request, const DeviceJob& job) {
  answer.line(window_in_words(job) + ": no device work was recorded, so there is nothing to say about devices.");
  if (are_runs(job)) {
    DeviceRequest as_recorded = request;  // info tells what is in files
    as_recorded.recording.without_profiler = false;
    return tell_next(answer, as_recorded, "what is in them?", "info");
  }
  tell_next(answer, request, "what does the host do?", "path");
}

void tell_unavailable(report::Facts& facts, const Unavailable& unavailable) {
  facts.key("unavailable").begin_object();
  for (const auto& [name, reason] : unavailable) facts.field(name, reason);
  facts.end_object();
}

DeviceTables::DeviceTables(report::Answer& answer, const DeviceJob& job)
    : answer_(answer), any_work_(analyze::any_device_work(job.ranks)) {
  if (!answer.for_programs()) return;
  report::Facts& facts = answer.facts();
  facts.key("ranks").begin_array();
  for (const analyze::DeviceRank& rank : job.ranks) facts.value(rank.rank->rank);
  facts.end_array();
  facts.field("are_runs", are_runs(job));
  facts.key("windows").begin_array();
  for (const analyze::DeviceRank& rank : job.ranks) {
    facts.begin_object()
        .field("rank", rank.rank->rank)
        .field("file", rank.rank->source.path)
        .field("label", rank.window.label);
    facts.field("begin_us", to_us(rank.window.begin)).field("span_us", to_us(rank.window.span())).end_object();
  }
  facts.end_array();
}

void DeviceTables::add_sheet(report::Sheet sheet, std::string_view why_empty, bool is_missing,
                             const report::Shown& shown) {
  const bool is_empty = sheet.rows() == 0;
  if (answer_.for_programs() && (is_empty || is_missing)) return add_unavailable(sheet.name(), why_empty);
  if (answer_.for_people() && is_empty) return;
  answer_.table(std::move(sheet), shown).gap();
}

void DeviceTables::add_unavailable(std::string_view name, std::string_view reason) {
  if (answer_.for_programs()) answer_.facts().key(name).null();
  unavailable_.emplace_back(name, reason);
}

void DeviceTables::finish() {
  if (answer_.for_programs()) tell_unavailable(answer_.facts(), unavailable_);
}

}  // namespace orrery::ask
