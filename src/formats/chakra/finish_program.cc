#include "formats/chakra/finish_program.h"

#include <fmt/format.h>

#include "formats/chakra/diagnostics.h"

namespace orrery::chakra {

Result<workload::Program> finish_program(workload::ProgramBuilder builder, const RecordedStarts& starts,
                                         const std::string& path, const ReadOptions& options, std::int64_t* epoch_us) {
  workload::DanglingControl dangling;
  // Chakra's converter leaves control dependencies on rows it has dropped; where remarks are taken they are counted and
  // left out.
  Result<workload::Program> program = std::move(builder).build(options.diagnostics != nullptr ? &dangling : nullptr);
  if (!program) {
    program.error().file = path;
    return program;
  }
  if (dangling.count > 0) {
    options.diagnostics->add_many(
        kDanglingControl, dangling.count,
        fmt::format("{}: node {} depends on node {}", path, dangling.first_id, dangling.first_on));
  }
  if (dangling.circular > 0) options.diagnostics->add_many(kCircularControl, dangling.circular, path);
  const std::int64_t epoch = starts.finish(*program);
  if (epoch_us != nullptr) *epoch_us = epoch;
  return program;
}

}  // namespace orrery::chakra
