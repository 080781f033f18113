// Which edits of a what-if a replay can carry out: real hardware takes the time that it takes, so an edit has to be
// something that can be done.
#pragma once

#include <string>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "replay/torch/write/emit_options.h"

namespace orrery::replay::torch {

/// The sentence: which edit, and why not.
Error refuse_edit(const std::string& edit, const std::string& why, std::string file = {});

/// `remove`, `= 0` and `* 0`: whatever it was, nothing is left.
bool leaves_nothing(const analyze::EditRule& rule);
/// `* 1`.
bool leaves_everything(const analyze::EditRule& rule);

/// An Error for the first edit that no recording could be replayed with.
Status check_edits(const EmitOptions& options);

}  // namespace orrery::replay::torch
