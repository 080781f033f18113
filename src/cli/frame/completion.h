// Shell completions generated from the table of verbs: verbs, flags, choices, files and directories.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/frame/verb.h"

namespace orrery::cli {

std::string bash_completion(std::span<const Verb* const> table);
std::string zsh_completion(std::span<const Verb* const> table);
std::string fish_completion(std::span<const Verb* const> table);

/// The choices of an operand, separated by blanks: the verbs' names where it is one.
std::string operand_choices(const Operands& operands, std::span<const Verb* const> table);

}  // namespace orrery::cli
