// Random edits in the language of docs/WHATIF.md: nearly all can be understood, some cannot.
#pragma once

#include <string>
#include <vector>

#include "page/cases/random_step.h"

namespace orrery::page::testing {

inline const std::vector<std::string>& expressions() {
  static const std::vector<std::string> list = {
      "gemm|nvjet", "^aten::",  "_$",        "a.b",         "\\d+",
      "[a-c]+\\b",  "^$",       "\\s",       "\\S\\s\\S",   "(?:a|aten)::[^m]",
      "x{2,3}",     "\\x61",    "\\x{3b1}",  "[^\\n]$",     ".*",
      "",           "\\[",      "a\\/b",     "^.{2}$",      "\\w\\W",
      "[\\]\\-x]",  "q\\?\\*",  "^(a|b)?\n", "\\Aaten",     "mm\\z",
      "[\\d_]",     "{3}",      "\xCE\xB1",  "^.$",         "[\xCE\xB0-\xCE\xB3]",
      "(a*)*b",     "a**",      "(",         ")",           "[a",
      "[b-a]",      "\\",       "\\y",       "*a",          "a{1001}",
      "(?i)UPPER",  "\\pL",     "(?=a)",     "(a{40}){40}", "[[:alpha:]]",
      "\\Ca",       "(?P<n>a)", "\\1",       "[\\W]",       "\\Qa\\E",
      "a|*",        "a{2}{3}",  "a{,2}",     "^*",          "x??",
      "[]a]",       "[^]a]",    "[a-]",      "\\_",         "\\8",
      "a{2,1}",     "(?:",      "[\\y]",     "\\x6",        "\\x{110000}"};
  return list;
}

class RandomEdits {
 public:
  RandomEdits(std::uint64_t seed, bool of_job) : dice_(seed), of_job_(of_job) {}

  std::vector<std::string> several() {
    std::vector<std::string> edits;
    for (std::uint64_t i = 0, count = 1 + dice_.below(3); i < count; ++i) edits.push_back(edit());
    return edits;
  }

  std::string edit() {
    switch (dice_.below(of_job_ ? 12 : 30)) {
      case 0: return scope(false) + "delay " + duration();
      case 1:
        return (dice_.below(2) == 0 ? "rank:" + numbers() + " " : "") + "fails at " + duration() + " restart " +
               duration() + (dice_.below(3) == 0 ? " from step:" + number(4) : "");
      case 2: return "profiler remove";
      case 3: return broken();
      default: return scope(of_job_) + what() + filters() + dice_.one_of(blanks()) + action();
    }
  }

 private:
  static const std::vector<std::string>& blanks() {
    static const std::vector<std::string> list = {" ", " ", " ", "  "};
    return list;
  }
  std::string number(std::uint64_t n) { return std::to_string(dice_.below(n)); }
  std::string numbers() {
    const char* const lists[] = {"0", "1", "0-1", "0,2", "3", "1-9", "77", "50-60", "0-0,1"};
    return dice_.one_of(lists);
  }
  std::string scope(bool with_group) {
    std::string text;
    if (dice_.below(4) == 0) text += "rank:" + numbers() + " ";
    if (dice_.below(4) == 0) text += "step:" + numbers() + " ";
    if (with_group && dice_.below(5) == 0) text += "group:" + pattern() + " ";
    return text;
  }
  std::string pattern() {
    if (dice_.below(3) == 0) return "/" + dice_.one_of(expressions()) + "/";
    std::string glob = dice_.one_of(hard_names());
    for (char& c : glob) {
      if (dice_.below(6) == 0 && static_cast<unsigned char>(c) < 128) c = dice_.below(2) == 0 ? '*' : '?';
    }
    if (dice_.below(5) == 0) glob = "dp*";
    return dice_.below(2) == 0 ? "\"" + glob + "\"" : glob;
  }
  std::string what() {
    const char* const words[] = {"cpu",  "op",   "python", "runtime", "untraced", "loading", "gpu", "kernel",
                                 "comm", "copy", "set",    "all",     "gap",      "all",     "op",  "kernel"};
    const char* const gaps[] = {"launch", "kernel", "stream", "sync", "handoff", "idle"};
    const char* const kinds[] = {"all_reduce", "all_*", "broadcast", "\"*\"", "/gather/"};
    if (of_job_ && dice_.below(5) == 0)
      return dice_.below(2) == 0   ? "p2p"
             : dice_.below(2) == 0 ? "collective"
                                   : std::string("collective:") + dice_.one_of(kinds);
    const std::string word = dice_.one_of(words);
    if (dice_.below(2) == 0) return word;
    return word + ":" + (word == "gap" ? dice_.one_of(gaps) : pattern());
  }
  std::string filters() {
    std::string text;
    if (dice_.below(8) == 0) text += " stream " + std::to_string(static_cast<int>(dice_.below(10)) - 1);
    if (dice_.below(8) == 0) text += " device " + std::to_string(static_cast<int>(dice_.below(3)) - 1);
    if (dice_.below(5) == 0)
      text += dice_.below(3) == 0 ? " in \"two words\"" : dice_.below(2) == 0 ? " in *forward*" : " in " + pattern();
    return text;
  }
  std::string factor() {
    const char* const factors[] = {"0.5",  "0",   "1",  "2",    "0.3333333", "0.0005", "1.0000005", "0.1234567",
                                   "7.77", ".25", "3.", "1e-3", "2.5E2",     "0.37",   "1.35"};
    return dice_.below(3) == 0 ? std::to_string(static_cast<double>(dice_.below(2'000'000)) / 1e6)
                               : std::string(dice_.one_of(factors));
  }
  std::string duration() {
    const char* const units[] = {"ns", "us", "ns", "us", " us", "ns", "ms"};
    return dice_.below(10) == 0 ? "0"
                                : std::to_string(static_cast<double>(dice_.below(30'000)) / 100) + dice_.one_of(units);
  }
  std::string action() {
    switch (dice_.below(6)) {
      case 0: return "= " + duration();
      case 1: return "+" + duration();
      case 2: return "- " + duration();
      case 3: return "remove";
      default: return "* " + factor();
    }
  }
  std::string broken() {
    const char* const list[] = {"gap:lunch = 0",
                                "kernel * -1",
                                "op = 5",
                                "op",
                                "",
                                "rank:3-1 op * 2",
                                "rank:1 rank:2 op * 2",
                                "op:\"a * 2",
                                "op:/a * 2",
                                "op * 2 3",
                                "network bandwidth * 2",
                                "op * inf",
                                "step: op * 2"};
    return dice_.one_of(list);
  }

  Dice dice_;
  bool of_job_;
};

}  // namespace orrery::page::testing
