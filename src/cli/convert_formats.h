// Which formats orrery convert goes between, and how they are told apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::cli {

enum class SourceFormat : std::uint8_t { kineto, host, chakra, feeder, text, goal, log, xspace };
/// "chakra", as --from has it. A linked trace is a host trace with times: both names mean `host`.
std::optional<SourceFormat> source_format_called(std::string_view name);
std::string_view to_string(SourceFormat format);
inline constexpr std::string_view kSourceFormats = "kineto host linked chakra feeder text goal log xspace";

enum class TargetFormat : std::uint8_t { et, feeder, json, jsonl, dot, graphml, timeline, goal };
std::optional<TargetFormat> target_format_called(std::string_view name);
std::string_view to_string(TargetFormat format);
inline constexpr std::string_view kTargetFormats = "et feeder json jsonl dot graphml timeline goal";

/// By what the file begins with, compressed or not. What nothing else claims is Chakra's protobuf if it may be; else an Error.
Result<SourceFormat> detect_source_format(const std::string& path);

/// By how the name ends; nothing if that says nothing (then it is what the names of Chakra files begin with). ".json" may be several.
std::optional<TargetFormat> target_format_of_name(std::string_view path);

/// The part of a name that says the format: ".et.gz" of "job.et.gz"; empty if there is none.
std::string_view format_ending(std::string_view path);

}  // namespace orrery::cli
