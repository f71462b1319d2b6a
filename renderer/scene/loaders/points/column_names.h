// The columns of a table of points by the names that a line of the file gives them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// A column's meaning. Values from `x` on are indices of PointColumns::kValues numbers.
enum class PointColumn {
    unused = -2,  ///< may hold any text
    passed = -1,  ///< a number without a meaning
    x = 0,        ///< and y and z after it
    intensity = 3,
    first = 4,      ///< three numbers: a colour where columns have names, else that or a normal
    second = 7,     ///< three more: a normal where columns have names
    packed = 10,    ///< a colour in the bits of one number
    emission = 11,  ///< three numbers, W/(sr m^2)
    grey_emission = 14,  ///< one number for all three channels
};

/// The meanings of all columns of a file.
struct PointColumns {
    static constexpr int kValues = 15;
    std::vector<PointColumn> columns;
    bool are_named = false;
    bool has_unit_colors = false;       ///< their names say that they are parts of 1
    std::vector<std::string> left_out;  ///< names without a meaning

    /// Whether a column is of that kind.
    [[nodiscard]] bool has(PointColumn kind) const;
    /// Meanings of `n` columns without names: x y z [intensity] [three numbers] [three numbers].
    [[nodiscard]] static PointColumns of_count(std::size_t n);
};

/// Names of columns, in any order and spelling: x y z, easting, "Coord. X", Points:0; intensity,
/// reflectance, scalar fields; r, red, Rf, RGB; nx, normal_x; emission, emission_red ...
class ColumnNames {
  public:
    /// Reads a line without a comment; none where it does not name x, y and z.
    [[nodiscard]] static std::optional<ColumnNames> in(std::string_view line);

    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// The character that separates them, as TextLayout has it.
    [[nodiscard]] char separator() const { return separator_; }
    /// Whether the line starts with a blank, as where a column of row numbers has no name.
    [[nodiscard]] bool starts_blank() const { return starts_blank_; }
    /// Whether the line starts with x, y and z, and another name of it has a meaning or there is no
    /// other: it is no sentence about them.
    [[nodiscard]] bool are_certain() const;
    /// Meanings of `n` columns; none where the names are not as many. A name may be that of three
    /// columns: "xyz rgb".
    [[nodiscard]] std::optional<PointColumns> columns(std::size_t n) const;

  private:
    std::vector<std::string> names_;
    char separator_ = ' ';
    bool starts_blank_ = false;
};

}  // namespace tl
