// What orrery convert reads, from the command line: files in one of several formats, and what they leave open.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/frame/invocation.h"
#include "job/read/source.h"
#include "job/write/conversion.h"

namespace orrery::cli {

/// The flags that say what is read and how, among them those of Chakra's own tools.
std::vector<Flag> convert_source_flags();

/// The files that were named, whether as operands or as Chakra's tools have it.
Result<job::Source> find_convert_source(Invocation& invocation);

/// The value of a flag under any of its names; the first given counts.
std::string first_given(const Invocation& invocation, std::initializer_list<std::string_view> names);

/// What the flags say that the files leave open.
job::ConvertOptions convert_options(const Invocation& invocation);

}  // namespace orrery::cli
