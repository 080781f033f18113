#include <doctest/doctest.h>

#include "page/data/report_data.h"
#include "page/sections/interactive_sections.h"
#include "page/sections/kernels_section.h"
#include "page/sections/path_sections.h"
#include "page/sections/provenance_section.h"
#include "page/sections/section.h"
#include "page/sections/trust_section.h"
#include "page/trace_page.h"

using namespace orrery;

namespace {

constexpr DiagnosticKind kWarning{"X1", Severity::warning, "something <odd>", "look"};

bool has(const std::string& html, std::string_view part) { return html.find(part) != std::string::npos; }

page::StepFacts facts_of_a_step() {
  page::StepFacts facts;
  facts.label = "ProfilerStep#3";
  facts.why = "the median of 2 steps";
  facts.span = facts.length = 58 * kPsPerMs;
  facts.verdict = "93 % CPU-bound";
  facts.coverage_pct = 100;
  facts.ranks = {0};
  return facts;
}

}  // namespace

TEST_CASE("the verdict says how long, why, and what would help") {
  page::StepFacts facts = facts_of_a_step();
  facts.gains.push_back({"</b><script>", "", "op:\"x\" remove", 3 * kPsPerMs});
  const std::string html = page::verdict_section(facts).html;
  CHECK(has(html, "<h1><strong>58.0 ms</strong> per step: 93 % CPU-bound.</h1>"));
  CHECK(has(html, "data-step-ps=\"58000000000\""));
  CHECK(has(html, "data-edit=\"op:&quot;x&quot; remove\""));
  CHECK(!has(html, "<script>"));
  CHECK_FALSE(has(html, "Steps differ"));
  facts.steps_differ = "Steps differ: 12.0 ms on average of 4, from 3.00 ms to 21.0 ms.";
  CHECK(has(page::verdict_section(facts).html, ">Steps differ: 12.0 ms on average of 4, from 3.00 ms to 21.0 ms.</p>"));
  facts.label = "whole trace";
  CHECK(has(page::verdict_section(facts).html, "for the whole trace: 93 %"));
}

TEST_CASE("the switch says what the step is without the profiler, or why nobody knows") {
  page::StepFacts facts = facts_of_a_step();
  CHECK_FALSE(has(page::whatif_section(facts, {}).html, "profiler"));  // of a run that nobody recorded
  facts.unprofiled = {true, 31 * kPsPerMs, 28 * kPsPerMs, 35 * kPsPerMs};
  std::string html = page::whatif_section(facts, {}).html;
  CHECK(has(html, "data-edit=\"profiler remove\" data-ps=\"31000000000\" data-low-ps=\"28000000000\""));
  CHECK(has(html, "about 31.0 ms (28.0 ms to 35.0 ms)"));
  CHECK_FALSE(has(html, "disabled"));
  CHECK(has(page::whatif_section_without_graph(facts, {}, "because.", {}).html, "Without the profiler: about 31.0 ms"));
  facts.unprofiled = page::UnprofiledStep{};
  html = page::whatif_section(facts, {}).html;
  CHECK(has(html, "id=\"unprofiled\" disabled"));
  CHECK(has(html, "too few host operators"));
  CHECK_FALSE(has(html, "data-edit=\"profiler remove\""));
}

TEST_CASE("the trust strip: states by the limits of the spec") {
  page::StepFacts facts = facts_of_a_step();
  Diagnostics diagnostics;
  CHECK(!has(page::trust_section({facts, diagnostics, 10, 0}).html, "data-state=\"warn\""));
  facts.residual_pct = -1.5;
  CHECK(has(page::trust_section({facts, diagnostics, 10, 0}).html, "data-trust=\"residual\" data-state=\"warn\""));
  facts.residual_pct = 5.1;
  CHECK(has(page::trust_section({facts, diagnostics, 10, 0}).html, "data-trust=\"residual\" data-state=\"bad\""));
  facts.ranks = {0, 1, 3};
  facts.missing = {2};
  facts.clock = causal::ClockSource::recorded;
  facts.band = -1;
  diagnostics.add(kWarning);
  const std::string html = page::trust_section({facts, diagnostics, 10, 5, 8}).html;
  CHECK(has(html, "data-trust=\"clock\" data-state=\"warn\""));
  CHECK(has(html, ">as recorded<"));
  CHECK(has(html, ">3 of 8<"));
  CHECK(has(html, ">10 of 15<"));
  CHECK(has(html, ">1 warning, 0 notes<"));
  facts.cut = 2;
  CHECK(has(page::trust_section({facts, diagnostics, 10, 0}).html, "data-trust=\"clock\" data-state=\"bad\""));
}

TEST_CASE("a section without data is absent, and About says why") {
  const page::Section kernels = page::kernels_section(report::Sheet("device_work"));
  CHECK(kernels.html.empty());
  Diagnostics diagnostics;
  diagnostics.add(kWarning);
  const std::string html =
      page::provenance_section({"1.2", "orrery report 'a b'", {{"f.json", 2000, 255}}, {}}, diagnostics, {kernels})
          .html;
  CHECK(has(html, "<dt>kernels</dt><dd>the trace has no work of a device.</dd>"));
  CHECK(has(html, "00000000000000ff"));
  CHECK(has(html, "something &lt;odd&gt;"));
}

TEST_CASE("sections come in the order of the page") {
  std::vector<page::Section> sections =
      page::in_page_order({{"kernels", "", "<k>", ""}, {"verdict", "", "<v>", ""}}, "because.");
  CHECK(sections.front().html == "<v>");
  CHECK(sections[1].id == "trust");
  CHECK(sections[1].why == "because.");
  CHECK(sections.size() == page::section_order().size() - 1);
}

TEST_CASE("sliders are those whose time occurs") {
  page::StepFacts facts;
  facts.kinds = 1U << static_cast<unsigned>(causal::EdgeKind::launch_delay);
  std::vector<std::string> edits;
  for (const page::Slider& slider : page::sliders_of(facts)) edits.push_back(slider.edit);
  CHECK(edits == std::vector<std::string>{"gap:launch", "gap"});
}

TEST_CASE("times and shares for people") {
  CHECK(page::time_text(0) == "0");
  CHECK(page::time_text(12'300'000) == "12.3 \u00B5s");
  CHECK(page::percent_text(0.01) == "<0.1 %");
  CHECK(page::percent_text(0) == "0.0 %");
}
