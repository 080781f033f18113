// orrery info: what is in these files.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/trace_info.h"
#include "cli/load.h"
#include "cli/verbs.h"
#include "formats/kineto/raw_event.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using analyze::AnnotationCount;
using analyze::RankInfo;
using report::Align;

constexpr std::size_t kShownNames = 8;

std::string steps_line(const trace::Trace& job, const RankInfo& info) {
  if (info.steps.empty()) return "none recorded";
  TimePs least = info.steps.front().duration;
  TimePs most = least;
  for (const analyze::StepInfo& step : info.steps) least = std::min(least, step.duration), most = std::max(most, step.duration);
  const std::string_view first = job.strings.text(info.steps.front().name);
  const std::string_view last = job.strings.text(info.steps.back().name);
  return fmt::format("{} ({}{}{}), {} to {}", info.steps.size(), first, first == last ? "" : " to ", first == last ? "" : last,
                     format_duration(least), format_duration(most));
}

std::string names_line(const trace::Trace& job, const std::vector<AnnotationCount>& names) {
  std::string line;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) {
    line += fmt::format("{}{} ({}, {})", i == 0 ? "" : "; ", job.strings.text(names[i].name), format_count(names[i].count),
                        format_duration(names[i].time));
  }
  if (names.size() > kShownNames) line += fmt::format("; and {} more", names.size() - kShownNames);
  return line;
}

std::string rank_text(const Invocation& invocation, const trace::Trace& job, const RankInfo& info) {
  const trace::RankTrace& rank = *info.rank;
  const trace::SourceInfo& source = rank.source;
  std::string text = invocation.style().paint(
      report::Tone::strong,
      fmt::format("rank {}{}: {}", rank.rank, source.world_size ? fmt::format(" of {}", *source.world_size) : "", source.path));
  text += "\n";
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("format", fmt::format("{}{}, {}{}", source.format, source.schema_version ? fmt::format(" (schema {})", *source.schema_version) : "",
                             format_bytes(source.file_bytes),
                             source.text_bytes != source.file_bytes ? fmt::format(", {} inflated", format_bytes(source.text_bytes)) : ""));
  line("events", fmt::format("{} in {} entries; {} flow points; {} host threads, {} device streams", format_count(rank.event_count()),
                             format_count(source.entries), format_count(rank.flows.size()), info.host_lanes, info.device_streams));
  line("span", format_duration(info.span));
  line("steps", steps_line(job, info));
  std::string devices;
  for (const trace::Device& device : source.devices) {
    const std::string name = fmt::format("{} ({})", device.name.empty() ? "unnamed" : device.name, format_bytes(device.memory_bytes));
    if (devices.find(name) == std::string::npos) devices += (devices.empty() ? "" : ", ") + name;
  }
  if (!source.devices.empty()) line("devices", fmt::format("{}: {}", source.devices.size(), devices));
  line("backend", source.backend);
  line("annotations", names_line(job, info.annotations));
  line("collectives", names_line(job, info.collectives));
  report::Table table({{"  category", Align::left}, {"meaning", Align::left}, {"events", Align::right}, {"time", Align::right}});
  for (const analyze::CategoryCount& category : info.categories) {
    const std::string_view name = job.strings.text(category.text);
    table.add_row({"  " + std::string(name.empty() ? "(none)" : name), to_string(category.activity), format_count(category.events),
                   format_duration(category.time)});
  }
  return text + "\n" + table.render(invocation.columns(), invocation.style());
}

void write_counts(JsonWriter& json, std::string_view key, const trace::Trace& job, const std::vector<AnnotationCount>& counts) {
  json.key(key).begin_array();
  for (const AnnotationCount& count : counts) {
    json.begin_object()
        .field("name", job.strings.text(count.name))
        .field("count", count.count)
        .field("time_us", to_us(count.time))
        .end_object();
  }
  json.end_array();
}

