// A communication that carries more or less than it was recorded to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "match/communication.h"
#include "replay/torch/build/collective_call.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/edits/rank_edits.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

// One rank's sides of its communications, for the other ranks to be held against (edit_agreement.h).

/// In the order in which they begin. `edits`: per ChosenCalls::collectives.
std::vector<TransferSide> transfer_sides(const RankSource& source, const ChosenCalls& chosen,
                                         const std::vector<TransferEdit>& edits);

/// The place of its group in RankSource::groups.
std::uint32_t group_of_call(const RankSource& source, std::uint32_t row);

// Which communications of a rank an edit selects: by kind, group, name and stream, as a what-if of a job does.

/// `collective:all_*`, `p2p`: whether something of that kind is meant. Nothing: what it is is not known.
bool selects_kind(const analyze::EditRule& rule, const std::optional<match::CommunicationKind>& kind);

class TransferSelector {
 public:
  /// All must outlive this. O(works).
  TransferSelector(const RankSource& source, const ChosenCalls& chosen, const analyze::EditRule& rule);

  /// Of a row that communicates. The Error is a sentence: what the edit asks for was not recorded.
  [[nodiscard]] Result<bool> selects(std::uint32_t row) const;

 private:
  [[nodiscard]] Result<bool> has_name(std::uint32_t row, const CommunicationHint* hint) const;

  const RankSource& source_;
  const analyze::EditRule& rule_;
  std::vector<std::vector<std::uint32_t>> works_;  // per row that communicates: the kernels that do it
  std::vector<std::uint32_t> place_;               // per row: into works_
};

/// The call with tensors that have `factor` times as many elements, rounded so that all members agree: where parts are
/// equal the part of a member is rounded, else each part is; what had elements keeps at least one. Tensors are flat and
/// begin their storage. Nothing if that is more than any memory holds. `members`: of its group.
std::optional<CollectiveCall> scale_transfer(const CollectiveCall& call, double factor, std::int64_t members);

}  // namespace orrery::replay::torch
