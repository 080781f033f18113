// An operation list as a file: JSON with one entry of each list per line, for people to read and compare.
// docs/formats/operations.md has its form.
#pragma once

#include <string>

#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

std::string to_json(const OperationList& list);

}  // namespace orrery::replay::torch
