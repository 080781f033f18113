#include "page/sections/ranks_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analyze/blame/blame_sheets.h"
#include "page/sections/section.h"
#include "page/sections/sheet_table.h"
#include "report/counted.h"
#include "report/html_writer.h"

// A table of ranks and steps with both numbers in each cell. Of many ranks those with most waiting and blame are shown,
// and a small picture has all of them. The script only needs what stands in the attributes.

namespace orrery::page {

Section runs_section(const report::Sheet& runs) {
  Section section{"ranks", "Runs", {}, {}};
  report::HtmlWriter html(section.html);
  html.open("section", {{"id", "ranks"}}).element("h2", {}, "Runs");
  html.element("p", {{"class", "about"}},
               fmt::format("{} that share nothing, each by itself; the page is about the first of them.",
                           report::counted(runs.rows(), "run")));
  write_sheet_table(html, runs, {.caption = "Runs side by side", .left_out = {}});
  html.close("section");
  return section;
}

namespace {

using analyze::Blame;
using analyze::LongestWait;
using causal::CausalGraph;
using report::HtmlAttribute;
using report::HtmlWriter;

constexpr std::size_t kRanksInFull = 64, kRanksOfMany = 32, kStepsShown = 64, kPictureRows = 128;

/// Which ranks and steps a table has, and the largest of their cells.
struct HeatMap {
  std::vector<std::uint32_t> ranks, steps;  // places, ascending
  TimePs most_wait = 1, most_blame = 1;
};

/// The `most` places with the largest sums, in their order.
std::vector<std::uint32_t> largest_places(const std::vector<TimePs>& sums, std::size_t most) {
  std::vector<std::uint32_t> places(sums.size());
  std::iota(places.begin(), places.end(), 0U);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) { return sums[a] > sums[b]; });
  places.resize(std::min(places.size(), most));
  std::sort(places.begin(), places.end());
  return places;
}

HeatMap choose(const CausalGraph& job, const Blame& blame) {
  std::vector<TimePs> by_rank(job.ranks.size(), 0), by_step(blame.steps.steps(), 0);
  HeatMap map;
  for (std::size_t k = 0; k < by_step.size(); ++k) {
    for (std::size_t r = 0; r < by_rank.size(); ++r) {
      const TimePs wait = blame.waits.at(k, r), caused = blame.steps.at(k, r);
      by_rank[r] += wait + caused;
      by_step[k] += wait;
      map.most_wait = std::max(map.most_wait, wait);
      map.most_blame = std::max(map.most_blame, caused);
    }
  }
  map.ranks = largest_places(by_rank, by_rank.size() <= kRanksInFull ? kRanksInFull : kRanksOfMany);
  map.steps = largest_places(by_step, kStepsShown);
  return map;
}

std::string heat(TimePs time, TimePs most) {
  return fmt::format("{:.3f}", static_cast<double>(time) / static_cast<double>(most));
}

/// Both numbers; which is seen is a matter of style.
void write_both(HtmlWriter& html, TimePs wait, TimePs caused) {
  html.element("span", {{"class", "of-wait"}}, wait == 0 ? "0" : time_text(wait));
  html.element("span", {{"class", "of-blame"}}, caused == 0 ? "0" : time_text(caused));
}

void add_culprit(const CausalGraph& job, const LongestWait& longest, const char* rank, const char* ordinal,
                 std::vector<HtmlAttribute>& attributes) {
  if (longest.part == causal::kNoPart) return;
  const causal::JobPart& part = job.parts[longest.part];
  attributes.push_back({rank, std::to_string(job.ranks[part.rank].rank)});
  attributes.push_back({ordinal, std::to_string(job.owners[part.owner].ordinal)});
}

void write_cell(HtmlWriter& html, const CausalGraph& job, const Blame& blame, const HeatMap& map, std::uint32_t step,
                std::uint32_t rank) {
  const TimePs wait = blame.waits.at(step, rank), caused = blame.steps.at(step, rank);
  const LongestWait& longest = blame.longest_waits[step * job.ranks.size() + rank];
  std::vector<HtmlAttribute> attributes = {{"class", "number"},
                                           {"data-rank", std::to_string(job.ranks[rank].rank)},
                                           {"data-step", std::to_string(step)},
                                           {"data-ps", std::to_string(wait)},
                                           {"data-blame-ps", std::to_string(caused)}};
  add_culprit(job, longest, "data-culprit", "data-ordinal", attributes);
  add_culprit(job, blame.longest_caused[step * job.ranks.size() + rank], "data-blame-culprit", "data-blame-ordinal",
              attributes);
  attributes.push_back(
      {"style", fmt::format("--w:{};--b:{}", heat(wait, map.most_wait), heat(caused, map.most_blame))});
  html.open("td", attributes);
  write_both(html, wait, caused);
  html.close("td");
}

/// "#7" of ProfilerStep#7: the head of a column has little room.
std::string short_step_name(const CausalGraph& job, std::size_t step) {
  const std::string name = analyze::step_name(job, step);
  const std::size_t number = name.rfind('#');
  return number == std::string::npos ? name : name.substr(number);
}

