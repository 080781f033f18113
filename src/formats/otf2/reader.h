// Reads OTF2 archives, as Score-P and its kin write them, by the OTF2 library: docs/formats/otf2.md.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::otf2 {

/// The anchor file of an archive (traces.otf2).
bool is_anchor(std::string_view head);

/// Whether this program was built with the OTF2 library.
bool is_available();

/// All processes of the archive as ranks of an MPI job (docs/formats/mpi.md). An Error if the library is not there, or
/// finds the archive damaged.
Result<trace::Trace> read_archive(const std::string& anchor, Diagnostics& diagnostics);

}  // namespace orrery::otf2