void write_rank(JsonWriter& json, const trace::Trace& job, const RankInfo& info) {
  const trace::RankTrace& rank = *info.rank;
  const trace::SourceInfo& source = rank.source;
  json.begin_object().field("rank", rank.rank).field("path", source.path).field("format", source.format);
  if (source.world_size) json.field("world_size", *source.world_size);
  if (source.schema_version) json.field("schema_version", *source.schema_version);
  if (source.base_time_ns) json.field("base_time_ns", *source.base_time_ns);
  json.field("file_bytes", source.file_bytes)
      .field("text_bytes", source.text_bytes)
      .field("entries", source.entries)
      .field("events", rank.event_count());
  json.field("flow_points", rank.flows.size()).field("host_threads", info.host_lanes).field("device_streams", info.device_streams);
  json.field("span_us", to_us(info.span)).field("memory_bytes", rank.memory_bytes());
  json.key("devices").begin_array();
  for (const trace::Device& device : source.devices) {
    json.begin_object()
        .field("id", device.id)
        .field("name", device.name)
        .field("memory_bytes", device.memory_bytes)
        .field("multiprocessors", device.multiprocessors)
        .end_object();
  }
  json.end_array();
  json.key("categories").begin_array();
  for (const analyze::CategoryCount& category : info.categories) {
    json.begin_object().field("name", job.strings.text(category.text)).field("meaning", to_string(category.activity));
    json.field("events", category.events).field("time_us", to_us(category.time)).end_object();
  }
  json.end_array();
  json.key("steps").begin_array();
  for (const analyze::StepInfo& step : info.steps) {
    json.begin_object()
        .field("name", job.strings.text(step.name))
        .field("start_us", to_us(step.start))
        .field("duration_us", to_us(step.duration))
        .end_object();
  }
  json.end_array();
  write_counts(json, "annotations", job, info.annotations);
  write_counts(json, "collectives", job, info.collectives);
  json.key("properties").begin_object();
  for (const auto& [key, value] : source.properties) json.field(key, value);
  json.end_object().end_object();
}

// One event in full: what the analyses use of it, and the text with the rest.
ExitCode show_event(Invocation& invocation, const trace::Trace& job) {
  const auto rank = choose_rank(invocation, job);
  if (!rank) return invocation.fail(rank.error());
  const trace::RankTrace& trace = **rank;
  const auto wanted = static_cast<std::uint64_t>(invocation.integer("event"));
  const auto* at = std::lower_bound(trace.ordinal.begin(), trace.ordinal.end(), wanted);
  if (at == trace.ordinal.end() || *at != wanted) {
    return invocation.fail(Error{fmt::format("entry {} is not an event with a time", wanted), trace.source.path, Error::kNoOffset,
                                 fmt::format("entries count from 0; there are {}", format_count(trace.source.entries))});
  }
  const auto event = static_cast<trace::EventIndex>(at - trace.ordinal.begin());
  // Other formats have no text of an event: what was read of it is shown.
  const bool has_text = trace.source.format == "kineto";
  const auto text = has_text ? kineto::read_event_text(trace.source.path, trace.source_offset[event])
                             : Result<std::string>(analyze::event_json(job, trace, event));
  if (!text) return invocation.fail(text.error());
  invocation.data().field("index", wanted).field("byte", trace.source_offset[event]).key("event").raw(*text);
  invocation.text() = *text + "\n";
  return ExitCode::ok;
}

ExitCode run_info(Invocation& invocation) {
  const auto job = load_job(invocation, invocation.operands());
  if (!job) return invocation.fail(job.error());
  if (invocation.has("event")) return show_event(invocation, *job);
  invocation.data().field("ranks_read", job->ranks.size()).field("epoch_unix_ns", job->epoch_unix_ns).key("ranks").begin_array();
  for (const trace::RankTrace& rank : job->ranks) {
    const RankInfo info = analyze::describe(*job, rank);
    write_rank(invocation.data(), *job, info);
    if (!invocation.text().empty()) invocation.text() += "\n";
    invocation.text() += rank_text(invocation, *job, info);
  }
  invocation.data().end_array();
  return ExitCode::ok;
}

}  // namespace

const Verb& info_verb() {
  static const Verb verb = {
      .name = "info",
      .summary = "what is in here: ranks, steps, devices, events, time span",
      .description =
          "Reads the traces and lists, for every rank: format and size, events by category, host threads and device streams, the recorded "
          "steps, devices, annotations "
          "and collectives.",
      .operands = {.name = "TRACE...", .help = "files, folders or globs; several are several ranks", .min = 1, .max = Operands::kUnlimited},
      .flags = with_input_flags({
          Flag{.name = "event",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "print entry N of the event list as written, with all its arguments"},
          Flag{.name = "rank", .value_name = "N", .kind = ValueKind::integer, .help = "with --event: of this rank (default: the lowest)"},
      }),
      .examples = {{"orrery info traces/", "every rank in the folder"}, {"orrery info trace.json.gz --event 4711", "one event in full"}},
      .run = run_info,
  };
  return verb;
}

}  // namespace orrery::cli
