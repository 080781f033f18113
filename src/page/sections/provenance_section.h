// Where the page comes from, and why parts of it are absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "page/sections/section.h"

namespace orrery::page {

struct PageInput {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t xxh3 = 0;
};

struct PageSource {
  std::string version;
  std::string command;  ///< that makes the same page again
  std::vector<PageInput> inputs;
  std::optional<std::uint64_t> seed;
};

/// `others`: all other sections, of which those that are absent are told.
Section provenance_section(const PageSource& source, const Diagnostics& diagnostics,
                           const std::vector<Section>& others);

}  // namespace orrery::page
