#include "analyze/check/causality_sheets.h"

#include <doctest/doctest.h>

#include "report/sheet_csv.h"
#include "report/sheet_json.h"

namespace orrery::analyze {
namespace {

/// Two ranks, 4 and 9, of which one leaves a collective before the other has come.
struct Contradiction {
  trace::Trace job;
  match::Exchanges exchanges;
  align::CausalityReport report;

  Contradiction() {
    job.ranks.resize(2);
    job.ranks[0].rank = 4;
    job.ranks[1].rank = 9;
    match::Exchange exchange;
    exchange.name = job.strings.intern("all-reduce.3");
    exchange.sequence = 12;
    exchange.count = 2;
    exchanges.all.push_back(exchange);
    exchanges.parts.resize(2);
    exchanges.parts[1].node = 1;
    exchanges.mispaired.push_back(exchange);
    report.checked = 5;
    report.messages = 2;
    report.violated = 1;
    report.early_ends = 1;
    report.violations.push_back({.collective = 0, .earlier_node = 0, .later_node = 1, .by_ps = 1'234'567});
    report.pairs.push_back({.earlier_node = 0, .later_node = 1, .count = 1, .largest_ps = 1'234'567});
  }
};

}  // namespace

TEST_CASE("contradictions by rank, not by place") {
  const Contradiction found;
  CHECK(report::to_csv(causality_sheet(found.report)) ==
        "collectives,messages,violated,early_ends,largest_us\n3,2,1,1,1.234567\n");
  CHECK(report::to_csv(violating_pairs_sheet(found.job, found.report)) ==
        "ends_on,starts_on,violations,largest_us\n9,4,1,1.234567\n");
  CHECK(report::to_csv(violations_sheet(found.job, found.exchanges, found.report)) ==
        "collective,number,ends_on,starts_on,by_us\nall-reduce.3,12,9,4,1.234567\n");
}

TEST_CASE("who took part in what is none is a list") {
  const Contradiction found;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_sheet(json, mispaired_sheet(found.job, found.exchanges));
  json.end_object();
  CHECK(text == R"({"mispaired":[{"collective":"all-reduce.3","number":12,"ranks":[4,9]}]})");
}

TEST_CASE("why something was not checked, in words and in numbers") {
  Contradiction found;
  found.report.root_unknown = 2;
  CHECK(not_checked_in_words(found.exchanges, found.report) == "2 whose root is not recorded; 1 mis-paired");
  const report::Sheet sheet = not_checked_sheet(found.exchanges, found.report);
  CHECK(sheet.rows() == 1);
  CHECK(sheet.integer(sheet.find("root_unknown"), 0) == 2);
  CHECK(sheet.integer(sheet.find("ambiguous"), 0) == 0);
}

TEST_CASE("where nothing could be checked the reason is one of three") {
  Contradiction found;
  found.exchanges.mispaired.clear();
  found.report.checked = 0;
  CHECK(why_unchecked(found.job, found.exchanges, found.report) == "no rank recorded a collective or a message");
  found.exchanges.unmatched = 7;
  CHECK(
      why_unchecked(found.job, found.exchanges, found.report).ends_with("held to a rule: 7 recorded by one rank only"));
  found.job.ranks.resize(1);
  CHECK(why_unchecked(found.job, found.exchanges, found.report) == "there is only one rank");
}

}  // namespace orrery::analyze
