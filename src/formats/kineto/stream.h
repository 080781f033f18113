// Feeds a compressed file to a consumer in windows, inflating one block while the one before is being parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "formats/kineto/document.h"

namespace orrery::kineto {

struct StreamOutcome {
  std::uint64_t text_bytes = 0;
  std::optional<Error> input_error;  ///< the compressed data is damaged; everything before the damage was delivered
};

/// Calls `consume` with successive windows; it returns how far it got, and what it left comes again at the front of the next window.
/// Memory: three blocks of one MiB, or twice the largest single event if that is larger. An error of `consume` ends the stream and is returned.
/// `on_progress` gets the number of compressed bytes newly taken.
Result<StreamOutcome> stream_windows(Inflater& inflater, const std::function<Result<const char*>(const Window&)>& consume,
                                     const std::function<void(std::uint64_t)>& on_progress);

}  // namespace orrery::kineto
