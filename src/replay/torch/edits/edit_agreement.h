// Whether all who take part in a communication were edited alike: one that leaves it out, or sends more than is
// received, holds all others.
#pragma once

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

/// The k-th collective of a group is the k-th on all members, the k-th message from one rank to another with a tag is
/// the k-th received. Ranks that are not there are not asked. An Error names the edit, the communication and two ranks.
/// `groups`: members. O(communications log groups).
Status check_edited_alike(const std::vector<analyze::ParsedEdit>& edits, const std::vector<OperationList>& ranks,
                          const std::vector<std::vector<std::int64_t>>& groups);

}  // namespace orrery::replay::torch
