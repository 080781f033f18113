// The page of requests through a serving engine.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "page/page.h"
#include "page/sections/provenance_section.h"
#include "page/sections/serving_section.h"

namespace orrery::page {

/// `diagnostics`: all that was remarked so far.
Page make_serving_page(const ServedOnPage& served, std::string title, const PageSource& source,
                       const Diagnostics& diagnostics);

}  // namespace orrery::page
