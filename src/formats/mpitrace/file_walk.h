// The records of a file, one after the other, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tracer/layout.h"

namespace orrery::mpitrace {

/// What a file says about itself.
struct FileHead {
  std::int64_t rank = 0;
  std::int64_t world_size = 0;
  std::int64_t node = 0;            ///< world rank of the first rank of its host
  std::int64_t unix_offset_ns = 0;  ///< Unix time minus the recorder's clock
  std::uint64_t start_ns = 0;
  std::int64_t depth = 0;
  std::string host;
  std::string library;
  std::string program;
  std::size_t bytes = 0;  ///< where the blocks begin
};

bool has_magic(std::string_view bytes);
Result<FileHead> read_file_head(std::string_view bytes, const std::string& path);

struct Record {
  tracer::RecordKind kind = tracer::RecordKind::end;
  std::string_view body;
  std::uint64_t base_ns = 0;  ///< of its block
  bool is_first_of_block = false;
  std::uint64_t offset = 0;  ///< in the file
};

/// A file may end anywhere: its program died, or its disk was full. What is there of the last block is read, unchecked
/// by its sum; of one that the tracer had not finished, up to the first kind 0. A block whose bytes do not agree with
/// its checksum is damage(), and nothing behind it is read.
class FileWalk {
 public:
  /// `bytes` is the whole file and must outlive this.
  FileWalk(std::string_view bytes, const FileHead& head, std::string path);

  /// False at the end, at the cut, or at damage.
  bool next(Record& record);
  [[nodiscard]] bool is_cut() const { return cut_at_.has_value(); }
  [[nodiscard]] std::uint64_t cut_at() const { return cut_at_.value_or(0); }
  /// Behind the last block are zeros: the program ended without closing its file.
  [[nodiscard]] bool has_zeros_behind() const { return has_zeros_behind_; }
  [[nodiscard]] const std::optional<Error>& damage() const { return damage_; }
  /// For whoever finds that a record makes no sense.
  void set_damage(std::string what, std::uint64_t offset);

 private:
  bool begin_block();

  std::string_view bytes_;
  std::string path_;
  std::size_t at_ = 0;
  std::size_t block_end_ = 0;
  std::uint64_t base_ns_ = 0;
  bool is_first_ = false;
  bool block_is_cut_ = false;
  bool has_zeros_behind_ = false;
  std::optional<std::uint64_t> cut_at_;
  std::optional<Error> damage_;
};

}  // namespace orrery::mpitrace
