// Where lists of MPI calls are cut into the rounds of a pattern, and which of these are alike.
#pragma once

#include <cstdint>
#include <vector>

#include "motif/patterns/mpi_call.h"

namespace orrery::motif {

/// A round ends with a call of all ranks where no list has messages that stay under way from call to call: at such a call all ranks are at the same
/// place, and a search that comes again, or a level of it, is a round that comes again. Else, and where there are no such calls for long, a round is
/// a number of calls.
class CallRounds {
 public:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };

  explicit CallRounds(const std::vector<std::vector<MpiCall>>& lists);

  /// Of the list that has most.
  [[nodiscard]] std::uint64_t count() const;
  /// The calls of a round; none after the last round of the list.
  [[nodiscard]] Range calls(std::uint32_t list, std::uint64_t round) const;
  /// Rounds of a list with the same number other than 0 have the same calls; 0: no other round does.
  [[nodiscard]] std::uint64_t content(std::uint32_t list, std::uint64_t round) const;

 private:
  struct List {
    std::vector<std::uint64_t> ends;  ///< of rounds
    std::vector<std::uint32_t> contents;
  };

  static std::vector<std::uint64_t> cut(const std::vector<MpiCall>& calls, bool after_world_calls);
  static std::vector<std::uint32_t> compare(const std::vector<MpiCall>& calls, const std::vector<std::uint64_t>& ends);

  std::vector<List> lists_;
};

}  // namespace orrery::motif
