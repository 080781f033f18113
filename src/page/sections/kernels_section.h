// What the devices did, by name.
#pragma once

#include "page/sections/section.h"
#include "report/sheet.h"

namespace orrery::page {

/// `device_work`: analyze::device_work_sheet; without rows the section is absent.
Section kernels_section(const report::Sheet& device_work);

}  // namespace orrery::page
