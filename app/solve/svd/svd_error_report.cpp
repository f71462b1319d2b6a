// Reports of a study of the errors of modes: JSON, CSV and a table.
#include <algorithm>

#include "app/jobs/format.h"
#include "app/jobs/text_table.h"
#include "app/solve/solver_runs.h"
#include "app/solve/svd/svd_errors.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kReferenceOfVectors = "LAPACK's gesdd in double";

Json number_json(double value) {
    return value < 0 ? Json() : Json(value);
}

void add_range(Json& json, const char* name, const ErrorRange& range) {
    json[std::string(name) + "_mean"] = number_json(range.mean);
    json[std::string(name) + "_max"] = number_json(range.most);
}

/// Errors of a mode that succeeded, of all values and value by value.
void add_errors(Json& json, const ModeErrors& mode) {
    Json values;
    for (auto& kind : value_error_kinds()) {
        add_range(json, kind.id, mode.all.*kind.range);
        for (auto& value : mode.values) {
            auto& range = value.*kind.range;
            values[std::string(kind.id) + "_mean"].push_back(number_json(range.mean));
            values[std::string(kind.id) + "_max"].push_back(number_json(range.most));
        }
    }
    add_range(json, "product", mode.product);
    add_range(json, "residual", mode.residual);
    json["values"] = std::move(values);
}

Json vectors_json(const SvdErrors& errors) {
    if (errors.compared.empty()) return nullptr;
    return {{"reference", kReferenceOfVectors},
            {"pairs", errors.n_pairs()},
            {"left_out", errors.n_left_out()},
            {"compared", errors.compared}};
}

std::string csv_range(const ErrorRange& range) {
    return "," + csv_number(range.mean) + "," + csv_number(range.most);
}

/// The rows of a mode; `head` is what all of them begin with.
std::string mode_csv(const SvdErrors& errors, const ModeErrors& mode, const std::string& head) {
    auto n_kinds = value_error_kinds().size();
    // Index, value, errors of each kind, left_out, product and residual are empty.
    if (!mode.error.empty())
        return head + std::string(2 + 2 * n_kinds + 1 + 4, ',') + csv_text(mode.error) + "\n";
    std::string text;
    for (std::size_t i = 0; i < mode.values.size(); ++i) {
        text += head + std::to_string(i + 1) + "," + csv_number(errors.values[i]);
        for (auto& kind : value_error_kinds()) text += csv_range(mode.values[i].*kind.range);
        text += ",";
        if (!errors.compared.empty())
            text += std::to_string(errors.n_matrices - errors.compared[i]);
        text += csv_range(mode.product) + csv_range(mode.residual) + ",\n";
    }
    return text;
}

std::string range_text(const ErrorRange& range) {
    if (range.mean < 0) return "-";
    return formatted("%.1e (%.1e)", range.mean, range.most);
}

/// Places in a list, from the first to the last, at most `most` of them.
std::vector<std::size_t> some_of(std::size_t n, std::size_t most) {
    std::vector<std::size_t> places;
    std::size_t count = std::min(n, most);
    for (std::size_t i = 0; i < count; ++i)
        places.push_back(count > 1 ? i * (n - 1) / (count - 1) : 0);
    return places;
}

}  // namespace

Json errors_json(const SvdErrors& errors) {
    auto& matrix = errors.spec.matrix;
    Json modes = Json::array();
    for (auto& mode : errors.modes) {
        Json json{{"mode", mode.mode}};
        if (mode.error.empty())
            add_errors(json, mode);
        else
            json["error"] = mode.error;
        modes.push_back(std::move(json));
    }
    return {{"kind", matrix.kind},
            {"condition", matrix.condition},
            {"rows", matrix.rows},
            {"cols", matrix.cols},
            {"exact", exact_values_of(errors.spec.single)},
            {"matrices", errors.n_matrices},
            {"vectors", vectors_json(errors)},
            {"values", errors.values},
            {"modes", std::move(modes)}};
}

std::string errors_csv(const std::vector<SvdErrors>& all) {
    std::string text = "matrix,rows,cols,device,precision,seeds,mode,index,value";
    auto add_columns = [&](const std::string& id) { text += "," + id + "_mean," + id + "_max"; };
    for (auto& kind : value_error_kinds()) add_columns(kind.id);
    text += ",left_out";
    add_columns("product");
    add_columns("residual");
    text += ",error\n";
    for (auto& errors : all)
        for (auto& mode : errors.modes) {
            auto& spec = errors.spec;
            auto head = csv_text(spec.matrix.kind) +
                        formatted(",%d,%d,", spec.matrix.rows, spec.matrix.cols) + errors.device +
                        (spec.single ? ",float," : ",double,") + std::to_string(errors.n_matrices) +
                        "," + mode.mode + ",";
            text += mode_csv(errors, mode, head);
        }
    return text;
}

std::string vectors_text(const SvdErrors& errors) {
    if (errors.compared.empty()) return "";
    return formatted(
        "U, V against %s; %d of %d pairs of vectors are left out, whose values are too close to "
        "others or to 0",
        kReferenceOfVectors, errors.n_left_out(), errors.n_pairs());
}

std::string errors_table(const SvdErrors& errors) {
    auto& spec = errors.spec;
    std::string text = formatted(
        "%dx%d %s %s, %s: relative errors of values against %s, mean (maximum)\n", spec.matrix.rows,
        spec.matrix.cols, spec.matrix.kind.c_str(), spec.single ? "float" : "double",
        errors.n_matrices == 1 ? "1 matrix"
                               : (std::to_string(errors.n_matrices) + " matrices").c_str(),
        exact_values_of(spec.single));
    constexpr int kNameWidth = 6, kWidth = 10, kWidthOfRange = 17;
    TextTable table("number", kNameWidth);
    auto add_row = [&](const std::string& name, const std::string& value, auto&& range_of) {
        table.row(name).cell("value", value, kWidth);
        for (auto& mode : errors.modes)
            table.cell(mode.mode, mode.error.empty() ? range_text(range_of(mode)) : "failed",
                       kWidthOfRange);
        text += table.text();
    };
    constexpr std::size_t kMostRows = 9;
    for (auto i : some_of(errors.values.size(), kMostRows))
        add_row(std::to_string(i + 1), three_digits(errors.values[i]),
                [i](const ModeErrors& mode) { return mode.values[i].relative; });
    add_row("all", "", [](const ModeErrors& mode) { return mode.all.relative; });
    add_row("all", "absolute", [](const ModeErrors& mode) { return mode.all.absolute; });
    if (!errors.compared.empty()) {
        add_row("U", "entries", [](const ModeErrors& mode) { return mode.all.u; });
        add_row("V", "entries", [](const ModeErrors& mode) { return mode.all.v; });
        add_row("A-USV'", "entries", [](const ModeErrors& mode) { return mode.product; });
        add_row("A-USV'", "norm / |A|", [](const ModeErrors& mode) { return mode.residual; });
        text += "  " + vectors_text(errors) + "\n";
    }
    for (auto& mode : errors.modes)
        if (!mode.error.empty()) text += "  " + mode.mode + ": " + mode.error + "\n";
    return text;
}

}  // namespace tl
