#include "formats/chakra/reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <array>
#include <filesystem>
#include <map>

#include "base/input.h"

namespace orrery::chakra {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 30;

/// What tells files apart without reading them: links to one file are one file.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

bool looks_like_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \n\r\t");
  return first != std::string_view::npos && bytes[first] == '{' && bytes.find("workload_graph") != std::string_view::npos;
}

Result<graph::Program> parse(std::string_view bytes, const std::string& path, Interner& strings) {
  return looks_like_json(bytes.substr(0, 4096)) ? parse_feeder_json(bytes, path, strings) : parse_protobuf(bytes, path, strings);
}

/// Programs read so far, found again by file and by content.
class ProgramShelf {
 public:
  explicit ProgramShelf(graph::Workload& workload) : workload_(workload) {}

  Result<std::uint32_t> take(const std::string& path) {
    const std::optional<FileIdentity> identity = identity_of(path);
    if (identity) {
      if (const auto known = by_file_.find(*identity); known != by_file_.end()) return known->second;
    }
    const Result<std::uint32_t> number = read(path);
    if (number && identity) by_file_.emplace(*identity, *number);
    return number;
  }

 private:
  Result<std::uint32_t> read(const std::string& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    std::string_view bytes = file->bytes();
    std::string inflated;
    if (detect_compression(bytes) != Compression::none) {
      Result<std::string> whole = read_whole_file(path, kMaxFileBytes);
      if (!whole) return whole.error();
      inflated = std::move(*whole);
      bytes = inflated;
    }
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    const std::pair<std::uint64_t, std::uint64_t> key{hash.low64, hash.high64};
    if (const auto known = by_content_.find(key); known != by_content_.end()) return known->second;
    Result<graph::Program> program = parse(bytes, path, workload_.strings);
    if (!program) return program.error();
    const auto number = static_cast<std::uint32_t>(workload_.programs.size());
    workload_.programs.push_back(std::move(*program));
    by_content_.emplace(key, number);
    return number;
  }

  graph::Workload& workload_;
  std::map<FileIdentity, std::uint32_t> by_file_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> by_content_;
};

}  // namespace

std::string program_path(const std::string& prefix, std::size_t rank) {
  static constexpr std::array<std::string_view, 4> kEndings = {"et", "et.gz", "et.zst", "json"};
  std::error_code ignored;
  for (const std::string_view ending : kEndings) {
    std::string path = fmt::format("{}.{}.{}", prefix, rank, ending);
    if (fs::exists(path, ignored)) return path;
  }
  return {};
}

std::size_t count_ranks(const std::string& prefix) {
  std::size_t count = 0;
  while (!program_path(prefix, count).empty()) ++count;
  return count;
}

Result<graph::Workload> read_files(std::span<const std::string> paths) {
  graph::Workload workload;
  ProgramShelf shelf(workload);
  for (const std::string& path : paths) {
    const Result<std::uint32_t> program = shelf.take(path);
    if (!program) return program.error();
    workload.program_of_rank.push_back(*program);
  }
  return workload;
}

Result<graph::Workload> read_workload(const std::string& prefix, std::size_t ranks) {
  std::vector<std::string> paths;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    paths.push_back(program_path(prefix, rank));
    if (paths.back().empty()) {
      return Error{fmt::format("there is no workload file for rank {} of {}", rank, ranks), fmt::format("{}.{}.et", prefix, rank),
                   Error::kNoOffset, "every rank needs PREFIX.RANK.et (also .et.gz, .et.zst or .json)"};
    }
  }
  return read_files(paths);
}

}  // namespace orrery::chakra
