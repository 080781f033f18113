// Someone outside who is asked for prices: another simulator, the user's own program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

struct PriceOracle {
  /// How long each of `ops` takes when all start at the same moment, by place. A single operation is asked for alone.
  std::function<Result<std::vector<TimePs>>(std::span<const CommOp> ops)> ask = {};
  std::string version = {};  ///< part of the key of whatever it says, so that another program's answers are not taken for its own
};

}  // namespace orrery::simulate
