// Dependencies point downwards only:
//
//     base -> report, trace, graph, machine -> workload -> match -> formats/*, align, link, simulate, generate, llm, motif -> job, analyze, scrub, api -> replay -> page, query -> cli -> python
//
// A file may include its own folder and any layer strictly below its own, never a folder beside it or above. Each format is a folder of its
// own, so that no format knows another. Inside a folder no include runs back up either: a header and its source are one unit, and what a unit
// includes must not, over any number of files, include it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"

namespace {

namespace fs = std::filesystem;

struct Folder {
  std::string_view name;
  int layer;
};

constexpr std::array kFolders = {
    Folder{"tracer", 0},  Folder{"base", 0},     Folder{"mpi_plugin", 1}, Folder{"trace", 1},   Folder{"graph", 1},
    Folder{"machine", 1}, Folder{"workload", 2}, Folder{"match", 3},      Folder{"formats", 4}, Folder{"align", 4},
    Folder{"link", 4},    Folder{"simulate", 4}, Folder{"generate", 4},   Folder{"llm", 4},     Folder{"motif", 4},
    Folder{"job", 5},     Folder{"analyze", 5},  Folder{"report", 1},     Folder{"api", 5},     Folder{"scrub", 5},
    Folder{"replay", 6},  Folder{"page", 6},     Folder{"query", 6},      Folder{"cli", 7},     Folder{"python", 8}};

// "formats/kineto" for formats/kineto/reader.h, "link" for link/hta/windows.h: the unit that dependencies are between.
std::string unit_of(std::string_view path) {
  const std::size_t first = path.find('/');
  const std::string_view folder = path.substr(0, first);
  if (folder != "formats" || first == std::string_view::npos) return std::string(folder);
  // formats/format.h is what every format has in common: a unit of its own, below them.
  if (path.find('/', first + 1) == std::string_view::npos) return std::string(folder);
  return std::string(path.substr(0, path.find('/', first + 1)));
}

std::optional<int> layer_of(std::string_view unit) {
  const std::string_view folder = unit.substr(0, unit.find('/'));
  for (const Folder& known : kFolders) {
    if (known.name == folder) return known.layer;
  }
  return std::nullopt;
}

// What is wrong with `included` in `file` (both relative to src/); empty when nothing is.
std::string complaint(std::string_view file, std::string_view included) {
  const std::string from = unit_of(file), to = unit_of(included);
  const std::string what = std::string(file) + " includes \"" + std::string(included) + "\": ";
  const auto from_layer = layer_of(from), to_layer = layer_of(to);
  if (!from_layer) return what + "the folder " + from + " has no layer; add it to this test and to the design";
  if (included.find('/') == std::string_view::npos || !to_layer) return what + "write it as \"folder/file.h\" from src/";
  if (from == to || *to_layer < *from_layer) return {};
  if (to == "formats" && from.starts_with("formats/")) return {};
  return what + (*to_layer == *from_layer ? "beside its own folder" : "above its own layer");
}

// The text between the quotes of an #include "..." line.
std::optional<std::string_view> quoted_include(std::string_view line) {
  const auto skip = [&](std::string_view token) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return std::nullopt;
  return line.substr(0, line.find('"'));
}

// "link/moments" for link/moments.h and link/moments.cc: what is written and read together.
std::string pair_of(const std::string& file) { return file.substr(0, file.rfind('.')); }

using Includes = std::map<std::string, std::set<std::string>>;  // pair -> pairs it includes

void add_includes(const fs::path& file, const fs::path& src, Includes& includes) {
  std::ifstream text(file);
  const std::string from = pair_of(fs::relative(file, src).generic_string());
  for (std::string line; std::getline(text, line);) {
    const auto included = quoted_include(line);
    if (!included) continue;
    const std::string to = pair_of(std::string(*included));
    if (to != from) includes[from].insert(to);
  }
}

// Circles of includes, each once, as "a -> b -> a", from the one that comes first in the alphabet.
class CircleSearch {
 public:
  explicit CircleSearch(const Includes& includes) : includes_(includes) {
    for (const auto& [pair, to] : includes_) visit(pair);
  }
  std::set<std::string> found;

 private:
  void visit(const std::string& pair) {
    if (done_.contains(pair)) return;
    if (const auto at = std::find(open_.begin(), open_.end(), pair); at != open_.end()) return tell({at, open_.end()});
    open_.push_back(pair);
    if (const auto to = includes_.find(pair); to != includes_.end()) {
      for (const std::string& next : to->second) visit(next);
    }
    open_.pop_back();
    done_.insert(pair);
  }

  void tell(std::vector<std::string> circle) {
    std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
    std::string text;
    for (const std::string& pair : circle) text += pair + " -> ";
    found.insert(text + circle.front());
  }

