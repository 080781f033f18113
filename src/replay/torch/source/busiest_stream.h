// Streams of an operation list: only those that it uses, the one that does most first.
#pragma once

#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

/// The most entries make the most: what runs where nobody names a stream is what nearly all is on.
void put_busiest_stream_first(OperationList& list);

}  // namespace orrery::replay::torch
