// Dependencies point downwards only, in the order of src/layers.txt. Inside a folder no include runs back up either: a
// header and its source are one unit, and what a unit includes must not, over any number of files, include it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"

namespace {

namespace fs = std::filesystem;

/// By folder, from src/layers.txt.
const std::map<std::string, int, std::less<>>& layers() {
  static const auto read = [] {
    std::map<std::string, int, std::less<>> result;
    std::ifstream text(fs::path(ORRERY_SOURCE_DIR) / "src" / "layers.txt");
    int layer = 0;
    for (std::string line; std::getline(text, line);) {
      if (line.empty() || line.front() == '#') continue;
      std::istringstream folders(line);
      for (std::string folder; folders >> folder;) result.emplace(folder, layer);
      ++layer;
    }
    return result;
  }();
  return read;
}

// "formats/kineto" for formats/kineto/reader.h, "causal" for causal/hta/windows.h: the unit that dependencies are
// between.
std::string unit_of(std::string_view path) {
  const std::size_t first = path.find('/');
  const std::string_view folder = path.substr(0, first);
  if (folder != "formats" || first == std::string_view::npos) return std::string(folder);
  // formats/format.h is what every format has in common: a unit of its own, below them.
  if (path.find('/', first + 1) == std::string_view::npos) return std::string(folder);
  return std::string(path.substr(0, path.find('/', first + 1)));
}

std::optional<int> layer_of(std::string_view unit) {
  const auto known = layers().find(unit.substr(0, unit.find('/')));
  return known == layers().end() ? std::nullopt : std::optional(known->second);
}

// What is wrong with `included` in `file` (both relative to src/); empty when nothing is.
std::string complaint(std::string_view file, std::string_view included) {
  const std::string from = unit_of(file), to = unit_of(included);
  const std::string what = std::string(file) + " includes \"" + std::string(included) + "\": ";
  const auto from_layer = layer_of(from), to_layer = layer_of(to);
  if (!from_layer) return what + "the folder " + from + " has no layer; add it to src/layers.txt";
  if (included.find('/') == std::string_view::npos || !to_layer)
    return what + "write it as \"folder/file.h\" from src/";
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

// "causal/moments" for causal/moments.h and causal/moments.cc: what is written and read together.
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

TEST_CASE("every folder of src/ has a layer, and the architecture shows the same order") {
  const fs::path source = ORRERY_SOURCE_DIR;
  for (const auto& entry : fs::directory_iterator(source / "src")) {
    if (entry.is_directory())
      CHECK_MESSAGE(layer_of(entry.path().filename().string()), entry.path().filename().string());
  }
  std::ifstream architecture(source / "docs" / "ARCHITECTURE.md");
  std::map<int, std::string> shown;  // rows of the table, by layer
  for (std::string line; std::getline(architecture, line);) {
    for (int layer = 0; layer < 10; ++layer) {
      if (line.starts_with("| " + std::to_string(layer) + " |")) shown[layer] = line;
    }
  }
  for (const auto& [folder, layer] : layers())
    CHECK_MESSAGE(shown[layer].find("`" + folder + "/") != std::string::npos, folder, " in layer ", layer);
}

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

TEST_CASE("a rule that has a home is not written again elsewhere") {
  struct Home {
    std::string_view text, file;
  };
  constexpr Home kHomes[] = {
      {"from_chars(", "base/numbers.h"}, {"nth_element(", "base/statistics.h"}, {"1.4826", "base/statistics.h"}};
  const fs::path src = fs::path(ORRERY_SOURCE_DIR) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(src)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    const std::string name = fs::relative(entry.path(), src).generic_string();
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      for (const Home& home : kHomes) {
        if (line.find(home.text) != std::string::npos && name != home.file)
          FAIL_CHECK(name << " has \"" << home.text << "\", which is the business of " << home.file);
      }
    }
  }
}

