// Feeds arbitrary bytes to the reader of ISB-BFS model files, as both contents, polynomials or not. What is accepted
// reads back from its own text, and becomes an observed run.
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/isb_bfs/model_file.h"
#include "job/shipped/isb_bfs_run.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery::isb_bfs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Content content : {Content::exec, Content::msg}) {
    for (const std::string name : {"models", "poly"}) {
      const auto file = parse_model_file(text, name, content);
      if (!file) continue;
      const auto again = parse_model_file(to_text(*file), name, content);
      if (!again || !(*again == *file)) std::abort();
      for (const Model& model : file->models) evaluate_scaled(*file, model, 9, 20, 3);
      orrery::job::observed_run(*file, *file, 1);
    }
  }
  return 0;
}
