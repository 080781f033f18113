// Links between documents lead to files and headings that there are.
#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace documents {

namespace fs = std::filesystem;

struct Page {
  std::set<std::string> anchors;   ///< of its headings
  std::vector<std::string> links;  ///< what stands in brackets behind [text], other sites left out
};

/// "## On GPUs: `replay`" is linked to as on-gpus-replay: lower case, blanks as hyphens, punctuation left out.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    else if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80)
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

void add_links(std::string_view line, Page& page) {
  for (std::size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 2)) {
    const std::string_view target = line.substr(at + 2, line.find(')', at) - at - 2);
    if (!target.starts_with("http") && target.find(' ') == std::string_view::npos) page.links.emplace_back(target);
  }
}

Page read_page(const fs::path& path) {
  Page page;
  std::ifstream file(path);
  bool is_code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) is_code = !is_code;
    if (is_code || line.starts_with("    ")) continue;
    if (line.starts_with("#")) page.anchors.insert(anchor_of(line.substr(line.find_first_not_of("# "))));
    add_links(line, page);
  }
  return page;
}

std::vector<fs::path> pages_of(const fs::path& root) {
  std::vector<fs::path> pages = {root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md",
                                 root / "data/README.md"};
  for (const char* folder : {"docs", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  return pages;
}

}  // namespace documents

}  // namespace

TEST_CASE("links between documents lead somewhere") {
  const std::filesystem::path root = ORRERY_SOURCE_DIR;
  std::size_t links = 0;
  for (const std::filesystem::path& path : documents::pages_of(root)) {
    for (const std::string& link : documents::read_page(path).links) {
      ++links;
      INFO(path.lexically_relative(root).string(), " links to ", link);
      const std::string file = link.substr(0, link.find('#'));
      const std::filesystem::path target = file.empty() ? path : path.parent_path() / file;
      CHECK(std::filesystem::exists(target));
      if (file.size() == link.size() || target.extension() != ".md") continue;
      CHECK(documents::read_page(target).anchors.count(link.substr(link.find('#') + 1)) == 1);
    }
  }
  CHECK(links > 100);  // the right folders were searched
}

TEST_CASE("headings become anchors as they do on GitHub") {
  CHECK(documents::anchor_of("On GPUs: `replay --emit torch`") == "on-gpus-replay---emit-torch");
  CHECK(documents::anchor_of("Edits: `--edit EDIT`") == "edits---edit-edit");
}
