// Traces that are safe to share: the files of one job written again without what they give away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "base/result.h"

namespace orrery::ask {

struct ScrubRequest {
  std::vector<std::string> files = {};       ///< files, folders or globs: all files of one job
  std::optional<std::string> output = {};    ///< the folder to write to; made if it is not there
  bool dry_run = false;                      ///< write nothing; say what would go and what would stay
  std::optional<std::string> key_file = {};  ///< keep the key there, or use the one in it; none: nobody keeps it
  bool keep_file_names = false;
  bool keep_device_names = false;
  bool keep_operators = false;                 ///< names, shapes and numbers of PyTorch's own operators
  bool fuse = false;                           ///< join chains of compute nodes of Chakra files
  std::optional<std::int64_t> size_bits = {};  ///< round sizes to so many leading bits
  std::optional<std::string> jitter = {};      ///< move every moment by up to so much: "5us"
};
template <typename Visitor>
void fields(ScrubRequest& request, Visitor&& visit) {
  visit("output", request.output);
  visit("dry-run", request.dry_run);
  visit("key-file", request.key_file);
  visit("keep-file-names", request.keep_file_names);
  visit("keep-device-names", request.keep_device_names);
  visit("keep-operators", request.keep_operators);
  visit("fuse", request.fuse);
  visit("round-sizes", request.size_bits);
  visit("jitter", request.jitter);
}

/// Original names appear only in the answer to people, and of a dry run.
Result<report::Answer> run(const ScrubRequest& request, Context& context);

}  // namespace orrery::ask
