// The files of an MPI job that has one per rank: what readers of such formats say of them alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file_content.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::match {

struct MpiRankFile {
  std::int64_t rank;
  std::string path;
};

/// Puts them in the order of their ranks. An Error if two are of one rank.
Status sort_by_rank(std::vector<MpiRankFile>& files);

/// Tells the trace what it was read from; its events are there already.
void set_source(const MpiRankFile& file, const FileContent& content, std::string_view format, trace::RankTrace& rank);

}  // namespace orrery::match
