// What the calls of communication libraries say of all processes together: who is which rank, who is in which
// communicator, and which of its collectives is which.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "match/library_calls.h"
#include "trace/trace.h"

namespace orrery::match {

/// What a library did for one rank, kept until all ranks are there.
struct LibraryRank {
  std::vector<LibraryWork> works;          ///< in order of launch
  std::vector<CallArguments> memberships;  ///< in the order in which communicators were made
};

/// The rank's number: its place in the largest communicator that it made; none if it made none.
std::optional<std::int64_t> told_rank(const LibraryRank& rank);
/// How many ranks that communicator has.
std::optional<std::int64_t> told_world_size(const LibraryRank& rank);

/// Gives the kernels their arguments: kind, bytes, communicator by its hexadecimal number, with its members where all
/// of them told their places, peers and roots, and the number in the communicator. Where communicators are pointers,
/// each process's k-th is taken for the others' k-th; where calls came without arguments, so is its k-th communicating
/// stream. `backend`: "nccl". `ranks`: as trace.ranks.
void add_communication(const std::vector<LibraryRank>& ranks, std::string_view backend, trace::Trace& trace);

}  // namespace orrery::match
