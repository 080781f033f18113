// One pass over a whole file, plain or compressed, in windows.
#pragma once

#include "base/io/input.h"
#include "base/result.h"
#include "formats/kineto/document.h"

namespace orrery::kineto {

/// Told about the windows of a walk: what a handler's views point into.
class WindowObserver {
 public:
  virtual ~WindowObserver() = default;
  /// The parser is about to look at `window`.
  virtual void begin_window(const Window& window) = 0;
  /// It has taken everything before `taken`, which no handler sees again. An Error ends the walk.
  virtual Status end_window(const char* taken) = 0;
};

/// Feeds the file to the parser from front to back. Memory: a few MiB, or twice the largest single value of a
/// compressed file if that is more; pages of a plain file are given back as they have been read. Damaged input is an
/// Error.
Status walk_document(const MappedFile& file, DocumentParser& parser, WindowObserver* observer = nullptr);

}  // namespace orrery::kineto