void write_table(HtmlWriter& html, const CausalGraph& job, const Blame& blame, const HeatMap& map) {
  html.open("div", {{"class", "wide"}}).open("table", {{"class", "heat"}});
  html.element("caption", {{"class", "unseen"}}, "Waiting, and waiting that a rank caused, by rank and step")
      .open("thead")
      .open("tr");
  write_heading(html, "rank", true);
  for (const std::uint32_t step : map.steps)
    write_heading(html, short_step_name(job, step), true, analyze::step_name(job, step));
  write_heading(html, "all steps", true);
  html.close("tr").close("thead").open("tbody");
  for (const std::uint32_t rank : map.ranks) {
    html.open("tr").element("th", {{"scope", "row"}, {"class", "number"}}, std::to_string(job.ranks[rank].rank));
    for (const std::uint32_t step : map.steps) write_cell(html, job, blame, map, step, rank);
    html.open("td", {{"class", "number sum"}, {"data-sum-of-rank", std::to_string(job.ranks[rank].rank)}});
    write_both(html, blame.ranks[rank].wait(), blame.ranks[rank].caused_root);
    html.close("td").close("tr");
  }
  html.close("tbody").open("tfoot").open("tr").element("th", {{"scope", "row"}, {"class", "number"}}, "all ranks");
  TimePs all_caused = 0;
  for (const analyze::RankBlame& rank : blame.ranks) all_caused += rank.caused_root;
  for (const std::uint32_t step : map.steps) {
    TimePs caused = 0;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) caused += blame.steps.at(step, r);
    html.open("td", {{"class", "number sum"}, {"data-sum-of-step", std::to_string(step)}});
    write_both(html, blame.step_wait[step], caused);
    html.close("td");
  }
  html.open("td", {{"class", "number sum"}});
  write_both(html, blame.exposed, all_caused);
  html.close("td").close("tr").close("tfoot").close("table").close("div");
}

/// Ranks from top to bottom, steps from left to right; a square is the largest of what it stands for.
void write_picture(HtmlWriter& html, const CausalGraph& job, const Blame& blame, const HeatMap& map) {
  const std::size_t ranks = job.ranks.size(), steps = blame.steps.steps();
  const std::size_t rows = std::min(ranks, kPictureRows), columns = std::min(steps, kStepsShown);
  html.open("svg", {{"class", "heat-picture"},
                    {"viewBox", fmt::format("0 0 {} {}", columns * 12, rows * 3)},
                    {"role", "img"},
                    {"aria-label", fmt::format("Waiting of {} in {}", report::counted(ranks, "rank"),
                                               report::counted(steps, "step"))}});
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      TimePs wait = 0, caused = 0;
      for (std::size_t r = y * ranks / rows; r < (y + 1) * ranks / rows; ++r) {
        for (std::size_t k = x * steps / columns; k < (x + 1) * steps / columns; ++k)
          wait = std::max(wait, blame.waits.at(k, r)), caused = std::max(caused, blame.steps.at(k, r));
      }
      if (wait == 0 && caused == 0) continue;
      html.raw(fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"3\" style=\"--w:{};--b:{}\"/>", x * 12, y * 3,
                           heat(wait, map.most_wait), heat(caused, map.most_blame)));
    }
  }
  html.close("svg");
}

std::string ranks_sentence(const CausalGraph& job, const Blame& blame) {
  std::string text =
      fmt::format("{} in {}: {} are spent waiting for others, {:.1f} % of all ranks' time.",
                  report::counted(job.ranks.size(), "rank"), report::counted(blame.steps.steps(), "step"),
                  time_text(blame.exposed), blame.share_pct());
  const auto less = [](const analyze::RankBlame& a, const analyze::RankBlame& b) {
    return a.caused_root < b.caused_root;
  };
  const auto worst = std::max_element(blame.ranks.begin(), blame.ranks.end(), less);
  if (worst != blame.ranks.end() && worst->caused_root > 0)
    text += fmt::format(" Rank {} caused most of it, {}.",
                        job.ranks[static_cast<std::size_t>(worst - blame.ranks.begin())].rank,
                        time_text(worst->caused_root));
  return text;
}

}  // namespace

Section ranks_section(const CausalGraph& job, const Blame& blame) {
  if (job.ranks.size() < 2) return {"ranks", "", {}, "one rank alone waits for nobody."};
  if (job.operations.empty()) return {"ranks", "", {}, "no communication between these ranks was matched."};
  const HeatMap map = choose(job, blame);
  Section section{"ranks", "Ranks", {}, {}};
  HtmlWriter html(section.html);
  html.open("section", {{"id", "ranks"}}).element("h2", {}, "Ranks");
  html.element("p", {{"class", "about"}}, ranks_sentence(job, blame));
  // The choice is the style's business: it works without script, and so do both tables.
  html.raw(
      "<fieldset class=\"choice\"><legend class=\"unseen\">What the table shows</legend>"
      "<label><input type=\"radio\" name=\"ranks-show\" id=\"ranks-show-wait\" checked> how long it waited</label>"
      "<label><input type=\"radio\" name=\"ranks-show\" id=\"ranks-show-blame\"> how long others waited because of "
      "it</label></fieldset>");
  if (map.ranks.size() < job.ranks.size()) {
    html.element("p", {{"class", "about"}},
                 fmt::format("All {}, from top to bottom; below, the {} with most waiting and blame.",
                             report::counted(job.ranks.size(), "rank"), map.ranks.size()));
    write_picture(html, job, blame, map);
  }
  write_table(html, job, blame, map);
  if (map.steps.size() < blame.steps.steps())
    html.element("p", {{"class", "about"}},
                 fmt::format("The {} with most waiting, of {}.", report::counted(map.steps.size(), "step"),
                             blame.steps.steps()));
  html.close("section");
  return section;
}

}  // namespace orrery::page
