#include "motif/patterns/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/io/file_content.h"
#include "base/numbers.h"

namespace orrery::motif {
namespace {

constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;

/// Takes blank-separated words off the front of a line.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

bool take_entry(std::string_view& line, std::uint64_t& number) { return parse_number(take_word(line), number); }

class MatrixReader {
 public:
  MatrixReader(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  Result<MatrixPlaces> read() {
    std::string_view line = next_line();
    const bool header =
        take_word(line) == "%%MatrixMarket" && take_word(line) == "matrix" && take_word(line) == "coordinate";
    if (!header) return fail("'%%MatrixMarket matrix coordinate ...' is wanted");
    take_word(line);  // the type of the values
    // Symmetric, skew-symmetric and hermitian matrices have one half only.
    const bool mirrored = take_word(line) != "general";
    do line = next_line();
    // Comments and empty lines before the sizes.
    while (!over_ && (line.starts_with('%') || line.find_first_not_of(" \t\r") == std::string_view::npos));
    std::uint64_t rows = 0, columns = 0, count = 0;
    if (!take_entry(line, rows) || !take_entry(line, columns) || !take_entry(line, count))
      return fail("rows, columns and entries are wanted");
    // An entry takes more than a byte: more of them than bytes are left cannot be.
    if (std::max(rows, columns) > (std::uint64_t{1} << 24) || count > rest_.size())
      return fail("more than the file can hold");
    MatrixPlaces matrix{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), {}};
    for (std::uint64_t i = 0; i < count; ++i) {
      line = next_line();
      std::uint64_t row = 0, column = 0;
      if (!take_entry(line, row) || !take_entry(line, column))
        return fail(fmt::format("entry {} of {} is wanted", i + 1, count));
      if (row < 1 || row > rows || column < 1 || column > columns) return fail("an entry outside the matrix");
      // The format counts from 1.
      matrix.places.emplace_back(row - 1, column - 1);
      if (mirrored) matrix.places.emplace_back(column - 1, row - 1);
    }
    // Entries may come in any order, and twice where a half is mirrored.
    std::sort(matrix.places.begin(), matrix.places.end());
    matrix.places.erase(std::unique(matrix.places.begin(), matrix.places.end()), matrix.places.end());
    return matrix;
  }

 private:
  std::string_view next_line() {
    over_ = rest_.empty();
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    ++line_;
    return line;
  }
  [[nodiscard]] Error fail(std::string_view wanted) const {
    return Error{.message = fmt::format("line {}: {}", line_, wanted), .file = path_};
  }

  std::string_view rest_;
  const std::string& path_;
  std::uint64_t line_ = 0;
  bool over_ = false;
};

}  // namespace

Result<MatrixPlaces> read_matrix_market(const std::string& path) {
  const auto text = read_whole_file(path, kMostFileBytes);
  if (!text) return text.error();
  return MatrixReader(*text, path).read();
}

}  // namespace orrery::motif
