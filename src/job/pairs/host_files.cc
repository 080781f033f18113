#include "job/pairs/host_files.h"

#include <utility>

#include "formats/chakra/rank_files.h"

namespace orrery::job {

Result<HostFiles> read_host_files(const Source& source, const Reading& reading) {
  HostFiles files;
  std::vector<chakra::RankFile> ranks;
  // Names that do not tell all ranks tell none.
  if (const Result<std::vector<chakra::RankFile>> numbered = chakra::number_files(source.files)) ranks = *numbered;
  for (std::size_t i = 0; i < source.files.size() && ranks.size() < source.files.size(); ++i)
    ranks.push_back({i, source.files[i]});
  for (const chakra::RankFile& rank : ranks) {
    Result<trace::HostTrace> host = source.format->read_host(rank.path, files.strings, reading.diagnostics);
    if (!host) return host.error();
    files.traces.push_back(std::move(*host));
    files.rank_numbers.push_back(rank.rank);
  }
  return files;
}

}  // namespace orrery::job
