#include "analyze/path/contributor_edit.h"

#include "analyze/whatif/edit_words.h"

namespace orrery::analyze {

std::optional<std::string> selection_of(const causal::CausalGraph& job, const Contributor& contributor) {
  const std::span<const causal::JobRank> ranks = job.ranks_to_tell_apart();
  const std::string scope = ranks.empty() || contributor.rank == causal::kNoRank
                                ? ""
                                : "rank:" + std::to_string(ranks[contributor.rank].rank) + " ";
  if (causal::is_idle(contributor.kind)) return std::nullopt;
  if (const std::string_view gap = gap_word_of(contributor.kind); !gap.empty()) {
    if (contributor.name != 0) return std::nullopt;
    return scope + "gap:" + std::string(gap);
  }
  const std::string_view word = word_of(contributor.kind);
  if (word.empty()) return std::nullopt;
  const std::string_view name = job.strings.text(contributor.name);
  // Steps count under their name without the number.
  if (name.ends_with('#')) return scope + std::string(word) + ":\"" + std::string(name) + "*\"";
  return scope + std::string(word) + ":" + exact_pattern(name);
}

}  // namespace orrery::analyze
