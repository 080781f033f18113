#include "analyze/schedule/motif_sheets.h"

#include <algorithm>
#include <vector>

#include "base/percent.h"
#include "motif/motif.h"

namespace orrery::analyze {
namespace {

using report::Sheet;
using report::Type;
using report::Unit;

std::string function_of(const motif::Motif& motif, std::uint32_t id) {
  const motif::Site* site = motif.find_site(id);
  return site == nullptr || site->operation.empty() ? "unknown" : site->operation;
}

}  // namespace

Sheet motif_function_sheet(const motif::Prediction& prediction) {
  Sheet sheet("functions");
  sheet.add({.name = "function", .title = "function"})
      .add({.name = "calls", .type = Type::real, .title = "calls", .decimals = 1})
      .add({.name = "bytes", .type = Type::real, .unit = Unit::bytes, .title = "bytes sent", .decimals = 0});
  std::vector<motif::FunctionUse> uses = prediction.functions;
  std::stable_sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.calls > b.calls; });
  for (const motif::FunctionUse& use : uses) sheet.add_row({use.operation, use.calls, use.bytes});
  return sheet;
}

Sheet motif_transition_sheet(const motif::Prediction& prediction) {
  Sheet sheet("transitions");
  sheet.add({.name = "src", .type = Type::integer, .title = "from"})
      .add({.name = "dst", .type = Type::integer, .title = "to"})
      .add({.name = "times", .type = Type::real, .title = "times", .decimals = 1})
      .add({.name = "each_us", .type = Type::real, .title = "µs each", .decimals = 1})
      .add({.name = "compute_us", .type = Type::real, .title = "of it local", .decimals = 1})
      .add({.name = "total_us", .type = Type::real, .title = "µs in all", .decimals = 0})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  std::vector<motif::TransitionUse> uses = prediction.transitions;
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.times * a.time_us > b.times * b.time_us; });
  for (const motif::TransitionUse& use : uses) {
    const double total = use.times * use.time_us;
    const double share = share_percent(total, prediction.total_us);
    sheet.add_row({use.from, use.to, use.times, use.time_us, use.compute_us, total, share});
  }
  return sheet;
}

Sheet motif_site_sheet(const motif::Motif& motif, const motif::Prediction& prediction) {
  Sheet sheet("callsites");
  sheet.add({.name = "callsite", .type = Type::integer, .title = "site"})
      .add({.name = "function", .title = "function"})
      .add({.name = "group", .title = "on"})
      .add({.name = "peer", .title = "to"})
      .add({.name = "calls", .type = Type::real, .title = "calls", .decimals = 1})
      .add({.name = "each", .type = Type::real, .unit = Unit::bytes, .title = "bytes each", .decimals = 0})
      .add({.name = "bytes", .type = Type::real, .unit = Unit::bytes, .title = "bytes in all", .decimals = 0});
  for (const motif::SiteUse& use : prediction.sites) {
    const motif::Site* site = motif.find_site(use.site);
    const auto group = site == nullptr ? motif::Group::unknown : site->group;
    const auto peer = site == nullptr ? motif::Peer::none : site->peer;
    sheet.add_row({use.site, function_of(motif, use.site), motif::kGroupNames[static_cast<std::size_t>(group)],
                   motif::kPeerNames[static_cast<std::size_t>(peer)], use.calls,
                   use.calls > 0 ? use.bytes / use.calls : 0.0, use.bytes});
  }
  return sheet;
}

Sheet motif_family_sheet(const motif::fit::FitOutcome& outcome) {
  Sheet sheet("families");
  sheet.add({.name = "family", .title = "times as"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error of left-out runs"})
      .add({.name = "parameters", .type = Type::real, .title = "numbers per transition", .decimals = 1});
  std::vector<motif::fit::FamilyScore> scores = outcome.scores;
  std::stable_sort(scores.begin(), scores.end(),
                   [](const auto& a, const auto& b) { return a.error_pct < b.error_pct; });
  for (const auto& score : scores)
    sheet.add_row(
        {motif::fit::kFamilyNames[static_cast<std::size_t>(score.family)], score.error_pct, score.parameters});
  return sheet;
}

Sheet motif_bytes_sheet(const motif::fit::FitOutcome& outcome) {
  Sheet sheet("laws");
  sheet.add({.name = "callsite", .type = Type::integer, .title = "site"})
      .add({.name = "function", .title = "function"})
      .add({.name = "family", .title = "bytes as"})
      .add({.name = "formula", .title = "law"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error"});
  for (const motif::fit::SiteFit& fit : outcome.sites) {
    const motif::Site* site = outcome.motif.find_site(fit.site);
    sheet.add_row({fit.site, function_of(outcome.motif, fit.site), fit.family,
                   site == nullptr ? "" : site->bytes.text(), fit.error_pct});
  }
  return sheet;
}

}  // namespace orrery::analyze
