#include "llm/collectives/collective_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "base/parallel.h"
#include "llm/backtest/calibration.h"
#include "llm/backtest/robust_fit.h"
#include "llm/diagnostics.h"
#include "llm/measurements.h"

// Per law: the lines by a robust fit of all sizes, ranks and formats, then the mean of what each size, number of ranks
// and width of elements lies beside them. Sizes that were measured at the two ends are not left out: what lies outside
// of all that was measured is not what an interval is asked for.

namespace orrery::llm {
namespace {

using machine::CollectiveLaw;
using machine::LineCorrection;
using machine::ProtocolLine;

// Where the search begins: NCCL's protocols on NVLink, of any generation, since rates are shares of the link's.
struct UsualLine {
  const char* protocol;
  double base_us, rank_us, wire_share, local_share;
};
constexpr std::array<UsualLine, 5> kUsualLines = {{{"LL", 4.5, 1.2, 0.02, 0.1},
                                                   {"LL128", 6, 1.2, 0.08, 0.3},
                                                   {"Simple", 8, 1.2, 0.25, 1},
                                                   {"more channels", 12, 1.2, 0.45, 2.5},
                                                   {"in-switch", 25, 1.2, 0.8, 8}}};
constexpr std::size_t kUnknownsOfLine = 4;
constexpr double kPenaltyOfOneRow = 0.01;  // a row that is 5 % off weighs as a line that is 2.2 times the usual one
constexpr double kCap = 0.5;
constexpr double kShrink = 0.1;         // measurements of one size are worth ten times that none differs from the lines
constexpr std::size_t kMostSizes = 20;  // of a correction: what a description holds
constexpr std::size_t kFewestOfBand = 24;  // measurements that an interval stands on
constexpr std::size_t kMostBands = 4;

using Rows = std::vector<const CollectiveRow*>;

/// Only all-reduces are added up in the switch.
std::size_t line_count(machine::NodeCollective op) {
  return op == machine::NodeCollective::all_reduce ? kUsualLines.size() : kUsualLines.size() - 1;
}

std::vector<ProtocolLine> usual_lines(machine::NodeCollective op, const std::vector<double>& x) {
  std::vector<ProtocolLine> lines;
  for (std::size_t i = 0; i < line_count(op); ++i) {
    const UsualLine& usual = kUsualLines[i];
    const auto at = [&](double value, std::size_t unknown) {
      return x.empty() ? value : value * std::exp(x[kUnknownsOfLine * i + unknown]);
    };
    lines.push_back({usual.protocol, at(usual.base_us, 0), at(usual.rank_us, 1), at(usual.wire_share, 2),
                     at(usual.local_share, 3)});
  }
  return lines;
}

void log_ratios(const CollectiveLaw& law, const Rows& rows, double link_bytes_per_s, std::vector<double>& ratios) {
  ratios.clear();
  for (const CollectiveRow* row : rows) {
    const double us =
        machine::line_us(law, static_cast<double>(*row->ranks), static_cast<double>(*row->bytes), link_bytes_per_s);
    ratios.push_back(std::log(us / *row->measured_us));
  }
}

void fit_lines(CollectiveLaw& law, const Rows& rows, double link_bytes_per_s) {
  RobustFitOptions options{.cap = kCap, .penalty = kPenaltyOfOneRow / static_cast<double>(rows.size())};
  options.highest.assign(kUnknownsOfLine * line_count(law.op), 3.0);
  const std::vector<double> x = fit_robustly(
      [&](const std::vector<double>& tried, std::vector<double>& residuals) {
        law.lines = usual_lines(law.op, tried);
        log_ratios(law, rows, link_bytes_per_s, residuals);
      },
      options);
  law.lines = usual_lines(law.op, x);
  // The protocols are known by their order alone, from the one for small messages on.
  std::sort(law.lines.begin(), law.lines.end(),
            [](const ProtocolLine& a, const ProtocolLine& b) { return a.wire_share < b.wire_share; });
  for (std::size_t i = 0; i < law.lines.size(); ++i) {
    ProtocolLine& line = law.lines[i];
    line = {kUsualLines[i].protocol, rounded(line.base_us), rounded(line.rank_us), rounded(line.wire_share),
            rounded(line.local_share)};
  }
}

/// Some of more sizes than a description holds, evenly, with the first and the last.
void thin(LineCorrection& correction) {
  const std::size_t count = correction.bytes.size();
  if (count <= kMostSizes) return;
  LineCorrection kept{.ranks = correction.ranks, .element_bytes = correction.element_bytes};
  for (std::size_t i = 0; i < kMostSizes; ++i) {
    const std::size_t from = i * (count - 1) / (kMostSizes - 1);
    kept.bytes.push_back(correction.bytes[from]);
    kept.per_mille.push_back(correction.per_mille[from]);
  }
  correction = std::move(kept);
}

void fit_corrections(CollectiveLaw& law, const Rows& rows, double link_bytes_per_s) {
  std::vector<double> ratios;
  log_ratios(law, rows, link_bytes_per_s, ratios);
  struct Sum {
    double ratio = 0, count = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, Sum>> sums;  // ranks and width; bytes
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // What is only moved does not know what it is.
    const double width = machine::adds_up(law.op) ? std::max(1.0, rows[i]->element_bytes) : 0;
    Sum& sum = sums[{*rows[i]->ranks, static_cast<std::int64_t>(width)}][std::max<std::int64_t>(1, *rows[i]->bytes)];
    sum.ratio -= ratios[i];
    ++sum.count;
  }
  for (const auto& [key, sizes] : sums) {
    LineCorrection& correction = law.corrections.emplace_back();
    std::tie(correction.ranks, correction.element_bytes) = key;
    for (const auto& [bytes, sum] : sizes) {
      correction.bytes.push_back(bytes);
      correction.per_mille.push_back(std::llround(1000 * sum.ratio / (sum.count + kShrink)));
    }
    thin(correction);
  }
}

CollectiveLaw fit_law(const Rows& rows, double link_bytes_per_s) {
  // A description has no empty names; as a version this is older than any other.
  const auto named = [](const std::string& text) { return text.empty() ? "unknown" : text; };
  CollectiveLaw law{.op = rows[0]->op, .library = named(rows[0]->library), .version = named(rows[0]->version)};
  fit_lines(law, rows, link_bytes_per_s);
  fit_corrections(law, rows, link_bytes_per_s);
  return law;
}

/// In an order that does not depend on that of the table.
std::map<std::tuple<machine::NodeCollective, std::string, std::string>, Rows> rows_by_law(
    const std::vector<CollectiveRow>& rows, Diagnostics& diagnostics) {
  std::map<std::tuple<machine::NodeCollective, std::string, std::string>, Rows> laws;
  for (const CollectiveRow& row : rows) {
    if (row.ranks && row.bytes && row.measured_us && row.nodes == 1)
      laws[{row.op, row.library, row.version}].push_back(&row);
    else diagnostics.add(kCollectiveNotMeasured, [&] { return row.id; });
  }
  for (auto& [key, list] : laws) {
    std::sort(list.begin(), list.end(), [](const CollectiveRow* a, const CollectiveRow* b) {
      return std::tuple(*a->ranks, *a->bytes, a->element_bytes, *a->measured_us) <
             std::tuple(*b->ranks, *b->bytes, b->element_bytes, *b->measured_us);
    });
  }
  return laws;
}

/// One size of a law left out: what the others say of it.
struct LeftOut {
  const CollectiveRow* first_row;  ///< of all laws
  const Rows* rows;
  std::int64_t bytes = 0;
  std::vector<HeldOutCollective> prices = {};
};

void price_left_out(LeftOut& one, double link_bytes_per_s) {
  Rows seen;
  for (const CollectiveRow* row : *one.rows) {
    if (*row->bytes != one.bytes) seen.push_back(row);
  }
  const CollectiveLaw law = fit_law(seen, link_bytes_per_s);
  for (const CollectiveRow* row : *one.rows) {
    if (*row->bytes == one.bytes)
      one.prices.push_back(
          {static_cast<std::size_t>(row - one.first_row), machine::price(law, row->call(), link_bytes_per_s).us});
  }
}

struct Ratio {
  std::int64_t bytes = 0;
  double ratio = 0;
};

/// Messages of about a size are off alike: an interval for each band of sizes with enough measurements.
std::vector<machine::CollectiveAccuracy> accuracy_of(std::vector<Ratio> ratios) {
  std::sort(ratios.begin(), ratios.end(),
            [](const Ratio& a, const Ratio& b) { return std::tie(a.bytes, a.ratio) < std::tie(b.bytes, b.ratio); });
  const std::size_t full = std::max(kFewestOfBand, (ratios.size() + kMostBands - 1) / kMostBands);
  std::vector<machine::CollectiveAccuracy> bands;
  std::vector<double> band, errors;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    band.push_back(ratios[i].ratio);
    errors.push_back(error_pct(1, ratios[i].ratio));
    const bool size_ends = i + 1 == ratios.size() || ratios[i + 1].bytes != ratios[i].bytes;
    const bool last = i + 1 == ratios.size();
    // What would be left over is too little for an interval of its own.
    if (!size_ends || (!last && (band.size() < full || ratios.size() - i - 1 < kFewestOfBand))) continue;
    if (const auto interval = interval_of({}, std::move(band)))
      bands.push_back({ratios[i].bytes, interval->rows, interval->low_ratio, interval->high_ratio,
                       rounded(summarise_errors(errors).mean_pct)});
    band.clear();
    errors.clear();
  }
  return bands;
}

}  // namespace

