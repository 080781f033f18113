// Bytes as text (RFC 4648, with padding).
#pragma once

#include <string>
#include <string_view>

namespace orrery {

void append_base64(std::string& out, std::string_view bytes);

}  // namespace orrery
