// Feeds arbitrary bytes to the reader of rocprofv3's JSON.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "formats/rocprof/format.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("orrery-fuzz-" + std::to_string(::getpid()) + ".json")).string();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  orrery::Diagnostics diagnostics;
  const auto job = orrery::rocprof::kFormat.read_traces({path}, diagnostics, {.operands = true});
  if (!job && (job.error().file != path || job.error().message.empty())) {
    std::fprintf(stderr, "an error without its file\n");
    std::abort();
  }
  std::filesystem::remove(path);
  return 0;
}
