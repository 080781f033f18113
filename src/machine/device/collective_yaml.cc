#include "machine/device/collective_yaml.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include <fmt/format.h>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "machine/device/collective_fields.h"
#include "machine/yaml/field_reader.h"
#include "machine/yaml/field_writer.h"

namespace orrery::machine {
namespace {

std::optional<Violation> find_correction_violation(const LineCorrection& one, const std::string& field) {
  if (one.bytes.size() != one.per_mille.size())
    return Violation{field + ".per_mille",
                     fmt::format("has {} entries, and bytes has {}", one.per_mille.size(), one.bytes.size())};
  // Equal sizes would be a step without a width.
  if (!std::is_sorted(one.bytes.begin(), one.bytes.end(), std::less_equal<>()))
    return Violation{field + ".bytes", "must ascend"};
  return std::nullopt;
}

std::optional<Violation> find_lines_violation(const CollectiveLines& lines) {
  if (lines.laws.empty()) return Violation{"laws", "must have an entry"};
  for (std::size_t i = 0; i < lines.laws.size(); ++i) {
    const CollectiveLaw& law = lines.laws[i];
    const std::string field = fmt::format("laws[{}]", i);
    if (law.lines.empty()) return Violation{field + ".lines", "must have an entry"};
    for (std::size_t j = 0; j < law.lines.size(); ++j) {
      // A line of no time at all would be the smallest for every message.
      if (law.lines[j].base_us <= 0)
        return Violation{fmt::format("{}.lines[{}].base_us", field, j), "must be more than 0"};
    }
    for (std::size_t j = 0; j < law.corrections.size(); ++j) {
      const std::string at = fmt::format("{}.corrections[{}]", field, j);
      if (auto found = find_correction_violation(law.corrections[j], at)) return found;
    }
  }
  for (const CollectiveAccuracy& one : lines.accuracy) {
    if (one.low_ratio > one.high_ratio) return Violation{"accuracy", "has an interval that ends before it begins"};
  }
  return std::nullopt;
}

}  // namespace

Result<CollectiveLines> parse_collectives(std::string_view yaml, const std::string& file) {
  return read_description<CollectiveLines>(yaml, file, "the collectives", "docs/formats/device.md",
                                           &find_lines_violation);
}

Result<std::optional<CollectiveLines>> read_collectives(const Device& device) {
  if (device.tables_folder.empty()) return std::optional<CollectiveLines>();
  const std::string path = (std::filesystem::path(device.tables_folder) / kCollectivesFile).string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<CollectiveLines>();
  const auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  auto lines = parse_collectives(*text, path);
  if (!lines) return lines.error();
  return std::optional<CollectiveLines>(std::move(*lines));
}

std::string to_yaml(const CollectiveLines& lines) {
  std::string out;
  FieldWriter writer(out);
  describe(writer, lines);
  return out;
}

}  // namespace orrery::machine
