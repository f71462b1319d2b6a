// Formats numbers and table rows for the panels.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

/// "69,666".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "1.4 MB".
[[nodiscard]] std::string byte_text(std::uint64_t bytes);
/// Draws a table row: a dimmed name and its value, in as many lines as it needs, with a tooltip.
/// Call between begin_rows() and end_rows().
void row(const char* name, const std::string& value, const std::string& tooltip = "");
/// Begins rows; returns whether there is space for them. Call end_rows() only in that case.
/// `names`: fraction of the width for the names, which wrap; 0: as much as short ones need.
[[nodiscard]] bool begin_rows(const char* id, float names = 0);
void end_rows();

}  // namespace tl
