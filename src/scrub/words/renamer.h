// Remembers which text became which, for one file. Two files of a job agree because they share the key.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "scrub/key.h"
#include "scrub/words/public_words.h"

namespace orrery::scrub {

// The name that takes the place of another: a word for the sort of work, the parts that analyses look for, and a keyed
// hash.

/// "aten::mm" -> "op.gemm.3fa9c2d1e5b60718", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)" ->
/// "ncclDevKernel_AllReduce_3fa9c2d1e5b60718".
///
/// Promises: depends on the name and the hash alone, whatever kind of file or event it stands in. Every test on names
/// that an analysis of this program, HTA or Chakra makes ("contains nccl", "begins with hip", "contains DataLoader")
/// has the same answer for both names; the parts are listed in new_name.cc.
std::string new_name(std::string_view name, std::uint64_t hash);

/// What a text is the name of. Each has its own table; the new text says which, except for names, which say more (see
/// new_name.h).
enum class Domain : std::uint8_t { name, group, description, device, label, lane, flow, category, text };
inline constexpr std::size_t kDomains = 9;
/// "operators, kernels and annotations": for people.
std::string_view to_string(Domain domain);

struct Renamed {
  std::string original;  ///< without escapes
  std::string scrubbed;
  std::uint64_t uses = 0;
  [[nodiscard]] bool is_kept() const { return original == scrubbed; }
};

class Renamer {
 public:
  /// `keep_operators`: names of PyTorch's own operators and gradients (public_operators.h) stay.
  explicit Renamer(const Key& key, bool keep_operators = false) : key_(key), keep_operators_(keep_operators) {}

  /// The text that takes the place of `raw`, a JSON string without its quotes (`escaped`: with escapes in it), or any
  /// other bytes. It needs no escapes in turn. Words of `vocabulary`, public names and the empty text stay as they are.
  /// Valid as long as `raw` and until the next call.
  std::string_view rename(Domain domain, std::string_view raw, bool escaped = false,
                          Vocabulary vocabulary = Vocabulary::none);

  /// In order of first appearance, words of a vocabulary left out. One original may be there twice, in two spellings.
  [[nodiscard]] const std::vector<Renamed>& renamed(Domain domain) const {
    return tables_[static_cast<std::size_t>(domain)].renamed;
  }

 private:
  struct Table {
    Interner spellings;  // as written; the text of number n is renamed[n - 1]
    std::vector<Renamed> renamed;
  };

  [[nodiscard]] std::string make(Domain domain, std::string_view original) const;
  [[nodiscard]] std::string make_name(std::string_view name) const;

  Key key_;
  bool keep_operators_;
  std::array<Table, kDomains> tables_;
};

/// What all files of a job had renamed.
class RenameLedger {
 public:
  /// An Error if two texts came to the same new text: another key is needed.
  Status add(const Renamer& file);
  /// In order of first appearance, each once.
  [[nodiscard]] const std::vector<Renamed>& renamed(Domain domain) const {
    return tables_[static_cast<std::size_t>(domain)].renamed;
  }

 private:
  struct Table {
    std::unordered_map<std::string, std::size_t> by_scrubbed;
    std::vector<Renamed> renamed;
  };
  std::array<Table, kDomains> tables_;
};

}  // namespace orrery::scrub
