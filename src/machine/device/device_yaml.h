// Device descriptions as YAML files. The format is documented in docs/formats/device.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/device/device.h"
#include "machine/yaml/field_writer.h"

namespace orrery::machine {

/// Reads a description; `file` is only used in errors, which name file, line and field and, where that can be guessed,
/// what was meant. A Device that is returned has every rate that the kernel model divides by; its constants may be
/// missing, as in a datasheet. What its folder of tables holds is read by those who ask for it.
Result<Device> parse_device(std::string_view yaml, const std::string& file);
Result<Device> read_device(const std::string& path);

/// A description that reads back to the same device; `comment` says what stands behind each line.
std::string to_yaml(const Device& device, const FieldComment& comment);

}  // namespace orrery::machine