TEST_CASE(
    "the checker finds circles of includes, over any number of files, and takes a header and its source for one") {
  const orrery::testing::TempDir src;
  Includes includes;
  const auto add = [&](const char* name, const char* text) {
    add_includes(src.write(name, text), src.path(), includes);
  };
  add("causal/a.h", "#include \"causal/b.h\"\n");
  add("causal/b.h", "#include \"base/c.h\"\n");
  add("causal/d.cc", "#include \"causal/d.h\"\n#include \"causal/a.h\"\n");
  CHECK(CircleSearch(includes).found.empty());
  add("causal/b.cc", "#include \"causal/e.h\"\n");
  add("causal/e.h", "#include \"causal/a.h\"\n");
  CHECK(CircleSearch(includes).found == std::set<std::string>{"causal/a -> causal/b -> causal/e -> causal/a"});
}

TEST_CASE("the checker accepts what the design allows") {
  CHECK(complaint("base/io/input.cc", "base/io/input.h") == "");
  CHECK(complaint("trace/trace.h", "base/column.h") == "");
  CHECK(complaint("workload/workload.h", "graph/graph.h") == "");
  CHECK(complaint("causal/build.cc", "graph/graph.h") == "");
  CHECK(complaint("simulate/engine/run.h", "workload/workload.h") == "");
  CHECK(complaint("match/exchange.cc", "trace/trace.h") == "");
  CHECK(complaint("align/gather.cc", "match/exchange.h") == "");
  CHECK(complaint("causal/hta/windows.cc", "causal/build.h") == "");
  CHECK(complaint("formats/kineto/reader.cc", "formats/kineto/document.h") == "");
  CHECK(complaint("analyze/path.cc", "causal/build.h") == "");
  CHECK(complaint("analyze/path.cc", "formats/kineto/reader.h") == "");
  CHECK(complaint("cli/verbs/verb_path.cc", "analyze/path.h") == "");
}

TEST_CASE("the checker rejects what the design forbids") {
  CHECK(complaint("base/io/input.cc", "trace/trace.h") ==
        "base/io/input.cc includes \"trace/trace.h\": above its own layer");
  CHECK(complaint("trace/trace.h", "graph/graph.h") ==
        "trace/trace.h includes \"graph/graph.h\": beside its own folder");
  CHECK(complaint("trace/trace.h", "machine/machine.h") != "");
  CHECK(complaint("graph/graph.h", "workload/workload.h") != "");
  CHECK(complaint("workload/workload.h", "formats/chakra/reader.h") != "");
  CHECK(complaint("formats/kineto/reader.cc", "formats/chakra/wire.h") ==
        "formats/kineto/reader.cc includes \"formats/chakra/wire.h\": beside its own folder");
  CHECK(complaint("causal/build.cc", "formats/kineto/reader.h") != "");
  CHECK(complaint("match/exchange.cc", "align/causality.h") != "");
  CHECK(complaint("simulate/engine.cc", "causal/build.h") != "");
  CHECK(complaint("report/sheet_text.cc", "analyze/path.h") != "");
  CHECK(complaint("analyze/path.cc", "cli/frame/invocation.h") != "");
  CHECK(complaint("cli/frame/main.cc", "run.h") != "");
  CHECK(complaint("cli/frame/main.cc", "nowhere/run.h") != "");
  CHECK(complaint("stray/x.cc", "base/io/input.h") != "");
}

TEST_CASE("the checker reads include lines, and finds a bad one in a file") {
  CHECK(quoted_include("#include \"base/io/input.h\"") == "base/io/input.h");
  CHECK(quoted_include("  #  include \"base/io/input.h\"  // why") == "base/io/input.h");
  CHECK_FALSE(quoted_include("#include <vector>"));
  CHECK_FALSE(quoted_include("// #include \"cli/frame/run.h\""));

  const orrery::testing::TempDir src;
  const std::string bad = src.write(
      "base/bad.h", "#pragma once\n#include <string>\n#include \"base/good.h\"\n#include \"cli/frame/run.h\"\n");
  const std::vector<std::string> complaints = complaints_about(bad, src.path());
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0] == "base/bad.h includes \"cli/frame/run.h\": above its own layer");
}
