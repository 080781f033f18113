// What became of each edit, over all ranks.
#pragma once

#include <string>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/write/emit_options.h"

namespace orrery::replay::torch {

// Whether all who take part in a communication were edited alike: one that leaves it out, or sends more than is
// received, holds all others.

/// The k-th collective of a group is the k-th on all members, the k-th message from one rank to another with a tag is
/// the k-th received. Ranks that are not there are not asked. An Error names the edit, the communication and two ranks.
/// `groups`: members. O(communications log groups).
Status check_edited_alike(const std::vector<analyze::ParsedEdit>& edits, const std::vector<OperationList>& ranks,
                          const std::vector<std::vector<std::int64_t>>& groups);

// Which edits of a what-if a replay can carry out: real hardware takes the time that it takes, so an edit has to be
// something that can be done.

/// The sentence: which edit, and why not.
Error refuse_edit(const std::string& edit, const std::string& why, std::string file = {});

/// `remove`, `= 0` and `* 0`: whatever it was, nothing is left.
bool leaves_nothing(const analyze::EditRule& rule);
/// `* 1`.
bool leaves_everything(const analyze::EditRule& rule);

/// An Error for the first edit that no recording could be replayed with.
Status check_edits(const EmitOptions& options);

struct EditOutcome {
  std::string text;
  EditCount count;
  std::vector<std::string> not_there;  ///< "rank 77", "step 9": named, but not in this recording
};

std::vector<EditOutcome> outcomes_of(const std::vector<analyze::ParsedEdit>& edits,
                                     const std::vector<OperationList>& ranks);

/// "comm * 2: 64 communications carry 2 times as much".
std::string remark_on(const analyze::ParsedEdit& edit, const EditOutcome& outcome);

}  // namespace orrery::replay::torch
