#include "page/sections/trust_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "page/sections/section.h"
#include "report/counted.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

enum class State : std::uint8_t { ok, warn, bad };

struct TrustCell {
  const char* id;
  std::string title;
  std::string value;
  State state = State::ok;
  std::string explained;
};

/// A share that should be small.
State state_of(double percent, double ok_until, double warn_until) {
  const double size = std::abs(percent);
  return size <= ok_until ? State::ok : size <= warn_until ? State::warn : State::bad;
}

TrustCell clock_cell(const StepFacts& facts) {
  TrustCell cell{"clock", "clocks", "one host", State::ok, "All events were stamped by one host."};
  if (!facts.clock) return cell;
  const std::string band = facts.band > 0 ? "\u00B1 " + time_text(facts.band) : "";
  if (*facts.clock == causal::ClockSource::one) {
    cell.value = "one clock";
    cell.explained = "The ranks are on one clock.";
  } else if (*facts.clock == causal::ClockSource::aligned) {
    cell = {"clock", "clocks aligned", band.empty() ? "exactly" : band, State::ok,
            "The ranks' clocks were aligned, and may still be off by so much."};
  } else if (*facts.clock == causal::ClockSource::relative) {
    cell = {"clock", "clocks", "not recorded", State::warn,
            "Only lengths are recorded: times of different communicators are not comparable."};
  } else {
    cell = {"clock", band.empty() ? "clocks" : "clocks, " + band, "as recorded", State::warn,
            "The ranks' clocks were not corrected: times of different ranks may not be comparable."};
  }
  if (facts.cut > 0) {
    cell.value = report::counted(facts.cut, "violation");
    cell.state = State::bad;
    cell.explained =
        "Some ranks seem to end a communication before another had come to it: their clocks contradict what happened.";
  }
  return cell;
}

TrustCell ranks_cell(const TrustInputs& inputs) {
  const std::size_t here = inputs.facts.ranks.size();
  std::size_t all = here + inputs.facts.missing.size();
  if (inputs.world_size && *inputs.world_size > 0) all = std::max(all, static_cast<std::size_t>(*inputs.world_size));
  TrustCell cell{"ranks", "ranks", format_count(here), State::ok, "All ranks of the job are in the page."};
  if (all == here && here == 1) return cell;
  cell.value = fmt::format("{} of {}", format_count(here), format_count(all));
  if (all == here) return cell;
  cell.state = State::warn;
  cell.explained = "What ranks without a file did is not known: waiting for them looks like idle time.";
  return cell;
}

TrustCell events_cell(const TrustInputs& inputs) {
  if (inputs.events_left_out == 0)
    return {"events", "events shown", format_count(inputs.events), State::ok,
            "Every recorded event is on the timeline."};
  return {"events", "events shown",
          fmt::format("{} of {}", format_count(inputs.events), format_count(inputs.events + inputs.events_left_out)),
          State::warn,
          "The shortest events off the path are not on the timeline (--max-events). Sums and the path rest on all of "
          "them."};
}

TrustCell remarks_cell(const Diagnostics& diagnostics) {
  std::array<std::size_t, 3> counts{};
  for (const Diagnostic& remark : diagnostics.sorted()) ++counts[static_cast<std::size_t>(remark.kind->severity)];
  const auto [notes, warnings, errors] = counts;
  std::string value = report::counted(warnings, "warning") + ", " + report::counted(notes, "note");
  if (errors > 0) value = report::counted(errors, "error") + ", " + value;
  return {"diagnostics", "remarks", value,
          errors > 0     ? State::bad
          : warnings > 0 ? State::warn
                         : State::ok,
          "Remarks about the input; About lists them."};
}

}  // namespace

Section trust_section(const TrustInputs& inputs) {
  const StepFacts& facts = inputs.facts;
  const TrustCell cells[] = {
      // A percent is fine, five are to be taken with care: beyond, the graph does not explain the step.
      {"residual", "replay residual", fmt::format("{:.3g} %", facts.residual_pct), state_of(facts.residual_pct, 1, 5),
       "How far the graph, solved from its edges alone, is from the measured step."},
      {"coverage", "path covers", fmt::format("{:.3g} %", facts.coverage_pct), state_of(100 - facts.coverage_pct, 1, 5),
       "The part of the step that the longest path explains."},
      {"unexplained", "no recorded cause", fmt::format("{:.2g} %", facts.unexplained_pct),
       state_of(facts.unexplained_pct, 5, 20),
       "Time on the path in which a thread or a device did nothing and the trace does not say why."},
      clock_cell(facts),
      ranks_cell(inputs),
      events_cell(inputs),
      remarks_cell(inputs.diagnostics),
  };
  static constexpr const char* kStates[] = {"ok", "warn", "bad"};
  static constexpr const char* kWords[] = {"fine", "with care", "bad"};
  Section section{"trust", "", {}, {}};
  report::HtmlWriter html(section.html);
  html.open("section", {{"id", "trust"}, {"aria-label", "How far to trust it"}}).open("dl");
  for (const TrustCell& cell : cells) {
    const auto state = static_cast<std::size_t>(cell.state);
    html.open("div", {{"data-trust", cell.id}, {"data-state", kStates[state]}, {"title", cell.explained}});
    // Shape and word tell states apart for those who do not see the colour.
    html.open("dt")
        .open("span", {{"class", "dot"}, {"role", "img"}, {"aria-label", kWords[state]}})
        .close("span")
        .text(cell.title)
        .close("dt");
    html.element("dd", {}, cell.value).close("div");
  }
  html.close("dl").close("section");
  return section;
}

}  // namespace orrery::page
