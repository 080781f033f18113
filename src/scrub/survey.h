// The first pass over a file: whether it is sound, and what the job must know of it before anything is rewritten.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "formats/format.h"
#include "scrub/files/file_facts.h"
#include "scrub/job_facts.h"

namespace orrery::scrub {

/// A file, and what the registry of formats (job/read/registry.h) found it to be: scrub decides nothing about that
/// itself.
struct Input {
  std::string path;
  const formats::Format* format = nullptr;
};

/// An Error if the file cannot be used: damaged, truncated, refused by the reader that other verbs have for it, or of a
/// format without rules.
Result<FileFacts> survey_file(const Input& input, const std::function<void(std::uint64_t)>& on_progress = {});

/// What the files of one job share.
JobFacts join_facts(std::span<const FileFacts> files);

}  // namespace orrery::scrub
