#include "base/io/output_file.h"
#include "machine/yaml/field_writer.h"
#include "machine/yaml/machine_fields.h"
#include "machine/yaml/machine_rules.h"
#include "machine/yaml/machine_yaml.h"

namespace orrery::machine {

std::string to_yaml(const Machine& machine) {
  std::string out;
  FieldWriter writer(out);
  describe(writer, machine);
  return out;
}

Status write_machine(const Machine& machine, const std::string& path) {
  if (const auto violation = find_violation(machine)) {
    return Error{.message = violation->field + " " + violation->message, .file = path, .hint = violation->hint};
  }
  return write_whole_file(path, to_yaml(machine));
}

}  // namespace orrery::machine
