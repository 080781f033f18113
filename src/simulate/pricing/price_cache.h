// Prices by signature: in memory, and in a file if there is one. The file is JSON:
//
//     {"format": "orrery.prices/1", "prices": {"all_reduce/1048576/8/0123456789abcdef": [2097152000], ...}}
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

namespace orrery::simulate {

class PriceCache {
 public:
  /// A file that is not there yet is empty; one that cannot be read or is no file of prices counts as S113, and is replaced in the end.
  PriceCache(std::optional<std::string> file, Diagnostics& diagnostics);

  /// By operation; null if it is not known.
  [[nodiscard]] const std::vector<TimePs>* find(const std::string& signature) const;
  void keep(std::string signature, std::vector<TimePs> prices);
  [[nodiscard]] std::size_t size() const { return prices_.size(); }

  /// Writes the file aside and renames it, if there is one and anything is new. What fails is counted: a cache that cannot be written
  /// costs time, not truth.
  void save(Diagnostics& diagnostics);

 private:
  bool parse(std::string_view text);

  std::optional<std::string> file_;
  std::map<std::string, std::vector<TimePs>, std::less<>> prices_;  // ordered, so that the file does not depend on who asked first
  bool changed_ = false;
};

}  // namespace orrery::simulate
