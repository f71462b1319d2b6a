#include "solvers/dense/number_table.h"

#include <cmath>

#include "core/base/one_line.h"
#include "core/base/text.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

std::vector<double> rows_of_array(const std::string& path, std::size_t size,
                                  const std::string& rows_name) {
    if (is_complex_file(path))
        throw UserError(path + ": the numbers are complex; " + rows_name + " have real ones");
    auto array = read_matrix(path);
    if (static_cast<std::size_t>(array.cols) != size)
        throw UserError(path + ": has " + std::to_string(array.cols) + " columns; " + rows_name +
                        " have " + std::to_string(size));
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(array.rows) * size);
    for (int i = 0; i < array.rows; ++i)
        for (int k = 0; k < array.cols; ++k) numbers.push_back(array(i, k));
    return numbers;
}

/// Takes the next word of a line; empty at its end.
std::string_view next_word(std::string_view& line) {
    constexpr std::string_view kSeparators = ",; \t\r";
    std::size_t start = std::min(line.find_first_not_of(kSeparators), line.size());
    std::size_t end = std::min(line.find_first_of(kSeparators, start), line.size());
    auto word = line.substr(start, end - start);
    line.remove_prefix(end);
    return word;
}

}  // namespace

std::vector<double> read_number_table(const std::string& path, std::size_t size,
                                      const std::string& rows_name) {
    if (lower_case(path).ends_with(".npy")) return rows_of_array(path, size, rows_name);
    const std::string text = read_text_file(path);
    std::vector<double> numbers;
    std::string_view rest = text;
    bool first = true;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        auto fault = [&](const std::string& what) {
            return UserError(path + ":" + std::to_string(number) + ": " + what);
        };
        std::size_t n = 0;
        bool names = false;
        for (auto word = next_word(line); !word.empty(); word = next_word(line), ++n) {
            auto value = number_in<double>(word.starts_with('+') ? word.substr(1) : word);
            if (value && std::isfinite(*value)) {
                numbers.push_back(*value);
                continue;
            }
            names = first && n == 0 && !value;
            if (names) break;
            throw fault("\"" + one_line(word) + "\" is no finite number");
        }
        first = false;
        if (names) continue;
        if (n != size)
            throw fault("has " + std::to_string(n) + " numbers; " + rows_name + " have " +
                        std::to_string(size));
    }
    return numbers;
}

}  // namespace tl
