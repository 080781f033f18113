// A document, plain or compressed, handed to a consumer in windows, so that memory does not grow with the file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/io/inflate.h"
#include "base/io/input.h"
#include "base/result.h"

namespace orrery {

/// Part of the (inflated) file, followed by at least 64 readable bytes: zeros, or those of the file that follow.
struct Window {
  const char* begin;
  const char* end;
  std::uint64_t offset;  ///< of `begin` in the inflated file
  bool is_last;
};

struct StreamOutcome {
  std::uint64_t text_bytes = 0;
  std::optional<Error> input_error =
      {};  ///< the compressed data is damaged; everything before the damage was delivered
};

/// Takes what is complete in the window and returns how far it got: what it left comes again at the front of the next
/// window.
using ConsumeWindow = std::function<Result<const char*>(const Window&)>;

/// Successive windows of what comes out of `inflater`, each followed by zero bytes; one block is inflated while the one
/// before is consumed. Memory: three blocks of one MiB, or twice the largest single value if that is larger. An error
/// of `consume` ends the stream and is returned. `on_progress` (may be empty) gets the number of compressed bytes newly
/// taken.
Result<StreamOutcome> stream_windows(Inflater& inflater, const ConsumeWindow& consume,
                                     const std::function<void(std::uint64_t)>& on_progress);

/// The same of a file, inflated if it is compressed. The windows of a plain one lie in the file, which is given back to
/// the system as it is consumed. `on_progress` gets the number of the file's bytes newly taken.
Result<StreamOutcome> stream_windows(const MappedFile& file, const ConsumeWindow& consume,
                                     const std::function<void(std::uint64_t)>& on_progress);

}  // namespace orrery
