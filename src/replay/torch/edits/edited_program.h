// A program without operators, edited: its device work is work of a duration, which can be any, and its communication
// is of a size.
#pragma once

#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "replay/torch/edits/rank_edits.h"
#include "workload/workload.h"

namespace orrery::replay::torch {

/// Work of the device that took time.
bool is_program_work(const workload::Program& program, std::size_t activity);
bool is_program_transfer(const workload::Program& program, std::size_t activity);

struct ProgramEdits {
  std::vector<TimePs> durations;        ///< per activity; RankEdits::kRemoved
  std::vector<TransferEdit> transfers;  ///< likewise
  EditedList list;                      ///< without its sides
};

/// `edits` are some that check_edits let pass. `place`: of the rank in the workload; `rank`: its number. An Error names
/// the edit and what the program does not tell: steps, annotations, operators, groups without names.
Result<ProgramEdits> edit_program(const std::vector<analyze::ParsedEdit>& edits, const workload::Workload& workload,
                                  std::size_t place, std::int64_t rank);

}  // namespace orrery::replay::torch
