#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/parallel.h"
#include "formats/chakra/rank_files.h"
#include "formats/pytorch_et/arguments.h"
#include "formats/pytorch_et/reader.h"
#include "replay/torch/build/emitted_job.h"
#include "replay/torch/source/linked_source.h"

namespace orrery::replay::torch {
namespace {

struct ReadRank {
  Interner strings;
  Diagnostics diagnostics;
  std::optional<Result<trace::HostTrace>> host;
};

bool has_schemas_recorded(const trace::HostTrace& host) {
  return std::any_of(host.op_schema.begin(), host.op_schema.end(), [](StringId schema) { return schema != 0; });
}

}  // namespace

Result<EmittedJob> emit_linked(const std::vector<std::string>& files, const EmitOptions& options,
                               Diagnostics& diagnostics) {
  const auto numbered = chakra::number_files(files);
  if (!numbered) return numbered.error();
  std::vector<ReadRank> ranks(numbered->size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    ranks[r].host = pytorch_et::read_host_trace((*numbered)[r].path, ranks[r].strings, ranks[r].diagnostics);
  });
  std::int64_t world_size = static_cast<std::int64_t>(numbered->back().rank) + 1;
  for (const ReadRank& rank : ranks) {
    diagnostics.merge(rank.diagnostics);
    if (!*rank.host) return rank.host->error();
    const trace::HostTrace& host = **rank.host;
    if (!has_schemas_recorded(host))
      return Error{"this host trace has no operator schemas: nothing in it can be called", host.path, Error::kNoOffset,
                   "PyTorch records them from 2.0 on; scrub leaves them in with --keep-operators"};
    for (const pytorch_et::ProcessGroup& group : pytorch_et::process_groups(host, rank.strings))
      world_size = std::max(world_size, group.ranks.empty() ? std::max<std::int64_t>(0, group.size)
                                                            : std::int64_t{group.ranks.back()} + 1);
  }
  world_size = std::min(world_size, kMostRanks);
  std::vector<RankSource> sources(ranks.size());
  std::vector<trace::HostArguments> arguments(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    sources[r] =
        source_of_linked(**ranks[r].host, ranks[r].strings, static_cast<std::int64_t>((*numbered)[r].rank), world_size);
    arguments[r] = pytorch_et::read_arguments(*sources[r].host, ranks[r].strings);
  });
  auto emitted = emit_ranks(std::move(sources), arguments, options);
  if (!emitted) return emitted.error();
  EmittedJob& job = *emitted;
  for (const ReadRank& rank : ranks) {
    job.sources.push_back(std::filesystem::path((*rank.host)->path).filename().string());
    job.host_bytes += (*rank.host)->content.size();
  }
  return emitted;
}

}  // namespace orrery::replay::torch
