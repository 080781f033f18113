#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/build/emitted_job.h"
#include "replay/torch/build/program_list.h"
#include "replay/torch/edits/edit_outcomes.h"
#include "replay/torch/source/chakra_source.h"
#include "replay/torch/source/scrubbed_source.h"

namespace orrery::replay::torch {
namespace {

struct ChakraRank {
  Interner strings;
  std::optional<Result<ChakraRows>> rows;
};

bool can_be_called(const std::vector<ChakraRank>& ranks) {
  return !ranks.empty() && std::all_of(ranks.begin(), ranks.end(), [](const ChakraRank& rank) {
    return rank.rows && *rank.rows && (*rank.rows)->has_schemas;
  });
}

std::int64_t world_size_of(const workload::Workload& workload, const std::vector<std::size_t>& numbers) {
  std::size_t size = std::max(workload.rank_count(), workload.recorded_ranks);
  for (const std::size_t number : numbers) size = std::max(size, number + 1);
  return std::min(static_cast<std::int64_t>(size), kMostRanks);
}

Result<EmittedJob> emit_called(const std::vector<ChakraRank>& ranks, const workload::Workload& workload,
                               const std::vector<std::size_t>& numbers, const EmitOptions& options) {
  std::vector<RankSource> sources(ranks.size());
  std::vector<trace::HostArguments> arguments(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    sources[r] = source_of_chakra(**ranks[r].rows, ranks[r].strings, static_cast<std::int64_t>(numbers[r]),
                                  world_size_of(workload, numbers), workload);
    arguments[r] = pytorch_et::read_arguments(*sources[r].host, ranks[r].strings);
  });
  return emit_ranks(std::move(sources), arguments, options);
}

}  // namespace

Result<EmittedJob> emit_programs(const workload::Workload& workload, const std::vector<std::string>& rank_files,
                                 const std::vector<std::size_t>& rank_numbers, const EmitOptions& options) {
  std::vector<ChakraRank> ranks(rank_files.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    // The feeder's JSON says nothing of operators.
    if (rank_files[r].find(".json") == std::string::npos)
      ranks[r].rows = read_chakra_rows(rank_files[r], ranks[r].strings);
  });
  if (can_be_called(ranks)) {
    auto job = emit_called(ranks, workload, rank_numbers, options);
    if (!job) return job.error();
    for (const std::string& file : rank_files) job->sources.push_back(std::filesystem::path(file).filename().string());
    return job;
  }
  if (options.scale && !options.scale->factor.is_one())
    return Error{"this has no operator schemas: work of the recorded duration has no sizes that could be scaled",
                 rank_files.empty() ? "" : rank_files.front()};
  if (const Status possible = check_edits(options); !possible) return possible.error();
  EmittedJob job;
  job.world_size = world_size_of(workload, rank_numbers);
  job.groups.emplace_back(static_cast<std::size_t>(job.world_size));
  std::iota(job.groups.front().begin(), job.groups.front().end(), std::int64_t{0});
  for (std::size_t r = 0; r < workload.rank_count(); ++r) {
    auto list = list_of_program(workload, r, static_cast<std::int64_t>(rank_numbers[r]), job.groups, options);
    if (!list) return list.error();
    job.ranks.push_back(std::move(*list));
  }
  if (const Status settled = settle_edits(options, job); !settled) return settled.error();
  const bool is_empty =
      std::all_of(job.ranks.begin(), job.ranks.end(), [](const OperationList& rank) { return rank.entries.empty(); });
  if (is_empty)
    return Error{
        "no activity has a recorded duration on a device, and nothing communicates: there is nothing to run again",
        rank_files.empty() ? "" : rank_files.front()};
  for (const std::string& file : rank_files) job.sources.push_back(std::filesystem::path(file).filename().string());
  const bool is_scrubbed =
      std::any_of(workload.programs.begin(), workload.programs.end(), [&](const workload::Program& program) {
        return std::any_of(program.names.begin(), program.names.end(),
                           [&](StringId name) { return is_scrubbed_name(workload.strings.text(name)); });
      });
  job.remarks.emplace_back(is_scrubbed ? kScrubbedRemark
                                       : "the source has no operator schemas: all device work is work of the recorded "
                                         "duration, communication is real");
  return job;
}

}  // namespace orrery::replay::torch
