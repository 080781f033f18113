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

/// Joins files that are on one clock and one origin (see rewriter.h) into one that XProf shows as one host with many
/// devices:
///   * Planes are called after their node so that the viewer still takes them for what they are: "/device:GPU:1" of
///   node 3 becomes
///     "/device:GPU:1 (node 3)", "/host:CPU" becomes "/device:CUSTOM:node3/host:CPU" (a file has only one /host:CPU
///     that is shown), planes without lines keep their name in the first file and get " (node 3)" in others.
///   * Devices get the plane ids 0 to 498, which the viewer turns into process numbers below 500; all other planes
///   those from 1000 on.
///   * correlation_id, flow ids (flow, _c, _p) and group_id of different nodes become different; those of the first
///   file stay.
///     Line ids stay: they tell apart the lines of one plane, and some have a meaning.
///   * "Task Environment" comes from the first file, whose start all must share; "/clock_alignment" from none: a merged
///   file is not undone.
/// Memory: the output of one plane besides the mapped input.
Status merge(const std::vector<MergeInput>& inputs, const std::string& path_out);

}  // namespace orrery::xspace
