// Why a simulation stopped before its end.
#pragma once

#include "base/result.h"
#include "simulate/loggops/engine.h"

namespace orrery::simulate::loggops {

/// For an engine that is not all_done(): names the first receives that got no message, the first messages that nobody
/// received, and how many operations were not done.
Error explain_stall(const Engine& engine, const Operations& operations, const DescribeOp& describe);

}  // namespace orrery::simulate::loggops
