#include "page/sections/interactive_sections.h"

#include <fmt/format.h>

#include <cmath>

#include "page/sections/section.h"
#include "report/html_writer.h"

namespace orrery::page {
namespace {

using report::HtmlWriter;

void write_slider(HtmlWriter& html, const Slider& slider) {
  // Known by its edit, not by an id: that is what addresses and tests call it.
  const std::string label = "label-" + slider.edit;
  html.open("div", {{"class", "slider"}});
  html.open("span", {{"id", label}}).text(slider.title + " ").element("code", {}, slider.edit).close("span");
  html.open("input", {{"type", "range"},
                      {"aria-labelledby", label},
                      {"data-edit", slider.edit},
                      {"min", "0"},
                      {"max", "2"},
                      {"step", "0.05"},
                      {"value", "1"}});
  html.element("output", {}, "\u00D71").close("div");
}

void write_button(HtmlWriter& html, const char* id, const char* text, const char* title) {
  html.element("button", {{"type", "button"}, {"id", id}, {"title", title}}, text);
}

/// "about 9.31 ms (8.02 to 10.9 ms)"; without a ruler why that is not known.
std::string unprofiled_text(const UnprofiledStep& step) {
  if (!step.is_known) return "what recording cost is not known: too few host operators could be compared";
  return fmt::format("about {} ({} to {})", time_text(step.length), time_text(step.low), time_text(step.high));
}

/// The switch that takes off what recording cost.
void write_unprofiled(HtmlWriter& html, const UnprofiledStep& step) {
  std::vector<report::HtmlAttribute> attributes{{"type", "checkbox"}, {"id", "unprofiled"}};
  if (step.is_known) {
    attributes.push_back({"data-edit", "profiler remove"});
    attributes.push_back({"data-ps", std::to_string(step.length)});
    attributes.push_back({"data-low-ps", std::to_string(step.low)});
    attributes.push_back({"data-high-ps", std::to_string(step.high)});
  } else {
    attributes.push_back({"disabled", "disabled"});
  }
  html.open("label", {{"class", "unprofiled"}}).open("input", attributes).text("Without the profiler ");
  html.element("span", {}, unprofiled_text(step)).close("label");
}

/// The step as it is, and the command; ends the section.
void write_answer(HtmlWriter& html, const StepFacts& facts, const CommandParts& command) {
  html.open("div", {{"class", "answer"}}).open("p", {{"class", "step"}});
  html.element("output", {{"id", "whatif-step"}, {"data-ps", std::to_string(facts.length)}, {"data-edits", "[]"}},
               time_text(facts.length))
      .raw(" ");
  html.element("span", {{"id", "whatif-change"}}, "unchanged");
  if (facts.unprofiled) html.element("span", {{"id", "whatif-interval"}}, "");
  html.close("p").open("p", {{"class", "command"}});
  std::string line = "orrery whatif";
  for (const std::string& operand : command.operands) line += " " + operand;
  line += " 'cpu * 0.8'";
  for (const std::string& flag : command.flags) line += " " + flag;
  html.element("code", {{"id", "whatif-command"}}, line);
  write_button(html, "whatif-copy", "copy", "Copy the command");
  html.close("p");
  if (!command.note.empty()) html.element("p", {{"class", "about"}}, command.note);
  html.close("div").close("section");
}

/// A factor within the range: rounded to three digits behind the point, towards 1.
std::string factor_text(double factor) {
  const double rounded = factor < 1 ? std::ceil(factor * 1000) / 1000 : std::floor(factor * 1000) / 1000;
  return fmt::format("{:.4g}", rounded);
}

void write_ranges(HtmlWriter& html, const std::vector<SliderRange>& ranges) {
  html.open("table", {{"class", "ranges"}})
      .element("caption", {{"class", "unseen"}}, "What scaling each sort of time does to the step");
  html.open("thead").open("tr");
  write_heading(html, "all time of", false);
  write_heading(html, "1 % less saves", true);
  write_heading(html, "down to", true, "the factor until which savings add up so; below, another path is the longest");
  write_heading(html, "1 % more costs", true);
  write_heading(html, "up to", true, "the factor until which costs add up so; sliders end at \u00D72");
  html.close("tr").close("thead").open("tbody");
  for (const auto& [slider, range] : ranges) {
    const std::string from = factor_text(1 - range.less.end.value()), to = factor_text(1 + range.more.end.value());
    html.open("tr", {{"data-edit", slider.edit}, {"data-from", from}, {"data-to", to}});
    html.open("th", {{"scope", "row"}}).text(slider.title + " ").element("code", {}, slider.edit).close("th");
    write_number(html, time_text(-range.less.change / 100), {{"data-saves-ps", std::to_string(-range.less.change)}});
    write_number(html, "\u00D7" + from);
    write_number(html, time_text(range.more.change / 100), {{"data-costs-ps", std::to_string(range.more.change)}});
    write_number(html, "\u00D7" + to);
    html.close("tr");
  }
  html.close("tbody").close("table");
}

struct KeyHelp {
  const char* keys;  ///< separated by blanks
  const char* what;
};
constexpr KeyHelp kKeys[] = {
    {"W S", "zoom in and out at the pointer"},
    {"A D", "move left and right; with shift four times as far"},
    {"\u2190 \u2192 \u2191 \u2193", "neighbours of the selected event"},
    {"[ ]", "back and forth along the critical path"},
    {"F", "to the selected event"},
    {"M", "mark its range; shift and drag measures"},
    {"O", "open or close its rank; so does a click on the rank"},
    {"PgUp PgDn", "scroll the lanes, as the wheel does"},
    {"0", "the whole trace"},
    {"1", "the step"},
    {"/", "search a name, or #123, an id; Enter and shift Enter go from match to match"},
    {"T", "light, dark or as the system has it"},
    {"?", "these keys"},
    {"Esc", "clear"},
};

void write_keycaps(HtmlWriter& html, std::string_view keys) {
  while (!keys.empty()) {
    const std::size_t end = keys.find(' ');
    html.element("kbd", {}, keys.substr(0, end)).raw(" ");
    keys = end == std::string_view::npos ? std::string_view() : keys.substr(end + 1);
  }
}

}  // namespace

Section whatif_section_without_graph(const StepFacts& facts, const CommandParts& command, std::string_view why,
                                     const std::vector<SliderRange>& ranges) {
  Section section{"whatif", "What if", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "whatif"}}).element("h2", {}, "What if").open("div", {{"class", "form"}});
  // Sliders that do nothing would look like an answer.
  html.open("p", {{"class", "notice"}}).text("This page cannot solve the step again: ").text(why);
  html.text(
      " What a little less or more of each sort of time does is known, and how far it goes on so; the command answers "
      "everything else.");
  html.close("p");
  if (facts.unprofiled && facts.unprofiled->is_known)
    html.element("p", {}, "Without the profiler: " + unprofiled_text(*facts.unprofiled) + ".");
  write_ranges(html, ranges);
  html.close("div");
  write_answer(html, facts, command);
  return section;
}

