#include "llm/collectives/collective_prices.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "llm/diagnostics.h"
#include "llm/measurements.h"
#include "report/bar.h"

namespace orrery::llm {
namespace {

/// Lines are read once per device, not once per row.
class KnownCollectives {
 public:
  KnownCollectives(const Catalog& catalog, const machine::Device& usual) : catalog_(catalog), usual_(usual) {}

  struct Known {
    std::optional<DeviceCollectives> collectives;
    machine::RailLink rail;
  };
  Result<const Known*> of(const std::string& name) {
    if (const auto found = known_.find(name); found != known_.end()) return &found->second;
    const machine::Device* device = &usual_;
    if (!name.empty()) {
      const auto called = device_called(catalog_, name);
      if (!called) return called.error();
      device = *called;
    }
    auto collectives = collectives_of(catalog_.devices, *device);
    if (!collectives) return collectives.error();
    return &known_.emplace(name, Known{std::move(*collectives), usual_rail(catalog_, *device)}).first->second;
  }

 private:
  const Catalog& catalog_;
  const machine::Device& usual_;
  std::map<std::string, Known> known_;
};

}  // namespace

Result<std::vector<std::optional<CollectiveEstimate>>> price_collectives(const CsvTable& table,
                                                                         const std::vector<CollectiveRow>& rows,
                                                                         const Catalog& catalog,
                                                                         const machine::Device& usual,
                                                                         Diagnostics& diagnostics) {
  KnownCollectives known(catalog, usual);
  std::vector<std::optional<CollectiveEstimate>> prices;
  prices.reserve(rows.size());
  for (const CollectiveRow& row : rows) {
    const auto device = known.of(row.device);
    if (!device) {
      // A file of the catalog that cannot be used is no mistake of the table.
      if (!device.error().file.empty()) return device.error();
      return table.error_at(row.place, "device", device.error().message, device.error().hint);
    }
    std::optional<CollectiveEstimate>& price = prices.emplace_back();
    if (!row.ranks || !row.bytes) {
      diagnostics.add(kCollectiveWithoutSize, [&] { return row.id; });
      continue;
    }
    const KnownCollectives::Known& one = **device;
    if (one.collectives) price = one.collectives->estimate(row.call(), row.nodes, one.rail);
    if (!price) diagnostics.add(kUnmeasuredCollective, [&] { return row.id; });
  }
  return prices;
}

report::Sheet collective_sheet(const std::vector<CollectiveRow>& rows,
                               const std::vector<std::optional<CollectiveEstimate>>& prices) {
  using report::Cell, report::Type, report::Unit;
  report::Sheet sheet("rows");
  sheet.add({.name = "id", .title = "row"})
      .add({.name = "op", .title = "collective"})
      .add({.name = "us", .type = Type::real, .unit = Unit::us, .title = "µs"})
      .add({.name = "low", .type = Type::real, .unit = Unit::us})
      .add({.name = "high", .type = Type::real, .unit = Unit::us})
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "protocol", .title = "line"})
      .add({.name = "bus", .type = Type::real, .unit = Unit::gb_per_s, .title = "bus GB/s", .decimals = 1})
      .add({.name = "basis", .title = "measured on"})
      .add({.name = "measured", .type = Type::real, .unit = Unit::us, .title = "measured µs"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error", .is_change = true});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CollectiveRow& row = rows[i];
    const Cell measured = row.measured_us ? Cell(*row.measured_us) : Cell(nullptr);
    const std::string_view op = machine::kNodeCollectiveNames[static_cast<std::size_t>(row.op)];
    if (!prices[i]) {
      sheet.add_row({row.id, op, nullptr, nullptr, nullptr, "-", nullptr, nullptr, nullptr, measured, nullptr});
      continue;
    }
    const CollectiveEstimate& one = *prices[i];
    const double bus =
        machine::wire_factor(row.op, static_cast<double>(*row.ranks)) * static_cast<double>(*row.bytes) / one.us * 1e-3;
    const std::string interval = one.low_us ? fmt::format("{} to {}", report::plain_digits(*one.low_us, 4),
                                                          report::plain_digits(*one.high_us, 4))
                                            : "-";
    sheet.add_row({row.id, op, one.us, one.low_us ? Cell(*one.low_us) : Cell(nullptr),
                   one.high_us ? Cell(*one.high_us) : Cell(nullptr), interval, one.protocol, bus, one.basis, measured,
                   row.measured_us ? Cell(error_pct(one.us, *row.measured_us)) : Cell(nullptr)});
  }
  return sheet;
}

report::Sheet collective_op_sheet(const std::vector<CollectiveRow>& rows,
                                  const std::vector<std::optional<CollectiveEstimate>>& prices) {
  using report::Type, report::Unit;
  struct Counted {
    std::size_t rows = 0;
    std::vector<double> errors = {};
  };
  std::map<machine::NodeCollective, Counted> ops;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Counted& counted = ops[rows[i].op];
    ++counted.rows;
    if (prices[i] && rows[i].measured_us) counted.errors.push_back(error_pct(prices[i]->us, *rows[i].measured_us));
  }
  report::Sheet sheet("ops");
  sheet.add({.name = "op", .title = "collective"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "mean_error", .type = Type::real, .unit = Unit::pct, .title = "mean error", .decimals = 1})
      .add({.name = "median_error", .type = Type::real, .unit = Unit::pct, .title = "median", .decimals = 1})
      .add({.name = "bias", .type = Type::real, .unit = Unit::pct, .title = "bias", .is_change = true, .decimals = 1});
  for (const auto& [op, counted] : ops) {
    const std::string_view name = machine::kNodeCollectiveNames[static_cast<std::size_t>(op)];
    const ErrorSummary errors = summarise_errors(counted.errors);
    if (errors.rows == 0) sheet.add_row({name, counted.rows, nullptr, nullptr, nullptr});
    else sheet.add_row({name, counted.rows, errors.mean_pct, errors.median_pct, errors.bias_pct});
  }
  return sheet;
}

}  // namespace orrery::llm
