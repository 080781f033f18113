// A rank's file: records go into a buffer, full buffers into the file as one block each. What was recorded stays
// readable whatever happens to the program: the part of the file that is being written is mapped, and every record is
// in it when its call returns. The system writes the pages of a process that is killed as it does those of one that
// ends.
//
// Where a file cannot be mapped, blocks are written with write() when they are full or a second old.
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

/// A new file in place of what has this name, if that is a file or a link; what a link points to is left alone, and so
/// is a file that another program has open. -1 and errno if it cannot be made.
int make_new_file(const std::string& path);

/// Not thread-safe: the caller has a lock.
class TraceFile {
 public:
  /// False, with a sentence on standard error, if the file cannot be made.
  bool open(const std::string& path, std::size_t buffer_bytes, const FileFacts& facts);
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// Appends a record. Its times may be given relative to base_ns(), which is that of the block it will be in.
  void add(RecordKind kind, const ByteBuffer& body);
  /// Call before a record is made that uses base_ns(): begins a block if there is none, or if the last is full or older
  /// than a second.
  void prepare(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t base_ns() const { return base_ns_; }

  void flush();
  void close();
  /// In a child of fork(): the file is its parent's.
  void forget();

 private:
  void write_all(const void* data, std::size_t bytes);
  /// Makes the bytes from `at_least` after the last block part of the file and of the window. False, and the file is
  /// closed, if the disk is full.
  bool map(std::size_t at_least);
  void unmap();
  void begin_mapped_block();
  void copy_record(std::size_t from);
  void finish_mapped_block(std::uint64_t first_word, std::uint64_t sum);
  void fail();
  [[nodiscard]] unsigned char* mapped_block() const { return window_ + (end_bytes_ - window_offset_); }

  int descriptor_ = -1;
  std::string path_;
  ByteBuffer block_;  // with room for its head in front; empty: none is begun
  std::size_t limit_bytes_ = 0;
  std::uint64_t base_ns_ = 0;
  std::uint64_t end_bytes_ = 0;  // of what is complete: where the block at hand begins

  bool is_mapped_ = false;
  unsigned char* window_ = nullptr;  // the part of the file that is mapped
  std::uint64_t window_offset_ = 0;
  std::size_t window_bytes_ = 0;
};

}  // namespace orrery::tracer
