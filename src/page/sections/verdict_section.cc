#include "page/sections/verdict_section.h"

#include <fmt/format.h>

#include "page/sections/section_parts.h"
#include "report/counted.h"
#include "report/html_writer.h"

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
      .text(fmt::format(" {}: {}.", per_what(facts), facts.verdict))
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

}  // namespace orrery::page
