#include "link/edge_pieces.h"

#include <cassert>
#include <limits>
#include <utility>

namespace orrery::link {

std::uint32_t EdgePieces::add(std::span<const Piece> pieces) {
  char text[20];
  std::uint32_t before = 0;
  for (const Piece& piece : pieces) {
    assert(piece.work < classes.size());
    const char* const end = put_varint(put_varint(text, piece.work - before), zigzag(piece.time));
    bytes_.append({text, end});
    before = piece.work;
  }
  assert(bytes_.size() <= std::numeric_limits<std::uint32_t>::max());
  first_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  return static_cast<std::uint32_t>(size() - 1);
}

void EdgePieces::shrink_to_fit() {
  classes.shrink_to_fit();
  totals.shrink_to_fit();
  first_.shrink_to_fit();
  bytes_.shrink_to_fit();
}

bool EdgePieces::assign(Column<WorkClass> new_classes, Column<TimePs> new_totals, Column<std::uint32_t> firsts, Column<char> bytes) {
  if (firsts.empty() || firsts[0] != 0 || firsts.back() != bytes.size() || new_totals.size() != new_classes.size()) return false;
  for (std::size_t list = 0; list + 1 < firsts.size(); ++list) {
    if (firsts[list] > firsts[list + 1] || firsts[list + 1] > bytes.size()) return false;
    const char* at = bytes.data() + firsts[list];
    const char* const end = bytes.data() + firsts[list + 1];
    std::uint64_t work = 0;
    while (at != end) {
      std::uint64_t step = 0, time = 0;
      if (!take_varint(at, end, step) || !take_varint(at, end, time) || step >= new_classes.size()) return false;
      if ((work += step) >= new_classes.size()) return false;
    }
  }
  classes = std::move(new_classes);
  totals = std::move(new_totals);
  first_ = std::move(firsts);
  bytes_ = std::move(bytes);
  return true;
}

}  // namespace orrery::link
