// The end of reading a program, whatever its spelling: dependencies resolved, starts on one scale.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "formats/chakra/reader.h"
#include "workload/program_builder.h"

namespace orrery::chakra {

/// An Error names `path`. See ReadOptions for what dangling control dependencies become.
Result<workload::Program> finish_program(workload::ProgramBuilder builder, const RecordedStarts& starts,
                                         const std::string& path, const ReadOptions& options, std::int64_t* epoch_us);

}  // namespace orrery::chakra
