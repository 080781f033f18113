// The second pass over one file.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "scrub/files/file_facts.h"
#include "scrub/files/json_rewriter.h"
#include "scrub/job_facts.h"

namespace orrery::scrub {

/// Hands the scrubbed content of the file to `write`, in pieces, and returns its size.
Result<std::uint64_t> rewrite_file(const FileFacts& file, const Settings& settings, const JobFacts& job,
                                   JsonRewriter& rewriter, const std::function<void(std::string_view)>& write,
                                   const std::function<void(std::uint64_t)>& on_progress);

}  // namespace orrery::scrub
