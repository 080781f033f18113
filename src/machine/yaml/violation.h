// What is wrong with a machine description.
#pragma once

#include <string>

namespace orrery::machine {

/// The first rule a machine breaks: which field ("network[0].size"), in what way, and what to do about it.
struct Violation {
  std::string field;
  std::string message;
  std::string hint = {};
};

}  // namespace orrery::machine
