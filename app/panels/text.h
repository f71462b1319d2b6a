// How panels write numbers and rows.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

/// "69,666".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "1.4 MB".
[[nodiscard]] std::string byte_text(std::uint64_t bytes);
/// A table row: a name, dimmed, and its value, which is cut at the panel's edge; the tooltip has
/// all of it, or what is given for it. Between begin_rows() and end_rows().
void row(const char* name, const std::string& value, const std::string& tooltip = "");
/// True when there is room for rows: call end_rows() then only.
[[nodiscard]] bool begin_rows(const char* id);
void end_rows();

}  // namespace tl
