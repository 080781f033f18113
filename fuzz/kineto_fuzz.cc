// Feeds arbitrary bytes to the Kineto reader, from a file as the program does and in small windows as a stream does.
// Beyond not crashing: what is read is sound, and is the same in one go, in parts and in windows.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "../tests/formats/kineto/rank_text.h"
#include "../tests/formats/kineto/windows.h"
#include "base/io/inflate.h"
#include "base/parallel.h"
#include "formats/kineto/reader.h"

namespace {

using orrery::kineto::ReadOptions;
using orrery::kineto::testing::Detail;
using orrery::kineto::testing::Reading;

void require(bool holds, const char* what, const std::string& more = {}) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n", what, more.c_str());
  std::abort();
}

/// The input as a file in memory, under the same name every time.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("kineto_fuzz", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  void write(std::string_view bytes) const {
    require(
        ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "cannot write");
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

Reading read(const std::string& path, const ReadOptions& options) {
  Reading reading;
  reading.path = path;
  auto rank = orrery::kineto::read_rank(path, reading.strings, reading.diagnostics, options);
  if (rank) reading.rank.emplace(std::move(*rank));
  else reading.error = rank.error();
  if (!reading.rank) {
    require(reading.error->file == path && !reading.error->message.empty(), "an error without its file");
    return reading;
  }
  const std::string fault = orrery::kineto::testing::find_fault(*reading.rank, reading.strings);
  require(fault.empty(), "unsound", fault);
  return reading;
}

void require_same(const Reading& a, const Reading& b, const char* what) {
  const std::string first = to_text(a, Detail::all), second = to_text(b, Detail::all);
  require(first == second, what, first + "\n--- against\n" + second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const MemoryFile file;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  file.write(bytes);

  orrery::set_thread_count(1);
  const Reading whole = read(file.path(), {});
  std::optional<Reading> salvaged;
  if (!whole.rank) salvaged.emplace(read(file.path(), {.salvage = true}));
  if (orrery::detect_compression(bytes) != orrery::Compression::none) return 0;

  if (std::accumulate(bytes.begin(), bytes.end(), 0u) % 4 == 0) {  // not always: threads are slow to wake
    orrery::set_thread_count(2);
    const std::size_t part_bytes = size / 4 + 20;
    require_same(read(file.path(), {.part_bytes = part_bytes}), whole, "parts give something else");
    if (salvaged)
      require_same(read(file.path(), {.salvage = true, .part_bytes = part_bytes}), *salvaged,
                   "salvaged parts give something else");
  }

  std::size_t step = 7;
  const Reading windows = orrery::kineto::testing::read_in_windows(bytes, [&] { return step = step * 31 % 397 + 1; });
  require(windows.rank.has_value() == whole.rank.has_value(), "windows are not read");
  if (whole.rank) require_same(windows, whole, "windows give something else");
  return 0;
}
