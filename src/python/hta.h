// A job as HTA holds it, for the package orrery.hta: read once, asked many times.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "causal/hta/job_rows.h"
#include "job/read/hta_input.h"

namespace orrery::python {

struct HtaJob {
  job::HtaInput input;
  causal::hta::JobRows rows;
  std::vector<std::string> symbols;  ///< HTA's symbol table: names and categories of all rows of all ranks, ascending
  std::vector<std::vector<std::uint32_t>>
      symbol_of;  ///< per rank: the place in `symbols` of each interned text that is one
};

/// Shared by all that was taken from it.
struct HtaJobHandle {
  std::shared_ptr<const HtaJob> job;

  /// By its place in the ascending order of ranks.
  [[nodiscard]] const causal::hta::RankRows& rank(std::size_t place) const;
};

/// Microseconds of HTA's clock: since the first start of the job. Whole, as HTA has them.
std::int64_t job_us(const causal::hta::RankRows& rank, TimePs time);

/// Each adds methods to the class of the job.
void bind_hta_columns(pybind11::class_<HtaJobHandle>& job);
void bind_hta_tables(pybind11::class_<HtaJobHandle>& job);
void bind_hta_path(pybind11::module_& module, pybind11::class_<HtaJobHandle>& job);

}  // namespace orrery::python
