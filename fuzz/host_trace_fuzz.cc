// Feeds arbitrary bytes to the reader of PyTorch host traces. Beyond not crashing: what is read is sound, and every row
// is the same when it is read alone, where nothing has been learned from the rows before it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../tests/formats/pytorch_et/host_trace_text.h"

namespace {

using namespace orrery;
using pytorch_et::testing::Reading;

void require(bool holds, const char* what, const std::string& more = {}) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s\n", what, more.c_str());
  std::abort();
}

/// A file in memory, under the same name every time.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("host_trace_fuzz", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  [[nodiscard]] Reading read(std::string_view bytes) const {
    require(
        ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "cannot write");
    return pytorch_et::testing::read_path(path_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

void require_same_alone(const Reading& reading, std::size_t row) {
  static const MemoryFile file;
  const std::string_view text = reading.trace->text(reading.trace->object[row]);
  const Reading alone = file.read("{\"schema\": \"" + std::string(reading.trace->is_flat() ? "1.0.1" : "1.1.1") +
                                  "\", \"nodes\": [" + std::string(text) + "]}");
  require(alone.trace.has_value() && alone.trace->size() == 1, "a row cannot be read alone", std::string(text));
  std::string first = row_text(reading, row);
  const std::string second = row_text(alone, 0);
  // Alone, a row without measurements is one of an ordinary trace: what linking adds is not written then.
  if (!alone.trace->is_linked()) first.resize(std::min(first.size(), second.size()));
  require(first == second, "a row is something else alone", first + "\n--- against\n" + second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const MemoryFile file;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)pytorch_et::looks_like_host_trace(bytes);
  std::vector<pytorch_et::Tensor> tensors;
  pytorch_et::append_tensors(bytes, tensors);

  const Reading reading = file.read(bytes);
  if (!reading.trace) {
    require(reading.error->file == file.path() && !reading.error->message.empty(), "an error without its file");
    return 0;
  }
  const std::string fault = pytorch_et::testing::find_fault(*reading.trace);
  require(fault.empty(), "unsound", fault);
  for (std::size_t row = 0; row < reading.trace->size(); ++row) {
    pytorch_et::append_tensors(reading.trace->text(reading.trace->inputs[row]), tensors);
    pytorch_et::append_tensors(reading.trace->text(reading.trace->outputs[row]), tensors);
    if (row == 1 || row == 2 || row + 1 == reading.trace->size())
      require_same_alone(reading, row);  // not all: it takes its time
  }
  (void)pytorch_et::process_groups(*reading.trace, reading.strings);
  return 0;
}