Section whatif_section(const StepFacts& facts, const CommandParts& command) {
  Section section{"whatif", "What if", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "whatif"}}).element("h2", {}, "What if").open("div", {{"class", "form"}});
  if (facts.unprofiled) write_unprofiled(html, *facts.unprofiled);
  html.open("div", {{"class", "sliders"}});
  for (const Slider& slider : sliders_of(facts)) write_slider(html, slider);
  html.close("div").open("div", {{"class", "any-edit"}});
  html.open("label", {{"for", "edit"}}).text("Any edit").close("label");
  html.open("input", {{"type", "text"},
                      {"id", "edit"},
                      {"placeholder", "op:aten::copy_ remove; kernel:/gemm/ * 0.5"},
                      {"spellcheck", "false"},
                      {"autocomplete", "off"},
                      {"aria-describedby", "edit-error"}});
  write_button(html, "reset", "reset", "Take all edits back");
  html.open("p", {{"id", "edit-error"}, {"role", "alert"}}).close("p").close("div").close("div");
  write_answer(html, facts, command);
  return section;
}

Section timeline_section() {
  Section section{"timeline", "Timeline", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "timeline"}}).open("div", {{"class", "toolbar"}}).element("h2", {}, "Timeline");
  write_button(html, "show-all", "all", "The whole trace (0)");
  write_button(html, "show-step", "step", "The analysed step (1)");
  write_button(html, "path-previous", "\u25C0 path", "Back along the critical path ([)");
  write_button(html, "path-next", "path \u25B6", "On along the critical path (])");
  html.raw("<label><input type=\"checkbox\" id=\"dim\" checked> dim what is not critical</label>");
  html.raw("<span id=\"span\"></span></div>");
  html.raw(
      "<noscript><p class=\"notice\">The timeline needs JavaScript, which is off here. Everything else on this page is "
      "text and "
      "tables.</p></noscript>");
  html.raw("<p class=\"notice\" id=\"timeline-notice\" hidden></p>");
  html.raw(
      "<div id=\"stage\" tabindex=\"0\" role=\"application\" aria-label=\"Timeline of all events; press ? for its "
      "keys\">"
      "<canvas id=\"minimap\" aria-hidden=\"true\"></canvas><canvas id=\"canvas\" "
      "aria-hidden=\"true\"></canvas></div>");
  html.raw("<div id=\"view\" data-begin-ps=\"0\" data-end-ps=\"0\" hidden></div>");
  html.open("p", {{"class", "hint"}});
  for (const KeyHelp& key : {KeyHelp{"W S", "zoom"},
                             {"A D", "move"},
                             {"[ ]", "along the path"},
                             {"F", "to the selection"},
                             {"/", "search"},
                             {"?", "all keys"}}) {
    write_keycaps(html, key.keys);
    html.text(key.what).raw(" ");
  }
  html.close("p");
  html.raw("<div id=\"details\" aria-live=\"polite\"></div>").close("section");
  return section;
}

void write_keys_table(HtmlWriter& html) {
  html.open("table", {{"class", "keys"}})
      .element("caption", {{"class", "unseen"}}, "Keys of the timeline")
      .open("tbody");
  for (const KeyHelp& key : kKeys) {
    html.open("tr").open("th", {{"scope", "row"}});
    write_keycaps(html, key.keys);
    html.close("th").element("td", {}, key.what).close("tr");
  }
  html.close("tbody").close("table");
}

}  // namespace orrery::page
