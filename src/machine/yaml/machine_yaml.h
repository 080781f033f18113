// Machine descriptions as YAML files. The format is documented in docs/formats/machine.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace orrery::machine {

/// Reads a description; `file` is only used in errors. The Error names the file and the line, says what is wrong with
/// which field and, where that can be guessed, what was meant. A Machine that is returned has no violation.
Result<Machine> parse_machine(std::string_view yaml, const std::string& file);
Result<Machine> read_machine(const std::string& path);

/// The description as text; parse_machine(to_yaml(m)) == m for every machine without a violation.
std::string to_yaml(const Machine& machine);
/// Refuses a machine with a violation.
Status write_machine(const Machine& machine, const std::string& path);

}  // namespace orrery::machine
