// Output that is complete or absent: written aside and renamed into place at the end, so that a failed run leaves old
// files intact.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery {

/// A file being written. Compressed with gzip when the name ends in ".gz", with zstd when it ends in ".zst". Destroyed
/// without commit(), or when the run is interrupted, it leaves nothing behind. Devices and pipes are written to in
/// place, and links are followed: neither is replaced by a file. "-" is standard output. A file that an OutputSet
/// protects is refused. While an OutputSet lives, a file that is committed appears when the set is published. Errors
/// are kept and returned by commit(), so that writing needs no checks in between.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  void write(std::string_view bytes);
  /// Flushes, closes and renames into place, or leaves that to the OutputSet.
  Status commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Whether this names the process's standard output: "-" or /dev/stdout.
bool is_standard_output(std::string_view path);

/// create, write and commit in one call.
Status write_whole_file(const std::string& path, std::string_view content);

}  // namespace orrery
