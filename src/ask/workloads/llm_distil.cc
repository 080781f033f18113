#include "ask/workloads/llm_distil.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/io/csv.h"
#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/limits.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/collectives/collective_fit.h"
#include "llm/collectives/collective_rows.h"
#include "llm/distil/measured_kernels.h"
#include "machine/device/collective_yaml.h"
#include "machine/device/device_yaml.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

namespace fs = std::filesystem;

/// What the tables of a question say of one device.
struct Measured {
  std::vector<llm::MeasuredKernel> kernels = {};
  std::vector<llm::CollectiveRow> collectives = {};
};

/// What was learnt from it.
struct Distilled {
  std::vector<machine::KernelTable> tables = {};
  std::optional<llm::CollectiveFit> collectives = {};
};

/// Rows of `device`; one that names none is taken for one of its.
Status add_collectives(Measured& measured, const CsvTable& table, const llm::Catalog& catalog,
                       const machine::Device& device) {
  auto rows = llm::collective_rows(table);
  if (!rows) return rows.error();
  for (llm::CollectiveRow& row : *rows) {
    const machine::Device* named = row.device.empty() ? nullptr : llm::find_device(catalog, row.device);
    const bool is_its_own = row.device.empty() || (named != nullptr && named->name == device.name);
    if (is_its_own) measured.collectives.push_back(std::move(row));
  }
  return {};
}

Result<Measured> read_measured(Context& context, const std::vector<std::string>& paths, const llm::Catalog& catalog,
                               const machine::Device& device) {
  Measured measured;
  for (const std::string& path : paths) {
    const auto table = read_csv(path);
    if (!table) return table.error();
    if (auto added = context.add_input(path); !added) return added.error();
    if (llm::is_collective_table(*table)) {
      if (auto added = add_collectives(measured, *table, catalog, device); !added) return added.error();
      continue;
    }
    const auto rows = llm::kernel_rows(*table);
    if (!rows) return rows.error();
    auto found = llm::measured_kernels(catalog, device, *rows, context.diagnostics());
    std::move(found.begin(), found.end(), std::back_inserter(measured.kernels));
  }
  if (measured.kernels.empty() && measured.collectives.empty())
    return Error{
        fmt::format("no row tells about {}", device.name), paths.front(), Error::kNoOffset,
        "rows need the device's name or none, and a time in the column us; those of kernels also a library, or "
        "run = warm"};
  return measured;
}

/// Every file whole before the description names their folder.
Status write_distilled(const std::string& description, const machine::Device& device, const std::string& origin,
                       const Distilled& distilled) {
  const fs::path folder = fs::path(description).replace_extension();
  if (const Status made = OutputSet::make_folder(folder.string()); !made) return made;
  for (const machine::KernelTable& table : distilled.tables) {
    const std::string file = (folder / machine::table_file(table.kind)).string();
    if (auto written = write_whole_file(file, llm::table_text(table, origin)); !written) return written;
  }
  if (distilled.collectives) {
    const std::string file = (folder / machine::kCollectivesFile).string();
    if (auto written = write_whole_file(file, machine::to_yaml(distilled.collectives->lines)); !written) return written;
  }
  // What people wrote about a device stays as they wrote it.
  std::string text;
  std::error_code failed;
  if (fs::exists(description, failed)) {
    auto before = read_whole_file(description, kMaxYamlBytes);
    if (!before) return before.error();
    text = std::move(*before);
  } else {
    text = machine::to_yaml(device, [](const std::string&) { return std::string(); });
  }
  return write_whole_file(description, llm::with_tables(std::move(text), folder.filename().string() + "/"));
}

}  // namespace

Result<report::Answer> run(const LlmDistilRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto device = job::read_device(*catalog, request.device);
  if (!device) return device.error();
  const auto measured = read_measured(context, request.tables, *catalog, *device);
  if (!measured) return measured.error();
  std::vector<std::string> names;
  for (const std::string& path : request.tables) names.push_back(fs::path(path).filename().string());
  const std::string origin = request.origin.value_or(fmt::format("{}", fmt::join(names, ", ")));
  const double link = device->scale_up_bytes_per_s();
  Distilled distilled;
  if (!measured->kernels.empty()) distilled.tables = llm::distil(*device, measured->kernels);
  if (!measured->collectives.empty()) {
    auto fit = llm::fit_collectives(measured->collectives, link, context.diagnostics());
    if (!fit) return fit.error();
    fit->lines.source = origin;
    distilled.collectives = std::move(*fit);
  }
  if (request.output) {
    const Status written = write_distilled(*request.output, *device, origin, distilled);
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  std::vector<std::string> counts;
  if (!measured->kernels.empty()) counts.push_back(report::counted(measured->kernels.size(), "kernel"));
  if (distilled.collectives) counts.push_back(report::counted(measured->collectives.size(), "collective"));
  answer.headline(fmt::format("{} of {}", fmt::join(counts, " and "), device->name)).gap();
  answer.facts().field("device", device->name);
  if (!distilled.tables.empty()) answer.table(llm::distilled_sheet(distilled.tables)).gap();
  if (distilled.collectives) {
    answer.table(llm::collective_law_sheet(*distilled.collectives, measured->collectives, link)).gap();
    answer.table(llm::collective_accuracy_sheet(distilled.collectives->lines));
  }
  return answer;
}

}  // namespace orrery::ask
