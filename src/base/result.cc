#include "base/result.h"

#include <utility>

namespace orrery {

std::string Error::to_string() const {
  std::string text;
  if (!file.empty()) text += file + ": ";
  if (offset != kNoOffset) text += "byte " + std::to_string(offset) + ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

OwnedError::OwnedError(const Error& error) : error_(new Error(error)) {}

OwnedError::OwnedError(Error&& error) : error_(new Error(std::move(error))) {}

OwnedError::OwnedError(const OwnedError& other) : error_(other.empty() ? nullptr : new Error(*other)) {}

void OwnedError::free_error() noexcept { delete error_; }

}  // namespace orrery
