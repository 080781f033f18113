// What became of the requests of a rank: a receive that took a message of anybody knows whose it was only when it
// completes.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "formats/mpitrace/records.h"

namespace orrery::mpitrace {

/// Filled in one pass over the calls, asked in a second one. A persistent request is begun once and completes as often
/// as it is started.
class RequestTable {
 public:
  /// `is_persistent`: the call made a request that can be started often.
  void add(const CallRecord& call, bool is_persistent);
  /// Once all calls are added.
  void finish();

  /// How the request completed for the n-th time, counted from 0; null if it did not. Only receives have a message
  /// (CompletionFlag).
  [[nodiscard]] const Completion* completion(std::uint64_t request, std::uint64_t n) const;
  /// The call that made a persistent request: what it sends or receives when it is started. Null if it is not known.
  [[nodiscard]] const CallRecord* prepared(std::uint64_t request) const;
  /// Whether some call began it.
  [[nodiscard]] bool is_known(std::uint64_t request) const { return request >= 1 && request <= last_begun_; }

 private:
  std::vector<Completion> completions_;                     // by request, then in the order in which they happened
  std::unordered_map<std::uint64_t, CallRecord> prepared_;  // only looked up, never walked
  std::uint64_t last_begun_ = 0;
};

}  // namespace orrery::mpitrace
