// A trace again, with a path drawn over it.
#pragma once

#include <string>

#include "base/result.h"
#include "formats/kineto/overlay_writer.h"

namespace orrery::job {

/// The file `source` again at `path`, with the overlay. An Error if `source` is of a format that is not written so.
Status write_overlay_of(const std::string& source, const kineto::Overlay& overlay, const std::string& path);

}  // namespace orrery::job
