// From argv to a verb with its flags and operands. Knows the grammar only; what the flags mean is the verb's business.
//
//     orrery [GLOBAL FLAG]... VERB [SUB-VERB] [FLAG | OPERAND]... [-- OPERAND...]
//
// --name value, --name=value, -o value, -ovalue and -qv (switches together) are understood; flags and operands may be
// mixed; "--" ends the flags; a value may be empty. A value that is itself a known flag is taken for a forgotten value,
// unless it is given with '='.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/message.h"
#include "cli/frame/verb.h"

namespace orrery::cli {

struct CommandLine {
  /// The sub-verb, where one was chosen. Null: none was given, or none with that name exists.
  const Verb* verb = nullptr;
  std::map<std::string, std::vector<std::string>, std::less<>>
      flags;  ///< long name -> values in order; a switch has one empty value
  std::vector<std::string> operands;
  std::vector<std::string>
      renamed;          ///< of flags that were given by their former names: "--model is now --network-model"
  std::string command;  ///< the command line as one could type it again
  std::optional<UsageError> error;  ///< when set, the rest is as far as parsing came; --json is seen in any case

  [[nodiscard]] bool has(std::string_view flag) const { return flags.find(flag) != flags.end(); }
};

/// `arguments` without the program's name. With --help nothing else is an error but an unknown verb.
CommandLine parse_command_line(std::span<const std::string> arguments, std::span<const Verb* const> table);

/// Of a program that has no words but values: the same checks. `flags`: long name -> values; a switch has one empty
/// value.
CommandLine make_command_line(std::string_view verb, const std::map<std::string, std::vector<std::string>>& flags,
                              std::vector<std::string> operands, std::span<const Verb* const> table);

}  // namespace orrery::cli
