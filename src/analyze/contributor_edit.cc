#include "analyze/contributor_edit.h"

#include "analyze/edit_words.h"

namespace orrery::analyze {

std::optional<std::string> selection_of(const Interner& strings, const Contributor& contributor, std::span<const link::JobRank> ranks) {
  using link::EdgeKind;
  const std::string scope =
      ranks.empty() || contributor.rank == link::kNoRank ? "" : "rank:" + std::to_string(ranks[contributor.rank].rank) + " ";
  if (link::is_idle(contributor.kind)) return std::nullopt;
  if (const std::string_view gap = gap_word_of(contributor.kind); !gap.empty()) {
    if (contributor.name != 0) return std::nullopt;
    return scope + "gap:" + std::string(gap);
  }
  const std::string_view word = word_of(contributor.kind);
  if (word.empty()) return std::nullopt;
  const std::string_view name = strings.text(contributor.name);
  // In a job steps count under their name without the number.
  if (!ranks.empty() && name.ends_with('#')) return scope + std::string(word) + ":\"" + std::string(name) + "*\"";
  return scope + std::string(word) + ":" + exact_pattern(name);
}

}  // namespace orrery::analyze
