// Feeds arbitrary bytes to the reader of machine descriptions. A machine that is accepted has no violation and comes back from its own text.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "machine/machine_yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery::machine;
  const auto require = [](bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  };
  const auto machine = parse_machine({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!machine) {
    require(machine.error().file == "fuzz.yaml" && !machine.error().message.empty(), "an error without its file");
    return 0;
  }
  require(!find_violation(*machine).has_value(), "accepted with a violation");
  const std::string yaml = to_yaml(*machine);
  const auto again = parse_machine(yaml, "again.yaml");
  require(again.ok(), "its own text is refused: " + (again.ok() ? "" : again.error().to_string()) + "\n" + yaml);
  require(*again == *machine, "its own text gives another machine:\n" + yaml);
  require(to_yaml(*again) == yaml, "the text of its own text differs:\n" + yaml);
  return 0;
}
