// The section *Language models* of docs/ACCURACY.md, made of back-tests: generated, never typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/backtest.h"
#include "llm/backtest/rows.h"

namespace orrery::llm {

/// The section as Markdown, from its title to an empty line behind it. Data sets are in the order of their names, so
/// that neither the order of tables nor that of rows matters.
std::string accuracy_section(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions);

/// `document` with the section in place of the one of the same title, at its end if there is none. Everything else
/// stays as it is.
std::string with_section(std::string_view document, std::string_view section);

}  // namespace orrery::llm
