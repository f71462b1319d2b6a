// Tables of numbers in files: lines of a text, or an array of NumPy.
#pragma once

#include <string>
#include <vector>

namespace tl {

/// Reads rows of `size` numbers each. A .npy file holds an array of shape (count, size); any other
/// file is text with a row a line, whose numbers are separated by commas, semicolons or white
/// space. Empty lines, comments from # on, and a first line of names are skipped. `rows_name` is
/// what messages call the rows. Throws UserError with the file and the line, and for complex
/// numbers.
[[nodiscard]] std::vector<double> read_number_table(const std::string& path, std::size_t size,
                                                    const std::string& rows_name);

}  // namespace tl
