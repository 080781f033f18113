// Which call completed what a non-blocking call of MPI began.
#pragma once

#include <cstddef>
#include <vector>

#include "match/mpi/mpi_function.h"
#include "trace/trace.h"

namespace orrery::match {

/// Whether a rank was recorded by a tracer of MPI: docs/formats/mpi.md.
bool is_mpi_rank(const trace::RankTrace& rank);

/// The functions of a rank's events; null for what is none of MPI's; of MPI_Start and MPI_Startall what they start,
/// MPI_Isend or MPI_Irecv. O(events), each name looked up once.
std::vector<const MpiFunction*> functions_of(const trace::Trace& trace, const trace::RankTrace& rank);

inline constexpr trace::EventIndex kNotCompleted = ~trace::EventIndex{0};

struct MpiRequests {
  std::vector<trace::EventIndex>
      completed_by;         ///< per event: of a non-blocking call the one that completed it, or kNotCompleted
  std::size_t assumed = 0;  ///< completions that are not recorded, but assumed by the rule below
  std::size_t open = 0;     ///< non-blocking calls that nobody completed
};

/// By Field::request and Field::requests_text where the recorder has them. Else MPI_Waitall is taken to complete all
/// that is open, MPI_Wait, MPI_Waitany and MPI_Waitsome the one that was begun first, and MPI_Test* nothing.
MpiRequests find_requests(const trace::RankTrace& rank, const std::vector<const MpiFunction*>& functions,
                          const Interner& strings);

}  // namespace orrery::match
