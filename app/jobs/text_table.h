// Tables for people: aligned columns, whose titles name the units, and numbers of three digits.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tl {

/// A table that is printed row by row, as its rows are measured. The titles are printed above the
/// first row, and again where a row has others. Numbers stand at the right of their columns.
class TextTable {
  public:
    /// `name_title`: of the first column, `name_width` wide.
    explicit TextTable(std::string name_title, int name_width = 16)
        : name_title_(std::move(name_title)), name_width_(name_width) {}

    /// Begins a row.
    TextTable& row(const std::string& name);
    /// Adds a number with three digits to the row. `title`: with its unit, "median ms".
    TextTable& number(const std::string& title, double value);
    /// Adds a cell, which stands at the right of its column, `least` characters wide or as the
    /// title.
    TextTable& cell(const std::string& title, const std::string& text, int least = kLeast);
    /// Adds the last cell of the row, which is not aligned.
    TextTable& note(const std::string& title, const std::string& text);
    /// Returns the lines of the row, instead of printing them.
    [[nodiscard]] std::string text();
    /// Prints the row.
    void print();

  private:
    static constexpr int kLeast = 9;
    struct Cell {
        std::string title, text;
        int width;  ///< 0: as long as the text
    };
    std::string name_title_, name_;
    int name_width_;
    std::vector<Cell> cells_;
    std::string titles_;  ///< as they were printed last
};

/// Prints a row of a list: a name, and a value with its unit.
void print_entry(const std::string& name, const std::string& value);

}  // namespace tl
