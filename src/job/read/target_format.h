// Which formats are written, and how their names tell them apart. What is read, registry.h tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::job {

enum class TargetFormat : std::uint8_t { et, feeder, json, jsonl, dot, graphml, timeline, goal, pftrace };
std::optional<TargetFormat> target_format_called(std::string_view name);
std::string_view to_string(TargetFormat format);
inline constexpr std::string_view kTargetFormats = "et feeder json jsonl dot graphml timeline goal pftrace";

/// By how the name ends; nothing if that says nothing (then it is what the names of Chakra files begin with). ".json" may be several.
std::optional<TargetFormat> target_format_of_name(std::string_view path);

/// The part of a name that says the format: ".et.gz" of "job.et.gz"; empty if there is none.
std::string_view format_ending(std::string_view path);

}  // namespace orrery::job
