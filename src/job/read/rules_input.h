// How names are read, from files: what users say (--rules FILE), then what ships with the program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/packed.h"
#include "base/result.h"
#include "job/read/reading.h"
#include "trace/names/rules.h"

namespace orrery::job {

/// The rules of `files`, the first file's first, then the shipped ones. An Error has the file and the line: a pattern
/// that RE2 refuses, an unknown key, kind, role or phase, a group that its pattern does not have. Without files the
/// same table every time; any number of threads may ask.
Result<std::shared_ptr<const trace::Rules>> read_rules(std::span<const std::string> files);

/// Those of one file's text alone, without the shipped ones. Errors as above.
Result<std::shared_ptr<const trace::Rules>> parse_rules(std::string_view text, const std::string& file);

/// Of what is read that way; tells the files first.
Result<std::shared_ptr<const trace::Rules>> rules_of(const Reading& reading);

/// For another process of a team, which reads the same files: null if it cannot.
void pack_rules(PackedWriter& writer, const trace::Rules& rules);
std::shared_ptr<const trace::Rules> unpack_rules(PackedReader& reader);

}  // namespace orrery::job
