#include "job/overlay_file.h"

#include <fmt/format.h>

#include "formats/kineto/format.h"
#include "job/registry.h"

namespace orrery::job {

Status write_overlay_of(const std::string& source, const kineto::Overlay& overlay, const std::string& path) {
  const Result<const formats::Format*> format = detect(source);
  if (!format) return format.error();
  if (*format == &kineto::kFormat) return kineto::write_overlay(source, overlay, path);
  const bool has_timeline = (*format)->content == formats::Content::trace || (*format)->content == formats::Content::rank_program;
  return Error{fmt::format("an overlay is the trace written again, and {} is not written", (*format)->title), source, Error::kNoOffset,
               has_timeline ? "make a timeline of it first: orrery convert" : ""};
}

}  // namespace orrery::job
