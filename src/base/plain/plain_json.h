// JSON as a tree of plain values: what a pickle of the same gives, so that one reader takes both.
#pragma once

#include <string>
#include <string_view>

#include "base/plain/plain_values.h"
#include "base/result.h"

namespace orrery {

/// `text` is followed by at least 64 readable bytes, and is referred to by the values. Keys that occur again are one
/// value. An Error has the byte position; it also refuses what nests deeper than PlainValues::kMaxNesting.
Result<PlainValues> read_plain_json(std::string_view text, const std::string& path);

}  // namespace orrery
