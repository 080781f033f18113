// Feeds arbitrary bytes to the reader of motif files. A motif that is accepted says nothing negative of any run, and
// its text reads back.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "motif/motif_yaml.h"
#include "motif/predict.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery::motif;
  const auto motif = parse_motif({reinterpret_cast<const char*>(data), size}, "fuzzed");
  if (!motif) return 0;
  if (!parse_motif(to_yaml(*motif), "written")) std::abort();
  for (const double nodes : {1.0, 9.0, 4096.0}) {
    const Prediction prediction = predict(*motif, {.nodes = nodes, .size = 20});
    if (!(prediction.total_us >= 0) || !(prediction.calls >= 0)) std::abort();
    for (const TransitionUse& use : prediction.transitions) {
      if (!(use.time_us >= 0) || !(use.times >= 0) || !(use.compute_us >= 0)) std::abort();
    }
  }
  return 0;
}
