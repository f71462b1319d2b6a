// Parameters of a system as a minimal sample of measurements: matrices, whose rows are the
// measurements, or numbers such as x1, y1, x2, y2.
#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {
namespace {

constexpr int kLargestSample = 16;

std::string columns_text(const MeasuredModel& model) {
    std::string text;
    for (auto& column : model.columns) text += (text.empty() ? "" : ", ") + column;
    return text;
}

/// "x2" as the second measurement's column x. The longest name counts where several fit.
std::optional<SamplePosition> numbered_column(const std::string& name, const MeasuredModel& model) {
    std::optional<SamplePosition> found;
    std::size_t longest = 0;
    for (std::size_t k = 0; k < model.columns.size(); ++k) {
        auto& column = model.columns[k];
        if (!name.starts_with(column) || column.size() <= longest) continue;
        auto number = std::string_view(name).substr(column.size());
        auto value = number_in<int>(number);
        if (!value || *value < 1 || *value > kLargestSample || number[0] == '0') continue;
        longest = column.size();
        found = SamplePosition{*value - 1, static_cast<int>(k)};
    }
    return found;
}

/// Numbers whose names are columns with the measurement's number: x1 y1 x2 y2.
void find_numbers(PolynomialSystem& system) {
    auto& model = system.measured;
    for (auto& parameter : system.parameters) {
        auto position = numbered_column(parameter.name, model);
        if (!position)
            throw UserError("its parameter '" + parameter.name +
                            "' is no column of a measurement (" + columns_text(model) +
                            ") with a number from 1 to " + std::to_string(kLargestSample) +
                            ", such as '" + model.columns[0] + "1'");
        model.sample.push_back(*position);
        model.sample_size = std::max(model.sample_size, position->measurement + 1);
    }
    for (int i = 0; i < model.sample_size; ++i)
        for (int k = 0; k < static_cast<int>(model.columns.size()); ++k)
            if (std::ranges::none_of(model.sample, [&](auto& position) {
                    return position.measurement == i && position.column == k;
                }))
                throw UserError("its sample of " + std::to_string(model.sample_size) +
                                " measurements lacks the parameter '" +
                                model.columns[static_cast<std::size_t>(k)] + std::to_string(i + 1) +
                                "'");
}

/// Matrices of as many rows as the sample has measurements; side by side they have all columns.
void find_rows(PolynomialSystem& system) {
    auto& model = system.measured;
    model.sample_size = system.parameters[0].rows;
    int column = 0;
    for (auto& parameter : system.parameters) {
        if (parameter.rows != model.sample_size)
            throw UserError("its parameters '" + system.parameters[0].name + "' and '" +
                            parameter.name + "' have " + std::to_string(model.sample_size) +
                            " and " + std::to_string(parameter.rows) +
                            " rows; each needs a row for each measurement of a sample");
        for (int i = 0; i < parameter.rows; ++i)
            for (int k = 0; k < parameter.columns; ++k) model.sample.push_back({i, column + k});
        column += parameter.columns;
    }
    if (column != static_cast<int>(model.columns.size()))
        throw UserError("its parameters have " + std::to_string(column) +
                        " columns in all; a measurement has " +
                        std::to_string(model.columns.size()) + " (" + columns_text(model) + ")");
}

}  // namespace

void find_sample(PolynomialSystem& system) {
    if (system.parameters.empty())
        throw UserError(
            "has no parameters that a sample of measurements could be; write them with a row for "
            "each measurement, as in 'parameters P[3][" +
            std::to_string(system.measured.columns.size()) + "]'");
    bool has_numbers = std::ranges::all_of(
        system.parameters, [](auto& parameter) { return parameter.rows * parameter.columns == 1; });
    if (has_numbers && numbered_column(system.parameters[0].name, system.measured))
        find_numbers(system);
    else
        find_rows(system);
}

}  // namespace tl::minimal
