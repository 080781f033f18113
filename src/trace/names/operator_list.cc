#include "trace/names/operator_list.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/suggest.h"

// The file goes into the program as it is: no array of numbers has to be generated and compiled.
asm(".pushsection .rodata,\"a\"\n"
    "orrery_pytorch_operators: .incbin \"" ORRERY_PYTORCH_OPERATORS
    "\"\n"
    "orrery_pytorch_operators_end:\n"
    ".popsection\n");
// Hidden, so that they are reached without the global offset table: its entries for labels inside a section are wrong
// on aarch64.
#pragma GCC visibility push(hidden)
extern "C" {
extern const char orrery_pytorch_operators[], orrery_pytorch_operators_end[];
}
#pragma GCC visibility pop

namespace orrery::trace {
namespace {

std::string_view operator_list() {
  return {orrery_pytorch_operators, static_cast<std::size_t>(orrery_pytorch_operators_end - orrery_pytorch_operators)};
}

using Names = std::unordered_set<std::string_view>;
using ListedNames = std::unordered_map<std::string_view, Names>;  // by heading

/// A heading stands at the beginning of its line, the names below it behind a blank.
const ListedNames& listed_names() {
  static const ListedNames listed = [] {
    ListedNames by_heading;
    Names* names = nullptr;
    std::vector<std::string_view> words;
    for (std::string_view rest = operator_list(); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line.empty() || line.front() == '#') continue;
      if (line.front() != ' ') names = &by_heading[line];
      split_words(line.front() == ' ' ? line : "", words);
      if (names != nullptr) names->insert(words.begin(), words.end());
    }
    return by_heading;
  }();
  return listed;
}

}  // namespace

bool is_listed(std::string_view heading, std::string_view name) {
  const auto names = listed_names().find(heading);
  return names != listed_names().end() && names->second.contains(name);
}

}  // namespace orrery::trace
