#include "job/write/overlay_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "formats/kineto/format.h"
#include "job/read/registry.h"

namespace orrery::job {

Status write_overlay_of(const std::string& source, const kineto::Overlay& overlay, const std::string& path) {
  const Result<const formats::Format*> format = detect(source);
  if (!format) return format.error();
  if (*format == &kineto::kFormat) return kineto::write_overlay(source, overlay, path);
  const bool has_timeline =
      (*format)->content == formats::Content::trace || (*format)->content == formats::Content::rank_program;
  return Error{fmt::format("an overlay is the trace written again, and {} is not written", (*format)->title), source,
               Error::kNoOffset, has_timeline ? "make a timeline of it first: orrery convert" : ""};
}

Status write_overlays_of(const std::vector<std::string>& sources, const std::vector<kineto::Overlay>& overlays,
                         const std::string& folder) {
  std::set<std::string> names;
  for (const std::string& source : sources) {
    if (!names.insert(std::filesystem::path(source).filename().string()).second)
      return Error{"two files of the job have one name, and would become one", source, Error::kNoOffset,
                   "give them names of their own"};
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{"the folder cannot be made: " + failed.message(), folder};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string path = (std::filesystem::path(folder) / std::filesystem::path(sources[i]).filename()).string();
    if (Status written = write_overlay_of(sources[i], overlays[i], path); !written) return written;
  }
  return {};
}

}  // namespace orrery::job
