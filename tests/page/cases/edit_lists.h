// Edits that are asked of real recordings, and texts that are parsed.
#pragma once

#include <string>
#include <vector>

namespace orrery::page::testing {

/// Of one rank: every sort of docs/WHATIF.md, and factors that reach the rounding.
inline std::vector<std::vector<std::string>> edits_of_steps() {
  return {{"op * 0.5"}, {"cpu * 0.8"}, {"kernel * 0.25"}, {"gap:launch = 0"}, {"all * 0.37"}, {"op:aten::* * 0.333"}, {"op:\"aten::mm\" remove"}, {"kernel:/gemm|nvjet/ * 0.5"},
          {"runtime + 1us"}, {"gap - 500ns"}, {"cpu in *backward* * 0.9"}, {"gpu stream 7 * 3"}, {"gap:sync = 2.5us", "untraced * 0.1"}, {"op * 0.01", "runtime * 0.01", "gap = 0"},
          {"kernel device 0 * 7.77"}, {"all remove"}, {"op * 0.3333333"}, {"all * 0.0005"}, {"cpu * 0.1234567", "gap * 1.0000005"}, {"cpu * 1.35", "op:aten::copy_ * 0"},
          {"kernel:/gemm/ * 0.5"}, {"op:aten::copy_ remove"}, {"comm * 2"}, {"kernel in \"*backward*\" * 0.9"}, {"comm stream 20 device 1 remove"}, {"gap:sync + 5us"}, {"rank:3 kernel * 1.3"},
          {"rank:0 step:3 op + 5us"}, {"step:2 cpu * 0.5"}, {"step:3-4 all * 0.3333333"}, {"profiler remove"}, {"profiler remove", "cpu * 0.5"}, {"op * 3", "profiler remove"}, {"untraced:\"\" * 0"},
          {"all stream -1 * 0.5"}, {"gap:idle = 0", "gap:handoff remove"}, {"loading * 2"}, {"copy = 1us", "set = 1us"}, {"python * 0.5"}, {"cpu in \"## forward ##\" remove"},
          {"cpu in /^## (for|back)ward ##$/ * 0.77777"}, {"rank:3 delay 4ms"}, {"group:dp* collective:all_reduce * 0.5"}, {"network bandwidth * 2"}, {"kernel:/(?i)GEMM/ * 0.5"}, {"all * 1e9"}};
}

/// Of jobs besides: scopes, exchanges, delays and failures.
inline std::vector<std::vector<std::string>> edits_of_jobs() {
  std::vector<std::vector<std::string>> edits = edits_of_steps();
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"rank:1 kernel * 1.3"}, {"rank:0-3,7 step:2 op + 5us"}, {"rank:0-1 cpu * 2", "rank:2 untraced remove"}, {"group:* collective * 0.3333333"}, {"collective:all_reduce * 0.5"}, {"p2p * 2"},
           {"group:\"\" comm * 0.5"}, {"collective:/reduce|gather/ + 3us"}, {"rank:1 delay 4ms"}, {"delay 100us"}, {"step:1-3 delay 77us", "cpu * 0.25"}, {"rank:2 fails at 2ms restart 30ms"},
           {"fails at 100us restart 1ms"}, {"rank:0 fails at 1ms restart 2ms", "rank:1 fails at 500us restart 1ms"}, {"rank:0 fails at 1ms restart 2ms", "rank:0 fails at 2ms restart 5ms", "comm * 0.1"},
           {"rank:1 fails at 3ms restart 4ms from step:1"}, {"fails at 1ms restart 1s from step:2", "cpu * 1.5"}, {"fails at 900s restart 1s"}, {"rank:77 op * 2"}, {"rank:0,77 op * 2"}, {"step:99 cpu * 2"},
           {"rank:1 fails at 0 restart 3ms"}, {"rank:0 fails at 1ms restart 1ms from step:99"}})
    edits.push_back(more);
  return edits;
}

inline std::vector<std::string> edits_to_parse() {
  return {"", " ", "op", "op ", "op *", "op * ", "op * x", "op * -1", "op * -0", "op*0.5", "op * 0.5.5", "op * 1e", "op * 1e400", "op * .5", "op * 5.", "op * .", "op * +1", "op * inf", "op * nan", "op * 0x10", "op = 5", "op = 5 us",
          "op = 5us ", "op = 0", "op = 0 0", "op = 5min", "op = 1e30s", "op + -3us", "op / 2", "op ^", "opp * 2", "OP * 2", "op:", "op: * 2", "op:a", "op:a*2", "op:\"a\"*2", "op:\"a", "op:/a", "op:/a/*2", "op:/a\\/b/ * 2", "op:/a\\\\/b/ * 2",
          "op:/(/ * 2", "gap:lunch = 0", "gap: = 0", "gap:launch", "gap:launch=0", "kernel stream * 2", "kernel stream x * 2", "kernel stream 7* 2", "kernel stream -1 * 2", "kernel stream 99999999999999999999 * 2", "kernel in * 2", "kernel in",
          "kernel in x remove", "kernel inn x * 2", "kernel remove 3", "kernel removed", "kernel rem", "rank:", "rank: op * 2", "rank:x op * 2", "rank:1,op * 2", "rank:1op * 2", "rank:1-", "rank:3-1 op * 2", "rank:1 rank:2 op * 2", "rank:1",
          "rank:99999999999999999999 op * 2", "group:", "group:a group:b op * 2", "step:1 step:2 op * 2", "rank:1 profiler remove", "group:a profiler remove", "profiler", "profiler delete", "profiler remove x", "group:a delay 3ms", "delay",
          "delay 3", "delay 3ms x", "rank:1 step:2 delay 3ms", "fails", "fails at", "fails at 3", "fails at 3s", "fails at 3s restart", "fails at 0 restart 0", "fails at 0 restart 3s from", "fails at 1s restart 3s from step", "fails at 1s restart 3s from step:",
          "fails at 1s restart 3s from step:x", "fails at 1s restart 3s from step:3", "fails at 1s restart 3s from step:3 x", "step:1 fails at 1s restart 1s", "group:a fails at 1s restart 1s", "network", "network speed * 2", "network bandwidth", "network bandwidth * 0",
          "network bandwidth * 2", "network bandwidth + 2", "network bandwidth = 5", "network bandwidth = 5 GB/s", "network bandwidth = 0 GB/s", "network latency = 1us", "network latency * 2 3", "link", "link:", "link:a", "link:\"a -> b\" bandwidth * 2", "rank:1 network bandwidth * 2",
          "collective", "collective:all_* * 2", "collective:", "p2p * 2", "p2p:x * 2", "p2 * 2", "2p * 2", "\xCE\xB1 * 2", "op:\xCE\xB1 x", "op:/\xCE\xB1(/ * 2", "op:\"\" * 2", "cpu\t* 2", "all * 2;", "op * 0.5 # half"};
}

}  // namespace orrery::page::testing
