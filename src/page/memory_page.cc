#include "page/memory_page.h"

#include <utility>

#include "page/data/report_data.h"

namespace orrery::page {

Page make_memory_page(const SnapshotMemory& memory, const SnapshotMemory* before, std::string title,
                      const PageSource& source, const Diagnostics& diagnostics) {
  Page page;
  page.title = std::move(title);
  page.sections.push_back(memory_verdict_section(memory));
  page.sections.push_back(memory_section(memory));
  page.sections.push_back(before != nullptr ? memory_changes_section(*before, memory)
                                            : Section{"diff", "", {}, "no other snapshot was given (--against)."});
  page.sections.push_back(provenance_section(source, diagnostics, page.sections));
  page.report_data = empty_report_data();
  return page;
}

}  // namespace orrery::page
