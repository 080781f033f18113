// The script and the style of the page, bundled from web/ when the program was built.
#pragma once

#include <string>
#include <string_view>

namespace orrery::page {

/// Whether this build has them (ORRERY_WEB).
bool has_assets();
std::string_view script();
std::string_view style();
/// What a Content-Security-Policy allows the script by: 'sha256-...'.
std::string script_hash();

}  // namespace orrery::page
