#include "analyze/check/info_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

constexpr std::size_t kShownNames = 8;

std::string format_in_words(const trace::SourceInfo& source) {
  std::string words = source.format;
  if (source.schema_version) words += fmt::format(" (schema {})", *source.schema_version);
  words += ", " + format_bytes(source.file_bytes);
  if (source.text_bytes != source.file_bytes) words += fmt::format(", {} inflated", format_bytes(source.text_bytes));
  return words;
}

std::string steps_in_words(const RankInfo& info) {
  if (info.steps.empty()) return "none recorded";
  const auto shorter = [](const StepInfo& a, const StepInfo& b) { return a.duration < b.duration; };
  const auto [least, most] = std::minmax_element(info.steps.begin(), info.steps.end(), shorter);
  const std::string &first = info.steps.front().name, &last = info.steps.back().name;
  // Some profilers give every step the same name.
  return fmt::format("{} ({}{}{}), {} to {}", info.steps.size(), first, first == last ? "" : " to ",
                     first == last ? "" : last, format_duration(least->duration), format_duration(most->duration));
}

std::string devices_in_words(const trace::SourceInfo& source) {
  if (source.devices.empty()) return {};
  // A host lists all its devices, mostly of one model: eight times the same words would say less than once.
  std::set<std::string> known;
  std::string names;
  for (const trace::Device& device : source.devices) {
    const std::string name =
        fmt::format("{} ({})", device.name.empty() ? "unnamed" : device.name, format_bytes(device.memory_bytes));
    if (known.insert(name).second) names += (names.empty() ? "" : ", ") + name;
  }
  return fmt::format("{}: {}", source.devices.size(), names);
}

std::string names_in_words(const std::vector<AnnotationCount>& names) {
  std::string words;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) {
    words += fmt::format("{}{} ({}, {})", i == 0 ? "" : "; ", names[i].name, format_count(names[i].count),
                         format_duration(names[i].time));
  }
  if (names.size() > kShownNames) words += fmt::format("; and {} more", names.size() - kShownNames);
  return words;
}

template <typename T>
Cell cell_of(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell(nullptr);
}

Sheet ranks_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer});
  for (const char* name : {"path", "format"}) sheet.add({.name = name});
  for (const char* name : {"world_size", "schema_version"}) sheet.add({.name = name, .type = Type::integer});
  sheet.add({.name = "base_time", .type = Type::integer, .unit = Unit::ns});
  for (const char* name : {"file", "text", "memory"})
    sheet.add({.name = name, .type = Type::integer, .unit = Unit::bytes});
  for (const char* name : {"entries", "events", "flow_points", "host_threads", "device_streams"})
    sheet.add({.name = name, .type = Type::integer});
  const auto in_words = [&](const char* name, const char* title) {
    sheet.add({.name = name, .title = title, .people_only = true});
  };
  in_words("format_in_words", "format");
  in_words("events_in_words", "events");
  sheet.add({.name = "span", .type = Type::time, .unit = Unit::us, .title = "span"});
  in_words("steps_in_words", "steps");
  in_words("devices_in_words", "devices");
  sheet.add({.name = "backend", .title = "backend"});
  in_words("annotations_in_words", "annotations");
  in_words("collectives_in_words", "collectives");
  for (const auto& [rank, info] : described) {
    const trace::SourceInfo& source = rank->source;
    const std::string events =
        fmt::format("{} in {} entries; {} flow points; {} host threads, {} device streams", format_count(info.events),
                    format_count(source.entries), format_count(info.flow_points), info.host_lanes, info.device_streams);
    sheet.add_row({rank->rank,
                   source.path,
                   source.format,
                   cell_of(source.world_size),
                   cell_of(source.schema_version),
                   cell_of(source.base_time_ns),
                   source.file_bytes,
                   source.text_bytes,
                   info.memory_bytes,
                   source.entries,
                   info.events,
                   info.flow_points,
                   info.host_lanes,
                   info.device_streams,
                   format_in_words(source),
                   events,
                   info.span,
                   steps_in_words(info),
                   devices_in_words(source),
                   source.backend,
                   names_in_words(info.annotations),
                   names_in_words(info.collectives)});
  }
  return sheet;
}

Sheet devices_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("devices");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "id", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "memory", .type = Type::integer, .unit = Unit::bytes})
      .add({.name = "multiprocessors", .type = Type::integer});
  for (const auto& [rank, info] : described) {
    for (const trace::Device& device : rank->source.devices)
      sheet.add_row({rank->rank, device.id, device.name, device.memory_bytes, device.multiprocessors});
  }
  return sheet;
}

Sheet categories_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("categories");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "label", .title = "category", .people_only = true})
      .add({.name = "meaning", .title = "meaning"})
      .add({.name = "events", .type = Type::integer, .title = "events"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"});
  for (const auto& [rank, info] : described) {
    for (const CategoryCount& category : info.categories) {
      const std::string_view name = category.name;
      sheet.add_row({rank->rank, name, name.empty() ? std::string_view("(none)") : name, to_string(category.activity),
                     category.events, category.time});
    }
  }
  return sheet;
}

Sheet steps_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("steps");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "start", .type = Type::time, .unit = Unit::us})
      .add({.name = "duration", .type = Type::time, .unit = Unit::us});
  for (const auto& [rank, info] : described) {
    for (const StepInfo& step : info.steps) sheet.add_row({rank->rank, step.name, step.start, step.duration});
  }
  return sheet;
}

Sheet counts_of_info(std::string name, std::span<const DescribedRank> described,
                     const std::vector<AnnotationCount> RankInfo::*counts) {
  Sheet sheet(std::move(name));
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "count", .type = Type::integer})
      .add({.name = "time", .type = Type::time, .unit = Unit::us});
  for (const auto& [rank, info] : described) {
    for (const AnnotationCount& count : info.*counts) sheet.add_row({rank->rank, count.name, count.count, count.time});
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> info_sheets(std::span<const DescribedRank> described) {
  std::vector<Sheet> sheets;
  sheets.push_back(ranks_of_info(described));
  sheets.push_back(devices_of_info(described));
  sheets.push_back(categories_of_info(described));
  sheets.push_back(steps_of_info(described));
  sheets.push_back(counts_of_info("annotations", described, &RankInfo::annotations));
  sheets.push_back(counts_of_info("collectives", described, &RankInfo::collectives));
  return sheets;
}

}  // namespace orrery::analyze
