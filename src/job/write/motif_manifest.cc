#include "job/write/motif_manifest.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "base/io/csv.h"
#include "base/numbers.h"
#include "job/read/source.h"
#include "job/read/trace_input.h"
#include "job/shipped/bfs_motif.h"
#include "job/shipped/isb_bfs_run.h"
#include "motif/fit/mpi_ranks.h"
#include "motif/fit/rank_classes.h"
#include "report/counted.h"

namespace orrery::job {
namespace {

namespace fit = motif::fit;

struct ManifestRow {
  motif::RunParameters run = {};
  std::string exec = {}, msg = {}, folder = {};
};

Result<double> number_in(const CsvTable& table, std::size_t row, std::string_view column, double usual) {
  const auto place = table.find(column);
  if (!place || table.rows[row][*place].empty()) return usual;
  const std::string& text = table.rows[row][*place];
  const auto value = parse_finite(text);
  if (!value || *value <= 0) return table.error_at(row, column, fmt::format("'{}' is no number above zero", text));
  return *value;
}

std::string resolved(const std::string& manifest, const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || fs::path(path).is_absolute()) return path;
  const fs::path beside = fs::path(manifest).parent_path() / path;
  std::error_code ignored;
  // One that exists nowhere is told beside the manifest, where its writer meant it to be.
  return fs::exists(beside, ignored) || !fs::exists(path, ignored) ? beside.string() : path;
}

Result<std::vector<ManifestRow>> manifest_rows(const CsvTable& table) {
  const auto exec = table.find("exec"), msg = table.find("msg"), folder = table.find("dir");
  if (!folder && !(exec && msg))
    return Error{.message = "has neither a column 'dir' nor the columns 'exec' and 'msg'",
                 .file = table.file,
                 .hint = "dir,nodes,size,threads for folders of traces; exec,msg,nodes,size,threads for ISB-BFS files"};
  for (const std::string_view column : {"nodes", "size"}) {
    if (!table.find(column)) return Error{.message = fmt::format("has no column '{}'", column), .file = table.file};
  }
  std::vector<ManifestRow> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    ManifestRow row;
    for (const auto& [column, value] :
         {std::pair{"nodes", &row.run.nodes}, std::pair{"size", &row.run.size}, std::pair{"threads", &row.run.threads},
          std::pair{"ranks_per_node", &row.run.ranks_per_node}}) {
      const auto number = number_in(table, i, column, 1);
      if (!number) return number.error();
      *value = *number;
    }
    const auto path_in = [&](std::size_t column) { return resolved(table.file, table.rows[i][column]); };
    if (folder) row.folder = path_in(*folder);
    else {
      row.exec = path_in(*exec);
      row.msg = path_in(*msg);
    }
    for (const auto& [column, path] :
         {std::pair{"dir", &row.folder}, std::pair{"exec", &row.exec}, std::pair{"msg", &row.msg}}) {
      std::error_code ignored;
      const bool wanted = folder ? std::string_view(column) == "dir" : std::string_view(column) != "dir";
      if (wanted && (path->empty() || !std::filesystem::exists(*path, ignored)))
        return table.error_at(i, column, path->empty() ? "is empty" : fmt::format("'{}' does not exist", *path));
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return Error{.message = "lists no run", .file = table.file};
  return rows;
}

Result<MotifRuns> read_published_runs(const std::vector<ManifestRow>& rows) {
  MotifRuns runs;
  fit::ClassObservation one{.name = "rank0"};
  std::set<std::uint32_t> sites;
  for (const ManifestRow& row : rows) {
    const auto exec = isb_bfs::read_model_file(row.exec, isb_bfs::Content::exec);
    if (!exec) return exec.error();
    const auto msg = isb_bfs::read_model_file(row.msg, isb_bfs::Content::msg);
    if (!msg) return msg.error();
    fit::ClassRun run = observed_run(*exec, *msg, static_cast<std::uint32_t>(row.run.threads));
    run.run = row.run;
    run.name = row.exec;
    if (run.edges.empty())
      return Error{.message = fmt::format("has no transition with {}", report::counted(row.run.threads, "thread")),
                   .file = row.exec};
    for (const auto& [edge, times] : run.edges) sites.insert(edge.second);
    one.runs.push_back(std::move(run));
    runs.files.push_back(row.exec);
    runs.files.push_back(row.msg);
  }
  // Numbers that the study does not have are of another program.
  const bool is_known = !sites.empty() && *sites.begin() >= 1 && *sites.rbegin() <= kBfsCallSites;
  for (const std::uint32_t site : sites)
    runs.observations.sites.push_back(is_known ? bfs_call_site(site) : motif::Site{.id = site});
  runs.observations.classes.push_back(std::move(one));
  return runs;
}

Result<MotifRuns> read_recorded_runs(const std::vector<ManifestRow>& rows, Diagnostics& diagnostics) {
  MotifRuns runs;
  fit::SiteTable sites;
  std::vector<fit::RankRun> ranks;
  for (const ManifestRow& row : rows) {
    const auto source = find_source({row.folder}, {}, diagnostics);
    if (!source) return source.error();
    for (std::string& file : source->all_files()) runs.files.push_back(std::move(file));
    const auto input = read_trace(*source, {.positions = false}, {.diagnostics = diagnostics});
    if (!input) return input.error();
    auto more = fit::mpi_ranks(input->trace, row.run, row.folder, sites);
    if (!more) return more.error();
    for (fit::RankRun& rank : *more) ranks.push_back(std::move(rank));
  }
  runs.observations.sites = sites.sites();
  fit::find_site_patterns(ranks, runs.observations.sites);
  runs.observations.classes = fit::classify_ranks(ranks);
  return runs;
}

}  // namespace

Result<MotifRuns> read_motif_manifest(const std::string& path, Diagnostics& diagnostics) {
  const auto table = read_csv(path);
  if (!table) return table.error();
  const auto rows = manifest_rows(*table);
  if (!rows) return rows.error();
  auto runs = rows->front().folder.empty() ? read_published_runs(*rows) : read_recorded_runs(*rows, diagnostics);
  if (!runs) return runs;
  // A manifest is called by its program, or "runs.csv" in a folder that is.
  const auto manifest = std::filesystem::absolute(path);
  runs->observations.program =
      manifest.stem() == "runs" ? manifest.parent_path().filename().string() : manifest.stem().string();
  return runs;
}

}  // namespace orrery::job
