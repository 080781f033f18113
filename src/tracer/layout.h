// The layout of a rank's file, shared by the library that writes it and the reader. docs/formats/mpitrace.md says the
// same in words.
//
// - file = kMagic, u32 version, u32 bytes of the head, head, u64 checksum of the head, block*
// - block = u32 block_check of the next two, u32 bytes of the payload, u64 base time, u64 checksum of the payload,
//   payload
// - payload = record*
// - record = u8 RecordKind, varint bytes of the body, body
//
// The last block of a program that was killed is open: its size is kOpenBlock, its checksum is not set, and its records
// end where the next kind is 0; zeros follow to the end of the file. So do they where a block would begin.
//
// Numbers of fixed size are little endian; varints have 7 bits a byte, lowest first; signed ones are zigzag. Times are
// nanoseconds of the monotonic clock. This header includes nothing of the engine: the tracer is loaded into other
// people's programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace orrery::tracer {

inline constexpr char kMagic[9] = "OrreryMT";  // eight bytes in the file
inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kBlockSeed = 0x4B4C424F;
inline constexpr std::size_t kFileHeadBytes = kMagicBytes + 8;
inline constexpr std::size_t kBlockHeadBytes = 24;
inline constexpr std::uint32_t kOpenBlock = 0xFFFFFFFF;

enum class RecordKind : std::uint8_t {
  text = 1,      ///< varint id, bytes: names of functions, modules and symbols
  site,          ///< varint id, varint frames, frames x (varint module text, varint offset, varint symbol text or 0)
  communicator,  ///< varint number, u8 CommunicatorFlag, text name, varint parent or 0, varint my rank, members, and
                 ///< what the flags say
  window,        ///< varint number, varint communicator, varint how many of that communicator came before
  call,
  end,       ///< MPI_Finalize was reached: nothing is missing
  clock_map  ///< written by `orrery align`, never by the tracer: the times above on another clock
};

/// Which parts a call has. They follow one another in this order.
enum CallField : std::uint32_t {
  kComm = 1 << 0,         ///< varint number of the communicator
  kDestination = 1 << 1,  ///< signed: world rank, or a SpecialRank
  kSendTag = 1 << 2,      ///< signed
  kSendBytes = 1 << 3,   ///< varint: what this rank puts in, as the call was given it: of MPI_Alltoall for each member,
                         ///< of lists the sum
  kSource = 1 << 4,      ///< signed: as asked for
  kReceiveTag = 1 << 5,  ///< signed: as asked for
  kReceiveBytes = 1 << 6,  ///< varint: room for a message, or the same of what this rank gets out of a collective
  kActual = 1 << 7,        ///< signed source, signed tag, varint bytes: the message that came
  kRoot = 1 << 8,          ///< signed: world rank, or a SpecialRank
  kSendCounts = 1 << 9,    ///< runs of bytes per member (of a neighbourhood: per neighbour)
  kReceiveCounts = 1 << 10,
  kRequest = 1 << 11,    ///< varint: the request that begins
  kStarted = 1 << 12,    ///< varint n, n x varint: persistent requests that are started
  kCompleted = 1 << 13,  ///< varint n, n x (varint request, u8 CompletionFlag, of a receive: signed source, signed tag,
                         ///< varint bytes)
  kCreated = 1 << 14,    ///< varint: the communicator that comes of it
  kWindow = 1 << 15,     ///< varint
  kPolls = 1 << 16,      ///< varint calls that found nothing, folded into this one, varint ns inside them
  kValues = 1 << 17,     ///< varint n, n x signed: colour and key, level of Pcontrol
  kError = 1 << 18,      ///< signed: what was returned; none: MPI_SUCCESS
  kElementBytes = 1 << 19  ///< varint: size of the data type
};

enum CompletionFlag : std::uint8_t { kIsReceive = 1, kIsCancelled = 2 };

/// Ranks that are none. MPI's own values differ between its implementations.
enum SpecialRank : std::int64_t {
  kAnyRank = -1,
  kNoRank = -2,      ///< MPI_PROC_NULL
  kIsRoot = -3,      ///< MPI_ROOT of an intercommunicator
  kForeignRank = -4  ///< of another world: a process that was spawned or connected to
};
inline constexpr std::int64_t kAnyTag = -1;

enum CommunicatorFlag : std::uint8_t {
  kIsIntercommunicator = 1,  ///< the members of the remote group follow
  kIsGrid = 2,               ///< the dimensions follow: varint n, n x (varint size, u8 periodic)
  kHasNeighbours = 4,        ///< lists of sources and destinations follow: varint n, n x signed
  kIsFound = 8               ///< made where the tracer could not see it, noticed at its first use
};

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// Of whole words, the last one filled up with zeros. Every step is a bijection, so a change within one word never goes
/// unnoticed.
inline std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t hash = seed ^ bytes;
  for (std::size_t done = 0; done < bytes; done += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + done, bytes - done < 8 ? bytes - done : 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Tells a block whose end is missing from one whose size was damaged.
inline std::uint32_t block_check(std::uint32_t payload_bytes, std::uint64_t base_ns) {
  const std::uint64_t words[2] = {payload_bytes, base_ns};
  return static_cast<std::uint32_t>(checksum(words, sizeof words, kBlockSeed));
}

}  // namespace orrery::tracer
