// Feeds arbitrary bytes to the readers of GOAL schedules, text and binary. A schedule that is accepted can be written,
// and read again.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formats/goal/reader.h"
#include "formats/goal/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto require = [](bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  };
  const auto workload = orrery::goal::parse_workload({reinterpret_cast<const char*>(data), size}, "fuzz.goal");
  if (!workload) {
    require(workload.error().file == "fuzz.goal" && !workload.error().message.empty(), "an error without its file");
    return 0;
  }
  require(workload->rank_count() > 0, "no ranks");
  const auto text = orrery::goal::to_text(*workload);
  require(text.ok(), "cannot be written: " + (text.ok() ? "" : text.error().to_string()));
  const auto again = orrery::goal::parse_workload(*text, "again.goal");
  require(again.ok(), "its own text is refused: " + (again.ok() ? "" : again.error().to_string()) + "\n" + *text);
  require(*orrery::goal::to_text(*again) == *text, "the text of its own text differs:\n" + *text);
  return 0;
}
