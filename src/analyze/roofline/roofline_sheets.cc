#include "analyze/roofline/roofline_sheets.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/capture/operand_lists.h"
#include "analyze/distribution.h"
#include "analyze/text_cell.h"
#include "base/parallel.h"
#include "base/percent.h"

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

/// Calls of one operator with the same operands and price.
struct OperatorRow {
  const PricedCall* first = nullptr;
  std::size_t calls = 0, works = 0;
  TimePs time = 0, roof = 0;
  bool has_roof = true;
  std::string shapes, types;

  [[nodiscard]] TimePs lost() const { return has_roof ? std::max<TimePs>(0, time - roof) : 0; }
  [[nodiscard]] double share() const { return has_roof ? share_percent(roof, time) : -1; }
};

std::vector<OperatorRow> rows_of(const PricedWorks& priced) {
  // Attention of engines costs what the step's requests make of it: the price is part of the key.
  std::map<std::tuple<std::string_view, std::string, std::string, double>, OperatorRow> rows;
  for (const PricedCall& call : priced.calls) {
    std::string shapes = without_blanks(call.call.shapes), types = without_blanks(call.call.types);
    const double price = call.cost ? call.cost->flops + call.cost->bytes : -1;
    OperatorRow& row = rows[{call.call.name, shapes, types, price}];
    if (row.first == nullptr) row.first = &call, row.shapes = std::move(shapes), row.types = std::move(types);
    ++row.calls;
    row.works += call.works;
    row.time = plus_capped(row.time, call.time);
    row.has_roof &= call.roof.has_value();
    row.roof = plus_capped(row.roof, call.roof.value_or(0));
  }
  std::vector<OperatorRow> list;
  list.reserve(rows.size());
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

void add_rank(Sheet& sheet, const std::vector<RooflineRank>& ranks) {
  const bool are_runs = !ranks.empty() && ranks.front().devices->rank->source.is_run;
  sheet.add({.name = "rank", .type = Type::integer, .title = are_runs ? "run" : "rank", .decimals = report::kExact});
}

constexpr double kTera = 1e12;

}  // namespace

std::vector<RooflineRank> hold_against_roof(const std::vector<DeviceRank>& ranks, const machine::Device& device) {
  std::vector<RooflineRank> result(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    RooflineRank& rank = result[r];
    rank.devices = &ranks[r];
    rank.origins = std::make_unique<WorkOrigins>(*ranks[r].trace, *ranks[r].rank, ranks[r].timeline);
    rank.priced = price_works(ranks[r], *rank.origins, device);
    for (std::uint32_t w = 0; w < ranks[r].timeline.works.size(); ++w) {
      if (!ranks[r].belongs(w)) continue;
      rank.kernel_time = plus_capped(rank.kernel_time, ranks[r].time_of(w));
      const std::uint32_t call = rank.priced.of_work[w];
      if (call != PricedWorks::kNoCall && rank.priced.calls[call].roof)
        rank.priced_time = plus_capped(rank.priced_time, ranks[r].time_of(w));
    }
  });
  return result;
}

