// Callsites of a rank's trace and of the report: the same place under two numbers.
//
// A trace numbers callsites in the order in which its own rank came to them. The report has one number for all ranks,
// and as TmpID the number of the lowest rank with that site. For that rank the two are joined by TmpID; for the others
// by function, how often it was called, what it sent, and of those alike by order: two ranks come to the places that
// both know in the same order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "formats/ampip/report.h"

namespace orrery::ampip {

/// What a rank's trace says of one callsite.
struct LocalSite {
  std::int64_t number = 0;
  std::string call;  ///< "Isend"
  std::int64_t count = 0;
  double sent_bytes = 0;   ///< all together
  bool has_bytes = false;  ///< false: the trace does not say
};

struct RankSites {
  std::int64_t rank = 0;
  std::vector<LocalSite> sites;  ///< by number
};

/// Per rank, as `ranks` (ascending by rank): from the trace's number of a callsite to its row of Report::site_times.
/// Sites without one are missing.
std::vector<std::map<std::int64_t, const SiteTime*>> join_sites(const std::vector<RankSites>& ranks,
                                                                const Report& report);

/// By site id: where it stands, told apart from others on the same line: "... #2". Empty texts: not known.
std::map<std::int64_t, std::string> name_sites(const Report& report);

}  // namespace orrery::ampip
