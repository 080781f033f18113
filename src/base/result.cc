#include "base/result.h"

namespace orrery {

std::string Error::to_string() const {
  std::string text;
  if (!file.empty()) text += file + ": ";
  if (offset != kNoOffset) text += "byte " + std::to_string(offset) + ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

}  // namespace orrery
