#include "page/sections/path_sections.h"

#include <fmt/format.h>

#include "page/sections/section.h"
#include "report/counted.h"
#include "report/html_writer.h"
#include "report/sheet.h"

namespace orrery::page {
namespace {

/// What the time is the time of.
std::string per_what(const StepFacts& facts) {
  if (facts.label == "whole trace") return "for the whole trace";
  return facts.label.find(" to ") == std::string::npos ? "per step" : "for " + facts.label;
}

std::string step_sentence(const StepFacts& facts) {
  std::string text = facts.label;
  if (facts.ranks.size() > 1) text += fmt::format(" of {}", report::counted(facts.ranks.size(), "rank"));
  if (!facts.why.empty()) text += ", " + facts.why;
  return text + ".";
}

}  // namespace

Section verdict_section(const StepFacts& facts) {
  Section section{"verdict", "Step", {}, {}};
  report::HtmlWriter html(section.html);
  html.open("section", {{"id", "verdict"},
                        {"data-step-ps", std::to_string(facts.length)},
                        {"data-span-ps", std::to_string(facts.span)},
                        {"data-verdict", facts.verdict},
                        {"data-rank", facts.ranks.size() == 1 ? std::to_string(facts.ranks.front()) : "all"}});
  html.open("h1")
      .element("strong", {}, time_text(facts.length))
      .text(fmt::format(" {}: {}{}.", per_what(facts), facts.verdict, facts.recording_clause))
      .close("h1");
  html.open("p", {{"class", "about"}}).text(step_sentence(facts));
  if (!facts.gains.empty()) {
    const Gain& first = facts.gains.front();
    html.text(fmt::format(" Making {}{} free would save {}", first.name, first.where, time_text(first.gain)));
    html.text(facts.gains.size() > 1 ? "; the largest gains:" : ".");
  }
  html.close("p");
  if (!facts.steps_differ.empty())
    html.element("p", {{"class", "about"}, {"data-steps", "differ"}}, facts.steps_differ);
  if (!facts.gains.empty()) {
    html.open("p", {{"class", "gains"}});
    for (const Gain& gain : facts.gains) {
      html.open("button",
                {{"type", "button"}, {"class", "gain"}, {"data-edit", gain.edit}, {"title", "What if: " + gain.edit}});
      html.element("b", {}, "\u2212" + time_text(gain.gain))
          .text(" if ")
          .element("code", {}, gain.name)
          .text(gain.where + " were free")
          .close("button");
    }
    html.close("p");
  }
  html.close("section");
  return section;
}

namespace {

using report::HtmlWriter;
using report::Sheet;

/// Narrower ones would not be seen; the next still begins where this one really ends.
constexpr double kNarrowestBar = 0.6;

void write_waterfall_row(HtmlWriter& html, const Sheet& sheet, std::size_t row, double begin_pct) {
  const std::string kind(sheet.text(sheet.find("kind"), row));
  const TimePs time = sheet.integer(sheet.find("on_path"), row);
  const double share = sheet.number(sheet.find("share"), row);
  html.open("tr", {{"data-kind", kind}, {"data-ps", std::to_string(time)}});
  html.open("th", {{"scope", "row"}});
  write_swatch(html, kind);
  html.text(sheet.text(sheet.find("kind_in_words"), row)).close("th");
  write_number(html, time_text(time));
  write_number(html, percent_text(share));
  html.open("td", {{"class", "number pieces"}})
      .text(format_count(static_cast<std::uint64_t>(sheet.integer(sheet.find("pieces"), row))))
      .close("td");
  const double width = std::max(share, kNarrowestBar);
  // A bar that was widened must not stick out at the end.
  html.open("td", {{"class", "bars"}})
      .open("span", {{"class", "bar"},
                     {"style", fmt::format("left:{:.3f}%;width:{:.3f}%;background:var(--k-{})",
                                           std::min(begin_pct, 100 - width), width, kind)}});
  html.close("span").close("td").close("tr");
}

void write_contributor(HtmlWriter& html, const Sheet& sheet, std::size_t row) {
  const std::string kind(sheet.text(sheet.find("kind"), row));
  const auto time_of = [&](std::string_view column) { return sheet.integer(sheet.find(column), row); };
  const std::string_view label = sheet.text(sheet.find("label"), row);
  html.open("tr", {{"data-kind", kind}})
      .open("th", {{"scope", "row"}, {"class", "name"}, {"title", std::string(label)}});
  write_swatch(html, kind);
  html.element("code", {}, label).close("th");
  if (const std::size_t rank = sheet.find("rank"); rank < sheet.columns().size())
    write_number(html, sheet.is_null(rank, row) ? "" : std::to_string(sheet.integer(rank, row)));
  write_number(html, format_count(static_cast<std::uint64_t>(time_of("count"))));
  write_time(html, time_of("total"));
  write_time(html, time_of("on_path"));
  const std::size_t slack = sheet.find("least_slack");
  write_number(html, sheet.is_null(slack, row) ? "–" : time_text(sheet.integer(slack, row)));
  write_number(html, fmt::format("{:.2f}", sheet.number(sheet.find("derivative"), row)));
  write_time(html, time_of("gain_if_free"));
  html.close("tr");
}

}  // namespace

Section waterfall_section(const StepFacts& facts) {
  Section section{"waterfall", "", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "waterfall"}}).element("h2", {}, "Where the step goes");
  html.open("table")
      .element("caption", {{"class", "unseen"}}, "Time on the critical path by kind")
      .open("thead", {{"class", "unseen"}})
      .open("tr");
  write_heading(html, "kind", false);
  for (const char* title : {"time", "share", "segments"}) write_heading(html, title, true);
  write_heading(html, "from begin to end", false);
  html.close("tr").close("thead").open("tbody");
  double begin_pct = 0;
  for (std::size_t row = 0; row < facts.bound_by.rows(); ++row) {
    write_waterfall_row(html, facts.bound_by, row, begin_pct);
    begin_pct += facts.bound_by.number(facts.bound_by.find("share"), row);
  }
  html.close("tbody").close("table").close("section");
  return section;
}

Section contributors_section(const StepFacts& facts) {
  const Sheet& sheet = facts.contributors;
  if (sheet.rows() == 0) return {"contributors", "", {}, "the path holds nothing that could be changed."};
  Section section{"contributors", "", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "contributors"}}).element("h2", {}, "Largest contributors").open("table");
  html.element("caption", {{"class", "unseen"}}, "What the path is made of, by name").open("thead").open("tr");
  write_heading(html, "name", false);
  if (sheet.find("rank") < sheet.columns().size()) write_heading(html, "rank", true);
  write_heading(html, "calls", true);
  write_heading(html, "total", true);
  write_heading(html, "on path", true);
  write_heading(html, "slack", true, "how much later it could end without delaying the step");
  write_heading(html, "d", true, "derivative: the part of a saving that reaches the step");
  write_heading(html, "gain if free", true, "how much shorter the step would be if it took no time");
  html.close("tr").close("thead").open("tbody");
  for (std::size_t row = 0; row < sheet.rows(); ++row) write_contributor(html, sheet, row);
  html.close("tbody").close("table").close("section");
  return section;
}

}  // namespace orrery::page
