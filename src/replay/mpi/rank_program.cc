#include "replay/mpi/rank_program.h"

#include <algorithm>
#include <cstring>

#include "base/packed.h"

namespace orrery::replay {
namespace {

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
void take(PackedReader& reader, std::vector<T>& values) {
  const std::string_view bytes = reader.text();
  values.resize(bytes.size() / sizeof(T));
  // memcpy, since the bytes of a message are not aligned.
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
}

}  // namespace

std::string RankProgram::pack() const {
  PackedWriter writer;
  writer.text(bytes_of(operations))
      .text(bytes_of(successors))
      .text(bytes_of(parts))
      .text(bytes_of(line_operations))
      .text(bytes_of(line_begins));
  writer.number(communicators.size());
  for (const RankCommunicator& communicator : communicators)
    writer.text(communicator.name).text(bytes_of(communicator.ranks)).number(communicator.number);
  // As many as there are kinds: their number is not written.
  for (const std::uint32_t count : slots) writer.number(count);
  return writer.integer(buffered_bytes).take();
}

RankProgram RankProgram::unpack(std::string_view bytes) {
  PackedReader reader(bytes);
  RankProgram program;
  take(reader, program.operations);
  take(reader, program.successors);
  take(reader, program.parts);
  take(reader, program.line_operations);
  take(reader, program.line_begins);
  program.communicators.resize(reader.number());
  for (RankCommunicator& communicator : program.communicators) {
    communicator.name = reader.text();
    take(reader, communicator.ranks);
    communicator.number = static_cast<std::uint32_t>(reader.number());
  }
  for (std::uint32_t& count : program.slots) count = static_cast<std::uint32_t>(reader.number());
  program.buffered_bytes = reader.integer();
  return program;
}

OrreryReplayProgram RankProgram::view(std::vector<OrreryReplayCommunicator>& shown) const {
  shown.clear();
  for (const RankCommunicator& communicator : communicators) {
    // A communicator without ranks is the world.
    shown.push_back({communicator.name.c_str(), communicator.ranks.empty() ? nullptr : communicator.ranks.data(),
                     static_cast<std::uint32_t>(communicator.ranks.size()), communicator.number});
  }
  OrreryReplayProgram program{operations.data(),
                              static_cast<std::uint32_t>(operations.size()),
                              successors.data(),
                              parts.data(),
                              line_operations.data(),
                              line_begins.data(),
                              // One more beginning than lines: the last is the end.
                              static_cast<std::uint32_t>(line_begins.size() - 1),
                              shown.data(),
                              static_cast<std::uint32_t>(shown.size()),
                              {},
                              buffered_bytes};
  std::copy(slots.begin(), slots.end(), program.slots);
  return program;
}

}  // namespace orrery::replay
