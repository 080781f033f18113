// A rank's trace saved and restored: sections of a section file, beside which the owner of the file puts its own. See
// docs/formats/skeleton.md.
#pragma once

#include "base/interner.h"
#include "base/io/section_file.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::trace {

/// Adds the sections of `rank`, whose names all begin with 'r'. Flows, devices and arguments that no analysis knows are
/// left out. `rank` must live until the file is written.
void add_rank_sections(SectionWriter& writer, const RankTrace& rank, const Interner& strings);

/// Checks all numbers before they are used: of texts, lanes, categories and events. The texts are put into `strings`,
/// in the order in which they were there. Whatever the file holds, the outcome is a sound rank or an Error with the
/// byte position.
Result<RankTrace> read_rank_sections(const SectionFile& file, Interner& strings);

}  // namespace orrery::trace