Sheet operators_sheet(const std::vector<RooflineRank>& ranks, RooflineOrder order, std::size_t top) {
  Sheet sheet("operators");
  add_rank(sheet, ranks);
  sheet.add({.name = "operator", .title = "operator"})
      .add({.name = "shapes", .type = Type::json, .title = "shapes"})
      .add({.name = "types", .type = Type::json})
      .add({.name = "kind", .title = "kind"})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "works", .type = Type::integer})
      .add({.name = "device", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "flops", .type = Type::real})
      .add({.name = "bytes", .type = Type::real, .unit = Unit::bytes})
      .add({.name = "intensity", .type = Type::real, .title = "FLOP per byte", .decimals = 1})
      .add({.name = "tflops_per_s", .type = Type::real, .title = "TFLOP/s", .decimals = 1})
      .add({.name = "gb_per_s", .type = Type::real, .title = "GB/s", .decimals = 0})
      .add({.name = "bound", .title = "bound by"})
      .add({.name = "roof", .type = Type::time, .unit = Unit::us, .title = "at the roof"})
      .add({.name = "lost", .type = Type::time, .unit = Unit::us, .title = "lost"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "of the roof", .with_bar = true})
      .add({.name = "above_roof", .type = Type::flag});
  for (const RooflineRank& rank : ranks) {
    std::vector<OperatorRow> rows = rows_of(rank.priced);
    // Rows came by name and operands, which equal figures keep.
    std::stable_sort(rows.begin(), rows.end(), [&](const OperatorRow& a, const OperatorRow& b) {
      if (order == RooflineOrder::lost) return a.lost() > b.lost();
      // The least share first, those without a price last.
      if (order == RooflineOrder::share) return std::tuple(!a.has_roof, a.share()) < std::tuple(!b.has_roof, b.share());
      return a.time > b.time;
    });
    if (top != 0 && rows.size() > top) rows.resize(top);
    for (const OperatorRow& row : rows) {
      const std::optional<OperatorCost>& cost = row.first->cost;
      const double seconds = static_cast<double>(row.time) / static_cast<double>(kPsPerSecond);
      const double calls = static_cast<double>(row.calls);
      const auto known = [&](double value) { return cost ? Cell(value) : Cell(nullptr); };
      const auto rate = [&](double amount, double unit) {
        return cost && seconds > 0 ? Cell(calls * amount / seconds / unit) : Cell(nullptr);
      };
      const bool has_roof = row.has_roof && row.first->roof.has_value();
      sheet.add_row({rank.devices->rank->rank, row.first->call.name, text_or_null(row.shapes), text_or_null(row.types),
                     cost ? Cell(identifier(cost->kind)) : Cell(nullptr), row.calls, row.works, row.time,
                     known(cost ? cost->flops : 0), known(cost ? cost->bytes : 0),
                     known(cost ? cost->flops / cost->bytes : 0), rate(cost ? cost->flops : 0, kTera),
                     rate(cost ? cost->bytes : 0, 1e9),
                     has_roof ? Cell(row.first->is_compute_bound ? "compute" : "memory") : Cell(nullptr),
                     has_roof ? Cell(row.roof) : Cell(nullptr), has_roof ? Cell(row.lost()) : Cell(nullptr),
                     has_roof ? Cell(row.share()) : Cell(nullptr), has_roof ? Cell(row.share() > 100) : Cell(nullptr)});
    }
  }
  return sheet;
}

Sheet kinds_sheet(const std::vector<RooflineRank>& ranks) {
  Sheet sheet("kinds");
  add_rank(sheet, ranks);
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "device", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "flops", .type = Type::real})
      .add({.name = "bytes", .type = Type::real, .unit = Unit::bytes})
      .add({.name = "roof", .type = Type::time, .unit = Unit::us, .title = "at the roof"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "of the roof", .with_bar = true});
  struct Sum {
    std::size_t calls = 0;
    TimePs time = 0, roof = 0;
    double flops = 0, bytes = 0;
  };
  for (const RooflineRank& rank : ranks) {
    std::vector<Sum> sums(kOperatorKinds + 1);
    for (const PricedCall& call : rank.priced.calls) {
      Sum& sum = sums[call.cost && call.roof ? static_cast<std::size_t>(call.cost->kind) : kOperatorKinds];
      ++sum.calls;
      sum.time = plus_capped(sum.time, call.time);
      sum.roof = plus_capped(sum.roof, call.roof.value_or(0));
      if (!call.cost) continue;
      sum.flops += call.cost->flops;
      sum.bytes += call.cost->bytes;
    }
    for (std::size_t k = 0; k <= kOperatorKinds; ++k) {
      const Sum& sum = sums[k];
      if (sum.calls == 0) continue;
      const bool is_priced = k < kOperatorKinds;
      const char* const name = is_priced ? identifier(static_cast<OperatorKind>(k)) : "";
      const auto known = [&](auto value) { return is_priced ? Cell(value) : Cell(nullptr); };
      sheet.add_row({rank.devices->rank->rank, text_or_null(name), is_priced ? name : "(no formula)", sum.calls,
                     sum.time, known(sum.flops), known(sum.bytes), known(sum.roof),
                     known(share_percent(sum.roof, sum.time))});
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
