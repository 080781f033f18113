#include "python/hta.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analyze/path/hta_summary.h"
#include "base/interrupt.h"
#include "causal/hta/kernel_type.h"
#include "python/bindings.h"
#include "python/failures.h"
#include "python/texts.h"
#include "python/working.h"

namespace orrery::python {
namespace {

namespace py = pybind11;
using causal::hta::Filter;
using causal::hta::RankRows;
using causal::hta::RowIndex;

void collect_symbols(HtaJob& job) {
  std::set<std::string, std::less<>> all;
  const auto for_each_text = [](const RankRows& rank, auto&& visit) {
    std::vector<bool> seen(rank.rows.trace->strings.size());
    for (RowIndex r = 0; r < rank.rows.size(); ++r) {
      // Names and categories share one table, as in HTA.
      for (const StringId id : {rank.rows.name(r), rank.rows.category(r)}) {
        if (!seen[id]) visit(id, rank.rows.trace->strings.text(id));
        seen[id] = true;
      }
    }
  };
  for (const RankRows& rank : job.rows)
    for_each_text(rank, [&](StringId, std::string_view text) { all.emplace(text); });
  job.symbols.assign(all.begin(), all.end());
  for (const RankRows& rank : job.rows) {
    std::vector<std::uint32_t>& places = job.symbol_of.emplace_back(rank.rows.trace->strings.size(), 0);
    for_each_text(rank, [&](StringId id, std::string_view text) {
      // Sorted, so that the place of a symbol is found by halving and is the same for all ranks.
      places[id] = static_cast<std::uint32_t>(std::lower_bound(job.symbols.begin(), job.symbols.end(), text) -
                                              job.symbols.begin());
    });
  }
}

Result<std::shared_ptr<const HtaJob>> read_hta(const std::vector<std::string>& files,
                                               const std::map<std::string, std::int64_t>& ranks, Filter filter) {
  auto job = std::make_shared<HtaJob>();
  Diagnostics diagnostics;
  const job::Reading reading{
      .diagnostics = diagnostics, .ranks = ranks, .on_progress = [](std::uint64_t) { stop_if_requested(); }};
  const Result<job::Source> source = job::find_source(files, {.may_miss_ranks = true}, diagnostics);
  if (!source) return source.error();
  Result<job::HtaInput> input = job::read_hta_job(*source, reading);
  if (!input) return input.error();
  job->input = std::move(*input);
  Result<causal::hta::JobRows> rows = causal::hta::make_job_rows(job->input.ranks, filter);
  if (!rows) return rows.error();
  job->rows = std::move(*rows);
  collect_symbols(*job);
  return std::shared_ptr<const HtaJob>(std::move(job));
}

HtaJobHandle open_hta(const std::vector<std::string>& files, const std::map<std::string, std::int64_t>& ranks,
                      const std::string& steps) {
  const Filter filter = steps == "all"         ? Filter::none
                        : steps == "with_last" ? Filter::with_last_step
                                               : Filter::whole_steps;
  std::optional<Result<std::shared_ptr<const HtaJob>>> job;
  work([&] { job = read_hta(files, ranks, filter); });
  if (!*job) raise(job->error());
  return {std::move(**job)};
}

std::int64_t hta_rank(const std::string& path) {
  std::optional<Result<std::int64_t>> found;
  work([&] { found = job::hta_rank_of(path); });
  if (!*found) raise(found->error());
  return **found;
}

py::list hta_symbols(const HtaJobHandle& handle) {
  py::list texts;
  for (const std::string& text : handle.job->symbols) texts.append(to_python(text));
  return texts;
}

}  // namespace

const RankRows& HtaJobHandle::rank(std::size_t place) const {
  if (place >= job->rows.size()) throw py::index_error("there is no such rank");
  return job->rows[place];
}

std::int64_t job_us(const RankRows& rank, TimePs time) { return (time + rank.job_offset) / kPsPerUs; }

void bind_hta(py::module_& module) {
  py::class_<HtaJobHandle> job(module, "HtaJob");
  job.def_property_readonly("ranks",
                            [](const HtaJobHandle& handle) {
                              std::vector<std::int64_t> numbers;
                              for (const RankRows& rank : handle.job->rows) numbers.push_back(rank.number);
                              return numbers;
                            })
      .def_property_readonly("symbols", hta_symbols);
  bind_hta_columns(job);
  bind_hta_tables(job);
  bind_hta_path(module, job);
  module.def("hta_open", open_hta, py::arg("files"), py::arg("ranks"), py::arg("steps"));
  module.def("hta_rank", hta_rank);
  module.def("hta_short_name", [](const std::string& name) { return to_python(analyze::shorten_name(name)); });
  module.def("hta_kernel_type",
             [](const std::string& name) { return std::string(to_string(causal::hta::kernel_type(name))); });
}

}  // namespace orrery::python
