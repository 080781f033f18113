// What sides that belong together have to agree on: the rules of workload/matching.h for one collective or message,
// wherever its activities lie.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "workload/membership.h"
#include "workload/workload.h"

namespace orrery::workload {

/// One rank's side of a collective or message.
struct Side {
  std::uint32_t rank = 0;
  const Program* program = nullptr;
  std::uint32_t activity = 0;
};

/// The place of the root in the communicator, of a rooted collective; the first if none is given. At least the number
/// of ranks if it is not in it.
std::uint32_t root_place(const Communicator& communicator, const Program& program, std::uint32_t activity);

/// Roots and parts as the first member gives them, with which the others have to agree.
Status check_first_member(const Membership& membership, const Communicator& communicator, const Side& first);

/// Two members of collective number `place`: kind, size unless the kind allows parts of unequal size, and root are the
/// same.
Status check_members_agree(const Membership& membership, const Communicator& communicator, std::uint64_t place,
                           const Side& a, const Side& b);

/// A receive that says a size says that of its send.
Status check_sizes_agree(const Workload& job, const Side& send, const Side& recv);

}  // namespace orrery::workload
