// What one rank does in a replay by MPI, as the plugin takes it: made by process 0, sent to the process of the rank.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_plugin/replay_plugin.h"

namespace orrery::replay {

/// A communicator as its members make it.
struct RankCommunicator {
  std::string name;                 ///< of the recording; unique
  std::vector<std::int32_t> ranks;  ///< by place; empty: MPI_COMM_WORLD
  std::uint32_t number = 0;         ///< the same on all members
};

struct RankProgram {
  std::vector<OrreryReplayOperation> operations;  ///< operation i is activity i of the program
  std::vector<std::uint32_t> successors;
  std::vector<std::int64_t> parts;
  std::vector<std::uint32_t> line_operations;
  std::vector<std::uint32_t> line_begins = {0};
  std::vector<RankCommunicator> communicators;  ///< by number
  std::array<std::uint32_t, kReplaySlotKinds> slots = {1, 1, 1};
  std::int64_t buffered_bytes = 0;

  [[nodiscard]] std::string pack() const;
  /// What pack() made, in a process of the same program.
  static RankProgram unpack(std::string_view bytes);
  /// For the plugin; `communicators` is where it finds them. Both must outlive what is returned, as this must.
  [[nodiscard]] OrreryReplayProgram view(std::vector<OrreryReplayCommunicator>& shown) const;
};

}  // namespace orrery::replay
