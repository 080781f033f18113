#include "cli/frame/completion.h"

namespace orrery::cli {

std::string operand_choices(const Operands& operands, std::span<const Verb* const> table) {
  if (!operands.verb_names) return std::string(operands.choices);
  std::string text;
  for (const Verb* verb : table) text += (text.empty() ? "" : " ") + std::string(verb->name);
  return text;
}

}  // namespace orrery::cli
