// The measured collectives of a device as a file of its folder of tables: docs/formats/device.md tells the fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/device/collective_lines.h"
#include "machine/device/device.h"

namespace orrery::machine {

inline constexpr std::string_view kCollectivesFile = "collectives.yaml";

/// `file` is only used in errors, which name file, line and field.
Result<CollectiveLines> parse_collectives(std::string_view yaml, const std::string& file);

/// What the folder of tables of a device has; none without a folder, or without the file in it.
Result<std::optional<CollectiveLines>> read_collectives(const Device& device);

/// Reads back to the same value.
std::string to_yaml(const CollectiveLines& lines);

}  // namespace orrery::machine
