#include "report/table.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "report/text_width.h"

namespace orrery::report {
namespace {

constexpr std::string_view kGap = "  ";

}  // namespace

void Table::add_row(std::vector<std::string> cells, Tone tone) {
  assert(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), tone});
}

void Table::add_rule() { rows_.push_back({.cells = {}, .rule = true}); }

std::vector<std::size_t> Table::layout(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].title);
    for (const Row& row : rows_) {
      if (!row.rule) widest = std::max(widest, display_width(row.cells[c]));
    }
    widths.push_back(widest);
  }
  std::size_t total = columns_.empty() ? 0 : kGap.size() * (columns_.size() - 1);
  for (const std::size_t w : widths) total += w;
  // One column at a time from the widest (the first of equals): the result is as even as it can be.
  for (; total > width; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool may_shrink = columns_[c].align == Align::left && widths[c] > std::max(kMinColumns, display_width(columns_[c].title));
      if (may_shrink && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) text += kGap;
    const std::string cell = truncate_middle(cells[c], widths[c]);
    text += columns_[c].align == Align::right ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string Table::render(std::size_t width, const Style& style, std::size_t indent) const {
  const std::vector<std::size_t> widths = layout(width > indent ? width - indent : 0);
  const std::string margin(indent, ' ');
  std::vector<std::string> titles, dashes;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    dashes.emplace_back(widths[c], '-');
  }
  const std::string rule = margin + style.paint(Tone::faint, line(dashes, widths)) + "\n";
  std::string text = margin + style.paint(Tone::strong, line(titles, widths)) + "\n" + rule;
  for (const Row& row : rows_) text += row.rule ? rule : margin + style.paint(row.tone, line(row.cells, widths)) + "\n";
  return text;
}

}  // namespace orrery::report
