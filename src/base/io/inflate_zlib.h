// Deflated data with zlib's header, which formats carry inside of them. No file is detected by it: any may begin so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace orrery {

class Inflater;  // base/io/inflate.h

/// As make_inflater().
std::unique_ptr<Inflater> make_zlib_inflater(std::string_view bytes, std::string path);

}  // namespace orrery
