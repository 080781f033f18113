// A page: sections in their order, what the script is told, columns. One file that needs nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "page/sections/section.h"

namespace orrery::page {

struct Page {
  std::string title;              ///< of the window, and beside the program's name in the head of the page
  std::vector<Section> sections;  ///< in order; absent ones are left out (provenance_section says why)
  std::string report_data;        ///< report_data_json() or empty_report_data()
  std::vector<Blob> blobs;        ///< the graph's, then the ranks'; taken apart while they are written
};

/// Compresses the blobs side by side and writes the file; returns its size. The same bytes for any number of threads.
/// Only of a build that has_assets().
Result<std::uint64_t> write_page(const std::string& path, Page page);

}  // namespace orrery::page
