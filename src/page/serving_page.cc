#include "page/serving_page.h"

#include <utility>

#include "page/data/report_data.h"

namespace orrery::page {

Page make_serving_page(const ServedOnPage& served, std::string title, const PageSource& source,
                       const Diagnostics& diagnostics) {
  Page page;
  page.title = std::move(title);
  page.sections.push_back(serving_verdict_section(served));
  page.sections.push_back(serving_requests_section(served));
  page.sections.push_back(serving_rates_section(served));
  page.sections.push_back(serving_tail_section(served));
  page.sections.push_back(
      {"timeline", "", {}, "steps and requests are a file of their own (--timeline), which orrery report takes."});
  page.sections.push_back(provenance_section(source, diagnostics, page.sections));
  page.report_data = empty_report_data();
  return page;
}

}  // namespace orrery::page
