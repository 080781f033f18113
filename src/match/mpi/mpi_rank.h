// The Trace of one rank of an MPI job as readers build it: one lane, one event per call. docs/formats/mpi.md has the
// shape.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "match/mpi/mpi_communicators.h"
#include "match/mpi/mpi_function.h"
#include "trace/trace.h"

namespace orrery::match {

class MpiRank {
 public:
  /// `strings` must outlive it.
  explicit MpiRank(Interner& strings);
  MpiRank(const MpiRank&) = delete;
  MpiRank& operator=(const MpiRank&) = delete;

  /// Adds a call; calls come in the order in which they ended. Of a collective its Field::collective_text is set too.
  /// What else is known of it is set() before the next is added.
  trace::EventIndex add_call(std::string_view function, TimePs start, TimePs duration, std::uint8_t flags,
                             trace::SourcePosition position);
  /// An argument of the call added last.
  void set(trace::Field field, std::int64_t value) { trace.field(field).push(last_, value); }
  void set_text(trace::Field field, std::string_view text) { set(field, strings_.intern(text)); }
  [[nodiscard]] StringId intern(std::string_view text) { return strings_.intern(text); }
  /// The communicator of the call added last: its handle in this process, and its members.
  void set_communicator(std::uint64_t handle, const std::vector<std::int64_t>& members);
  /// Null: not known to be a function of MPI.
  [[nodiscard]] const MpiFunction* last_function() const { return function_; }

  trace::RankTrace trace;
  CommunicatorUses communicators;

 private:
  Interner& strings_;
  trace::EventIndex last_ = 0;
  const MpiFunction* function_ = nullptr;
};

/// A rank, and the table of texts that it was read with.
struct MpiRankRead {
  Interner strings;
  MpiRank rank{strings};
};

}  // namespace orrery::match