  const Includes& includes_;
  std::vector<std::string> open_;
  std::set<std::string> done_;
};

std::vector<std::string> complaints_about(const fs::path& file, const fs::path& src) {
  std::vector<std::string> complaints;
  std::ifstream text(file);
  const std::string name = fs::relative(file, src).generic_string();
  for (std::string line; std::getline(text, line);) {
    const auto included = quoted_include(line);
    if (!included) continue;
    if (std::string problem = complaint(name, *included); !problem.empty()) complaints.push_back(std::move(problem));
  }
  return complaints;
}

}  // namespace

TEST_CASE("no file of src/ includes upwards or sideways") {
  const fs::path src = fs::path(ORRERY_SOURCE_DIR) / "src";
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    ++files;
    for (const std::string& problem : complaints_about(entry.path(), src)) FAIL_CHECK(problem);
  }
  CHECK(files > 20);  // the right folder was searched
}

TEST_CASE("no include runs back up inside a folder") {
  const fs::path src = fs::path(ORRERY_SOURCE_DIR) / "src";
  Includes includes;
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc") add_includes(entry.path(), src, includes);
  }
  CHECK(includes.size() > 20);
  for (const std::string& circle : CircleSearch(includes).found) FAIL_CHECK(circle);
}

TEST_CASE("the checker finds circles of includes, over any number of files, and takes a header and its source for one") {
  const orrery::testing::TempDir src;
  Includes includes;
  const auto add = [&](const char* name, const char* text) { add_includes(src.write(name, text), src.path(), includes); };
  add("link/a.h", "#include \"link/b.h\"\n");
  add("link/b.h", "#include \"base/c.h\"\n");
  add("link/d.cc", "#include \"link/d.h\"\n#include \"link/a.h\"\n");
  CHECK(CircleSearch(includes).found.empty());
  add("link/b.cc", "#include \"link/e.h\"\n");
  add("link/e.h", "#include \"link/a.h\"\n");
  CHECK(CircleSearch(includes).found == std::set<std::string>{"link/a -> link/b -> link/e -> link/a"});
}

TEST_CASE("the checker accepts what the design allows") {
  CHECK(complaint("base/input.cc", "base/input.h") == "");
  CHECK(complaint("trace/trace.h", "base/column.h") == "");
  CHECK(complaint("workload/workload.h", "graph/graph.h") == "");
  CHECK(complaint("link/build.cc", "graph/graph.h") == "");
  CHECK(complaint("simulate/engine/run.h", "workload/workload.h") == "");
  CHECK(complaint("match/exchange.cc", "trace/trace.h") == "");
  CHECK(complaint("align/gather.cc", "match/exchange.h") == "");
  CHECK(complaint("link/hta/windows.cc", "link/build.h") == "");
  CHECK(complaint("formats/kineto/reader.cc", "formats/kineto/document.h") == "");
  CHECK(complaint("analyze/path.cc", "link/build.h") == "");
  CHECK(complaint("analyze/path.cc", "formats/kineto/reader.h") == "");
  CHECK(complaint("cli/verb_path.cc", "analyze/path.h") == "");
}

TEST_CASE("the checker rejects what the design forbids") {
  CHECK(complaint("base/input.cc", "trace/trace.h") == "base/input.cc includes \"trace/trace.h\": above its own layer");
  CHECK(complaint("trace/trace.h", "graph/graph.h") == "trace/trace.h includes \"graph/graph.h\": beside its own folder");
  CHECK(complaint("trace/trace.h", "machine/machine.h") != "");
  CHECK(complaint("graph/graph.h", "workload/workload.h") != "");
  CHECK(complaint("workload/workload.h", "formats/chakra/reader.h") != "");
  CHECK(complaint("formats/kineto/reader.cc", "formats/chakra/wire.h") ==
        "formats/kineto/reader.cc includes \"formats/chakra/wire.h\": beside its own folder");
  CHECK(complaint("link/build.cc", "formats/kineto/reader.h") != "");
  CHECK(complaint("match/exchange.cc", "align/causality.h") != "");
  CHECK(complaint("simulate/engine.cc", "link/build.h") != "");
  CHECK(complaint("report/table.cc", "analyze/path.h") != "");
  CHECK(complaint("analyze/path.cc", "cli/invocation.h") != "");
  CHECK(complaint("cli/main.cc", "run.h") != "");
  CHECK(complaint("cli/main.cc", "nowhere/run.h") != "");
  CHECK(complaint("stray/x.cc", "base/input.h") != "");
}

TEST_CASE("the checker reads include lines, and finds a bad one in a file") {
  CHECK(quoted_include("#include \"base/input.h\"") == "base/input.h");
  CHECK(quoted_include("  #  include \"base/input.h\"  // why") == "base/input.h");
  CHECK_FALSE(quoted_include("#include <vector>"));
  CHECK_FALSE(quoted_include("// #include \"cli/run.h\""));

  const orrery::testing::TempDir src;
  const std::string bad = src.write("base/bad.h", "#pragma once\n#include <string>\n#include \"base/good.h\"\n#include \"cli/run.h\"\n");
  const std::vector<std::string> complaints = complaints_about(bad, src.path());
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0] == "base/bad.h includes \"cli/run.h\": above its own layer");
}
