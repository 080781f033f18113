// Motif files: YAML that a person can read and edit. docs/formats/motif.md describes them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "motif/motif.h"

namespace orrery::motif {

/// `file` is only used in errors, which say the line, what is wrong and, where that can be guessed, what was meant.
Result<Motif> parse_motif(std::string_view yaml, const std::string& file);
Result<Motif> read_motif(const std::string& path);

/// parse_motif(to_yaml(m)) == m for every motif whose flows use each block once, as fitted ones do.
std::string to_yaml(const Motif& motif);
Status write_motif(const Motif& motif, const std::string& path);

}  // namespace orrery::motif
