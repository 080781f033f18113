// Which communications of a rank an edit selects: by kind, group, name and stream, as a what-if of a job does.
#pragma once

#include <optional>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "match/communication.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

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

}  // namespace orrery::replay::torch
