#include "analyze/whatif/edit_words.h"

#include <re2/re2.h>

namespace orrery::analyze {

std::string_view word_of(causal::EdgeKind kind) {
  for (const EditWord& word : kEditWhat) {
    if (word.kinds == bit_of(kind)) return word.name;  // of communication `comm`, the first of three
  }
  return {};
}

std::string_view gap_word_of(causal::EdgeKind kind) {
  for (const EditWord& word : kEditGaps) {
    if ((word.kinds & bit_of(kind)) != 0) return word.name;
  }
  return {};
}

std::string exact_pattern(std::string_view name) {
  // A glob in quotes cannot hold a quote, and would take * and ? for anything: names of kernels have pointers in them.
  if (name.find_first_of("\"*?") == std::string_view::npos) return "\"" + std::string(name) + "\"";
  return "/^" + RE2::QuoteMeta(re2::StringPiece(name.data(), name.size())) +
         "$/";  // which writes \/ for a slash, as edits do
}

}  // namespace orrery::analyze
