// A rank's file: records go into a buffer, full buffers into the file as one block each, with write(). What was written stays readable whatever
// happens to the program then.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/byte_buffer.h"
#include "tracer/layout.h"

namespace orrery::tracer {

/// What a file says about itself.
struct FileFacts {
  int rank = 0;
  int world_size = 0;
  int node = 0;                     ///< world rank of the first rank of its host
  std::int64_t unix_offset_ns = 0;  ///< Unix time minus the monotonic clock
  std::uint64_t start_ns = 0;
  int depth = 0;
  std::string host;
  std::string library;  ///< of MPI, as it calls itself
  std::string program;
};

/// Not thread-safe: the caller has a lock.
class TraceFile {
 public:
  /// False, with a sentence on standard error, if the file cannot be made.
  bool open(const std::string& path, std::size_t buffer_bytes, const FileFacts& facts);
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// Appends a record. Its times may be given relative to base_ns(), which is that of the block it will be in.
  void add(RecordKind kind, const ByteBuffer& body);
  /// Call before a record is made that uses base_ns(): begins a block if there is none, or if the last is full or older than a second.
  void prepare(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t base_ns() const { return base_ns_; }

  void flush();
  void close();

 private:
  void write_all(const void* data, std::size_t bytes);

  int descriptor_ = -1;
  int process_ = 0;  // that opened it: a child of fork() must not write what its parent will write too
  std::string path_;
  ByteBuffer block_;  // with room for its head in front; empty: none is begun
  std::size_t limit_bytes_ = 0;
  std::uint64_t base_ns_ = 0;
};

}  // namespace orrery::tracer
