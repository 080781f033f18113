// What orrery convert reads: files in one of several formats, and the workload they are.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/invocation.h"
#include "job/source.h"
#include "job/workload_input.h"

namespace orrery::cli {

/// The flags that say what is read and how, among them those of Chakra's own tools.
std::vector<Flag> convert_source_flags();

/// The files that were named, whether as operands or as Chakra's tools have it.
Result<job::Source> find_convert_source(Invocation& invocation);

/// The value of a flag under any of its names; the first given counts.
std::string first_given(const Invocation& invocation, std::initializer_list<std::string_view> names);

/// Whether the source is of the format with this name.
bool is_format(const job::Source& source, std::string_view name);

/// `whole_microseconds`: times are rounded with care for the unit of Chakra's files.
Result<job::WorkloadInput> read_source(Invocation& invocation, const job::Source& source, bool whole_microseconds);

}  // namespace orrery::cli