Result<CollectiveFit> fit_collectives(const std::vector<CollectiveRow>& rows, double link_bytes_per_s,
                                      Diagnostics& diagnostics) {
  const auto by_law = rows_by_law(rows, diagnostics);
  if (by_law.empty())
    return Error{.message = "no collective of the table has a measured time", .hint = "in the column us, microseconds"};
  std::vector<const Rows*> laws;
  std::vector<LeftOut> left_out;
  for (const auto& [key, list] : by_law) {
    laws.push_back(&list);
    std::set<std::int64_t> sizes;
    for (const CollectiveRow* row : list) sizes.insert(*row->bytes);
    for (const std::int64_t bytes : sizes) {
      if (bytes != *sizes.begin() && bytes != *sizes.rbegin()) left_out.push_back({rows.data(), &list, bytes});
    }
  }
  CollectiveFit fit;
  fit.lines.laws.resize(laws.size());
  parallel_for(laws.size() + left_out.size(), [&](std::size_t task) {
    if (task < laws.size()) fit.lines.laws[task] = fit_law(*laws[task], link_bytes_per_s);
    else price_left_out(left_out[task - laws.size()], link_bytes_per_s);
  });
  std::vector<Ratio> ratios;
  for (const LeftOut& one : left_out) {
    fit.held_out.insert(fit.held_out.end(), one.prices.begin(), one.prices.end());
    for (const HeldOutCollective& held : one.prices)
      ratios.push_back({one.bytes, *rows[held.row].measured_us / held.us});
  }
  fit.lines.accuracy = accuracy_of(std::move(ratios));
  return fit;
}

