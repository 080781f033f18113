#include "causal/reduce/edge_pieces.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <vector>

namespace orrery::causal {
namespace {

/// Calls visit(number of the class, TimePs) for a list of a file; false if it cannot be read or has other classes than
/// those.
template <typename Visit>
bool for_each_filed(const EdgePieces::Filed& filed, std::size_t list, Visit&& visit) {
  if (filed.firsts[list] > filed.firsts[list + 1] || filed.firsts[list + 1] > filed.bytes.size()) return false;
  const char* at = filed.bytes.data() + filed.firsts[list];
  const char* const end = filed.bytes.data() + filed.firsts[list + 1];
  std::uint64_t work = 0;
  while (at != end) {
    std::uint64_t step = 0, time = 0;
    if (!take_varint(at, end, step) || !take_varint(at, end, time) || step >= filed.classes.size()) return false;
    if ((work += step) >= filed.classes.size()) return false;
    visit(static_cast<std::uint32_t>(work), unzigzag(time));
  }
  return true;
}

void append_list(std::span<const EdgePieces::Piece> pieces, TimePs unit, Column<std::uint32_t>& firsts,
                 Column<char>& bytes) {
  char text[20];
  std::uint32_t before = 0;
  for (const EdgePieces::Piece& piece : pieces) {
    assert(piece.time % unit == 0);
    const char* const end = put_varint(put_varint(text, piece.work - before), zigzag(piece.time / unit));
    bytes.append({text, end});
    before = piece.work;
  }
  assert(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  firsts.push_back(static_cast<std::uint32_t>(bytes.size()));
}

}  // namespace

void EdgePieces::set_totals(std::span<const TimePs> totals, bool whole_ns) {
  assert(totals.size() == classes_.size());
  unit_ = whole_ns ? kPsPerNs : 1;
  char text[10];
  for (const TimePs total : totals) {
    assert(total % unit_ == 0);
    totals_.append({text, put_varint(text, zigzag(total / unit_))});
  }
}

std::uint32_t EdgePieces::add(std::span<const Piece> pieces) {
  append_list(pieces, unit_, first_, bytes_);
  return static_cast<std::uint32_t>(size() - 1);
}

void EdgePieces::shrink_to_fit() {
  families_.shrink_to_fit();
  classes_.shrink_to_fit();
  totals_.shrink_to_fit();
  first_.shrink_to_fit();
  bytes_.shrink_to_fit();
}

std::size_t EdgePieces::memory_bytes() const {
  return families_.memory_bytes() + classes_.memory_bytes() + totals_.memory_bytes() + first_.memory_bytes() +
         bytes_.memory_bytes();
}

EdgePieces::Filed EdgePieces::filed() const {
  Filed filed;
  for_each_total([&](const WorkClass& work, TimePs total) {
    filed.classes.push_back(work);
    filed.totals.push_back(total);
  });
  std::vector<Piece> pieces;
  for (std::size_t list = 0; list < size(); ++list) {
    pieces.clear();
    const char* at = bytes_.data() + first_[list];
    const char* const end = bytes_.data() + first_[list + 1];
    std::uint32_t work = 0;
    for (std::uint64_t step = 0, time = 0; take_varint(at, end, step) && take_varint(at, end, time);)
      pieces.push_back({work += static_cast<std::uint32_t>(step), unzigzag(time) * unit_});
    append_list(pieces, 1, filed.firsts, filed.bytes);
  }
  return filed;
}

bool EdgePieces::assign(const Filed& filed) {
  if (filed.firsts.empty() || filed.firsts[0] != 0 || filed.firsts.back() != filed.bytes.size()) return false;
  if (filed.totals.size() != filed.classes.size()) return false;
  const auto is_whole = [](TimePs time) { return time % kPsPerNs == 0; };
  bool whole_ns = std::all_of(filed.totals.begin(), filed.totals.end(), is_whole);
  for (std::size_t list = 0; list + 1 < filed.firsts.size(); ++list) {
    if (!for_each_filed(filed, list, [&](std::uint32_t, TimePs time) { whole_ns &= is_whole(time); })) return false;
  }
  EdgePieces read;
  std::map<WorkFamily, std::uint32_t> families;
  for (const WorkClass& work : filed.classes) {
    const WorkFamily family{work.kind, work.name, work.class_name};
    const auto [at, is_new] = families.try_emplace(family, static_cast<std::uint32_t>(families.size()));
    if (is_new) read.add_family(family);
    read.add_class(at->second, work.step);
  }
  read.set_totals(filed.totals, whole_ns);
  std::vector<Piece> pieces;
  for (std::size_t list = 0; list + 1 < filed.firsts.size(); ++list) {
    pieces.clear();
    for_each_filed(filed, list, [&](std::uint32_t work, TimePs time) { pieces.push_back({work, time}); });
    read.add(pieces);
  }
  read.shrink_to_fit();
  *this = std::move(read);
  return true;
}

}  // namespace orrery::causal
