// The files of a workload's ranks: PREFIX.0.et, PREFIX.1.et, ... A rank that is missing is not a smaller job.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::chakra {

struct RankFile {
  std::size_t rank = 0;
  std::string path;
};

/// Every PREFIX.N.et, PREFIX.N.et.gz, PREFIX.N.et.zst and PREFIX.N.json there is, by rank; of two for one rank the
/// first of these endings. Empty if there are none.
std::vector<RankFile> find_rank_files(const std::string& prefix);

/// Files given one by one, by rank. If none has a number in its name, or two the same, they are ranks in the order
/// given. An Error if some have a number and others do not: what such a file is to the job cannot be told.
Result<std::vector<RankFile>> number_files(const std::vector<std::string>& paths);

/// Ranks 0 to n - 1 are there, where n is `ranks`, or, if that is 0, one more than the highest rank. Otherwise an Error
/// that names those missing. `files` is by rank.
Status check_complete(std::span<const RankFile> files, std::size_t ranks);

/// The same with what the files themselves say of how many there should be (Workload::recorded_ranks). `path` is for
/// the Error.
Status check_recorded_ranks(const workload::Workload& workload, const std::string& path);

/// "2", "2 and 5", "2, 5 to 8 and 11": ascending numbers in words; what is too long to read ends with how many more
/// there are.
std::string list_ranks(std::span<const std::size_t> ranks);

}  // namespace orrery::chakra
