// Feeds arbitrary bytes to the reader of what Inductor writes about its kernels. What is refused names the file, and
// leaves nothing behind.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyze/capture/kernel_provenance.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(64, '\0');
  orrery::analyze::KernelProvenance provenance;
  const orrery::Status added = provenance.add(std::string_view(text).substr(0, size), "fuzz.json");
  if (!added) {
    require(added.error().file == "fuzz.json" && !added.error().message.empty(), "an error without its file");
    require(provenance.size() == 0, "a refused file left something behind");
    return 0;
  }
  const std::size_t kernels = provenance.size();
  require(provenance.add(std::string_view(text).substr(0, size), "fuzz.json").ok() && provenance.size() == kernels,
          "the same file twice says something else");
  return 0;
}
