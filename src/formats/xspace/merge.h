// Several nodes in one XSpace file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace orrery::xspace {

struct MergeInput {
  std::string path;
  std::int64_t node = 0;
};

/// Joins files that are on one clock and one origin (see rewriter.h) into one. Planes are called after their node, "/host:CPU" of node 3
/// becomes "/host:CPU (node 3)" and "/device:GPU:1" "/device:GPU:1 (node 3)", so that viewers still recognise them by their beginning; plane
/// ids, line ids, flow ids, correlation ids and group ids are made distinct per node, and plane ids of devices stay below 500.
/// "Task Environment" is kept of the first file, whose start all must share, "/clock_alignment" of none. Lines come in the order of the files.
/// Memory: the output of one plane besides the mapped input.
Status merge(const std::vector<MergeInput>& inputs, const std::string& path_out);

}  // namespace orrery::xspace
