#include "match/mpi/mpi_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::match {

Status sort_by_rank(std::vector<MpiRankFile>& files) {
  std::stable_sort(files.begin(), files.end(),
                   [](const MpiRankFile& a, const MpiRankFile& b) { return a.rank < b.rank; });
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].rank == files[i - 1].rank)
      return Error{fmt::format("this and {} are both of rank {}", files[i - 1].path, files[i].rank), files[i].path,
                   Error::kNoOffset, "leave one of them"};
  }
  return {};
}

void set_source(const MpiRankFile& file, const FileContent& content, std::string_view format, trace::RankTrace& rank) {
  rank.source.path = file.path;
  rank.source.file_bytes = content.file_bytes();
  rank.source.text_bytes = content.bytes().size();
  rank.source.format = format;
  rank.source.rank = file.rank;
  rank.source.entries = rank.event_count();
  rank.rank = file.rank;
  rank.lanes.front().process.number = file.rank;
}

}  // namespace orrery::match