report::Sheet collective_law_sheet(const CollectiveFit& fit, const std::vector<CollectiveRow>& rows,
                                   double link_bytes_per_s) {
  using report::Cell, report::Type, report::Unit;
  struct Errors {
    std::vector<double> fitted, held_out;
  };
  std::map<const CollectiveLaw*, Errors> errors;
  const auto law_of = [&](const CollectiveRow& row) {
    return machine::nearest_law(fit.lines, row.op, row.library, row.version);
  };
  for (const CollectiveRow& row : rows) {
    if (!row.ranks || !row.bytes || !row.measured_us || row.nodes != 1) continue;
    const CollectiveLaw* law = law_of(row);
    errors[law].fitted.push_back(error_pct(machine::price(*law, row.call(), link_bytes_per_s).us, *row.measured_us));
  }
  for (const HeldOutCollective& held : fit.held_out)
    errors[law_of(rows[held.row])].held_out.push_back(error_pct(held.us, *rows[held.row].measured_us));
  report::Sheet sheet("laws");
  sheet.add({.name = "op", .title = "collective"})
      .add({.name = "library", .title = "library"})
      .add({.name = "version", .title = "version"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "mean error", .decimals = 1})
      .add({.name = "held_out", .type = Type::real, .unit = Unit::pct, .title = "not seen", .decimals = 1});
  for (const CollectiveLaw& law : fit.lines.laws) {
    const Errors& of = errors[&law];
    sheet.add_row({machine::kNodeCollectiveNames[static_cast<std::size_t>(law.op)], law.library, law.version,
                   of.fitted.size(), summarise_errors(of.fitted).mean_pct,
                   of.held_out.empty() ? Cell(nullptr) : Cell(summarise_errors(of.held_out).mean_pct)});
  }
  return sheet;
}

report::Sheet collective_accuracy_sheet(const machine::CollectiveLines& lines) {
  using report::Type, report::Unit;
  report::Sheet sheet("accuracy");
  sheet.add({.name = "up_to_bytes", .type = Type::integer, .unit = Unit::bytes, .title = "messages up to"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "low_ratio", .type = Type::real, .title = "8 of 10 from", .decimals = 3})
      .add({.name = "high_ratio", .type = Type::real, .title = "to", .decimals = 3})
      .add({.name = "unseen", .type = Type::real, .unit = Unit::pct, .title = "not seen", .decimals = 1});
  for (const machine::CollectiveAccuracy& one : lines.accuracy)
    sheet.add_row({one.up_to_bytes, one.rows, one.low_ratio, one.high_ratio, one.unseen_pct});
  return sheet;
}

}  // namespace orrery::llm
