// Feeds arbitrary bytes to scrub as a file. What it accepts is written, can be scrubbed again, and is rewritten to the
// same bytes by the same key; the new file is accepted too. A marker that no vocabulary has is never in the output.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "job/read/registry.h"
#include "scrub/scrub.h"

namespace {

using namespace orrery;

constexpr std::string_view kMarker = "zqxjkvb";

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// The scrubbed content, or nothing if the file was refused.
bool scrub_once(const std::string& input, const std::string& folder, std::string& content) {
  std::filesystem::remove_all(folder);
  scrub::Request request;
  const auto format = job::detect(input);
  if (!format) return false;
  request.inputs = {{input, *format}};
  request.output_folder = folder;
  // Of A-mpiP numbers can only stay as they are.
  const bool is_mpi = (*format)->name == "ampip" || (*format)->name == "mpip";
  if (!is_mpi) request.settings.jitter_ps = 5 * kPsPerUs;
  if (!is_mpi) request.settings.size_bits = 3;
  request.settings.fuse = true;
  Diagnostics diagnostics;
  const auto outcome = scrub::scrub_job(request, diagnostics);
  if (!outcome) {
    require(!std::filesystem::exists(folder), "a refused file left something behind");
    return false;
  }
  const auto written = read_whole_file(outcome->files.front().output, std::size_t{1} << 30);
  require(written.ok(), "what was written cannot be read");
  content = *written;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string base =
      (std::filesystem::temp_directory_path() / ("scrub-fuzz-" + std::to_string(std::rand()))).string();
  static const bool made = std::filesystem::create_directories(base);
  require(made || std::filesystem::exists(base), "no folder to work in");
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // "name" of anything becomes a secret that must go, and so does one at any other place.
  if (const std::size_t name = bytes.find("\"name\": \""); name != std::string::npos) bytes.insert(name + 9, kMarker);
  // Only every second time, since most places make a file that is refused.
  if (const std::size_t place = std::hash<std::string>()(bytes); place % 2 == 0)
    bytes.insert(place / 2 % (bytes.size() + 1), kMarker);
  const std::string input = base + "/input.json";
  require(write_whole_file(input, bytes).ok(), "cannot write the input");
  std::string once, again, twice;
  if (!scrub_once(input, base + "/a", once)) return 0;
  require(scrub_once(input, base + "/b", again) && again == once, "the same key gave other bytes");
  require(once.find(kMarker) == std::string::npos, "a name was left over");
  const std::string output = base + "/output.json";
  require(write_whole_file(output, once).ok(), "cannot write the output");
  require(scrub_once(output, base + "/c", twice), "what was written is not accepted");
  return 0;
}
