#include "cli/workloads/llm_calibrate.h"

#include <fmt/format.h>

#include "base/io/csv.h"
#include "base/io/output_file.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/backtest/calibration.h"
#include "llm/backtest/calibration_sheets.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {

ExitCode run_llm_calibrate(Invocation& invocation, const llm::Catalog& catalog) {
  const std::string path = invocation.operands()[1];
  const auto device = job::read_device(catalog, invocation.text("hardware"));
  if (!device) return invocation.fail(device.error());
  const auto table = read_csv(path);
  if (!table) return invocation.fail(table.error());
  if (auto added = invocation.add_input(path); !added) return invocation.fail(added.error());
  const auto rows = llm::kernel_rows(*table);
  if (!rows) return invocation.fail(rows.error());
  const llm::KernelDevice base = llm::kernel_device(catalog.devices, *device);
  auto calibration = llm::calibrate(base, *rows, invocation.diagnostics());
  if (!calibration) {
    calibration.error().file = path;
    return invocation.fail(calibration.error());
  }
  if (invocation.has("output")) {
    const auto written = write_whole_file(invocation.text("output"), llm::calibrated_yaml(*calibration, path, base));
    if (!written) return invocation.fail(written.error());
  }
  const report::Sheet constants = llm::constant_sheet(*calibration), kinds = llm::calibrated_kind_sheet(*calibration);
  invocation.data().field("device", base.device.name);
  write_sheet(invocation.data(), constants);
  write_sheet(invocation.data(), kinds);
  write_sheet(invocation.data(), llm::calibrated_row_sheet(*calibration));
  invocation.text() =
      fmt::format("{} of {} that began as {}\n\n{}\n{}", report::counted(calibration->timings(), "timing"),
                  report::counted(calibration->shapes, "shape"), base.device.name,
                  to_text(constants, invocation.view()), to_text(kinds, invocation.view()));
  return ExitCode::ok;
}

}  // namespace orrery::cli
