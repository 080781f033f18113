// A file that a long sweep leaves its finished points in, so that the same command goes on where an earlier run of it
// ended.
//
// The file: the eight letters ORRERYCP; its version; the size, bytes and checksum of a header that says what the points
// are of; then one record per point, in the order in which they were finished: its number, size, bytes and checksum.
// Numbers are little-endian 64-bit integers, checksums XXH3. What a run was writing when it ended may be cut: such a
// last record is dropped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery {

/// What points are of: they are the same if all of this is.
struct CheckpointKey {
  struct Input {
    std::string path;
    std::uint64_t bytes = 0, xxh3 = 0;
    bool operator==(const Input&) const = default;
  };

  std::string version;  ///< of the program
  std::string
      command;  ///< without what has no influence on points: how the answer is shown, threads, the checkpoint itself
  std::vector<Input> inputs;
  std::uint64_t points = 0;
};

/// What a checkpoint file holds.
struct CheckpointContent {
  CheckpointKey key;
  std::map<std::uint64_t, std::string> points;  ///< by number, below key.points
  std::uint64_t good_bytes = 0;                 ///< what follows is a record that was cut
};

/// Whatever the bytes are, the outcome is sound or an Error with the byte position. `name` stands for the file in
/// errors.
Result<CheckpointContent> parse_checkpoint(std::string_view bytes, const std::string& name);

class Checkpoint {
 public:
  /// Begins the file, or goes on with it if it is of the same key. An Error of kind misuse: it is of something else,
  /// which is said, no checkpoint at all, or in use by another run.
  static Result<Checkpoint> open(const std::string& path, const CheckpointKey& key);
  Checkpoint(Checkpoint&& other) noexcept;
  Checkpoint& operator=(Checkpoint&& other) noexcept;
  ~Checkpoint();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What earlier runs finished.
  [[nodiscard]] const std::map<std::uint64_t, std::string>& points() const { return points_; }
  /// Whole or not at all, also on a full disk.
  Status append(std::uint64_t point, std::string_view bytes);

 private:
  Checkpoint() = default;

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::map<std::uint64_t, std::string> points_;
};

}  // namespace orrery
