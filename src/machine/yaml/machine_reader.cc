#include "base/io/file_content.h"
#include "base/limits.h"
#include "machine/yaml/field_reader.h"
#include "machine/yaml/machine_fields.h"
#include "machine/yaml/machine_rules.h"
#include "machine/yaml/machine_yaml.h"

namespace orrery::machine {

Result<Machine> parse_machine(std::string_view yaml, const std::string& file) {
  return read_description<Machine>(yaml, file, "the machine", "docs/formats/machine.md", &find_violation);
}

Result<Machine> read_machine(const std::string& path) {
  auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  return parse_machine(*text, path);
}

}  // namespace orrery::machine
