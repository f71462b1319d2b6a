#include "app/solve/svd/svd_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/jobs/format.h"
#include "app/solve/solver_runs.h"
#include "app/solve/svd/svd_problem.h"
#include "core/device/registry.h"
#include "solvers/dense/largest_error.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

void add_error(ErrorRange& sum, double error) {
    sum.mean += error;
    keep_larger(sum.most, error);
}

/// Adds the errors of one decomposition to the sums.
void add_errors(std::vector<ValueError>& sums, const std::vector<double>& found,
                const std::vector<Extended>& exact) {
    sums.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        Extended error = std::abs(static_cast<Extended>(found[i]) - exact[i]);
        add_error(sums[i].absolute, static_cast<double>(error));
        add_error(sums[i].relative, exact[i] > 0 ? static_cast<double>(error / exact[i])
                                                 : -std::numeric_limits<double>::infinity());
    }
}

/// Turns the sum of `n` errors into their mean.
void take_mean(ErrorRange& sum, double n) {
    sum = sum.mean < 0 ? ErrorRange{-1, -1} : ErrorRange{sum.mean / n, sum.most};
}

/// Mean of means and largest maximum, of the errors that exist.
ErrorRange over_all(const std::vector<ValueError>& values, ErrorRange ValueError::*kind) {
    ErrorRange all;
    int n = 0;
    for (auto& value : values) {
        auto& range = value.*kind;
        if (range.mean < 0) continue;
        all.mean += range.mean;
        keep_larger(all.most, range.most);
        ++n;
    }
    if (n == 0) return {-1, -1};
    all.mean /= n;
    return all;
}

Json number_json(double value) {
    return value < 0 ? Json() : Json(value);
}

/// A column of a JSON report.
Json column(const std::vector<ValueError>& values, ErrorRange ValueError::*kind,
            double ErrorRange::*which) {
    Json numbers = Json::array();
    for (auto& value : values) numbers.push_back(number_json(value.*kind.*which));
    return numbers;
}

void add_range(Json& json, const char* name, const ErrorRange& range) {
    json[std::string(name) + "_mean"] = number_json(range.mean);
    json[std::string(name) + "_max"] = number_json(range.most);
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

const char* exact_values_of(bool single) {
    return single ? "double precision" : "extended precision";
}

std::vector<std::string> modes_with_errors(const Device& device, int rank) {
    std::vector<std::string> modes;
    for (auto& row : svd_solvers()) {
        bool runs = device.kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu;
        if (runs && row.id != "auto" && (rank > 0 || row.id != "randomised"))
            modes.push_back(row.id);
    }
    return modes;
}

SvdErrorStudy::SvdErrorStudy(Blas& blas, SvdErrorSpec spec) : blas_(blas), spec_(std::move(spec)) {
    auto& device = blas.stream().device();
    check_matrix(spec_.matrix);
    check_request(spec_.matrix.rows, spec_.matrix.cols, {spec_.vectors, spec_.rank, 0});
    std::size_t element = spec_.single ? sizeof(float) : sizeof(double);
    require_memory(device, element * spec_.matrix.rows * spec_.matrix.cols, "the matrix",
                   kSvdMemoryAdvice);
    for (auto& mode : spec_.modes) {
        solvers_.push_back(make_configured_svd(mode, device, spec_.settings));
        sums_.modes.push_back({mode, "", {}, {}});
    }
    sums_.spec = spec_;
    sums_.device = device_id(device.kind());
}

SvdErrorStudy::~SvdErrorStudy() = default;

void SvdErrorStudy::add_matrix(SolverRun& run) {
    if (spec_.single)
        add_matrix_of<float>(run);
    else
        add_matrix_of<double>(run);
}

template <class T>
void SvdErrorStudy::add_matrix_of(SolverRun& run) {
    Stream& stream = blas_.stream();
    auto& device = stream.device();
    SvdRequest request{spec_.vectors, spec_.rank, spec_.matrix.seed};
    // Exact values are worth about as much time as a mode.
    double parts = static_cast<double>(solvers_.size()) + 1;
    SolverRun exact_run(run, 0, 1 / parts);
    auto a = make_matrix<T>(blas_, spec_.matrix);
    auto elements = a.download(stream);
    std::vector<Extended> exact;
    if constexpr (sizeof(T) == 4) {
        const SvdRequest values_only{SvdVectors::none, 0, 0};
        auto exact_solver = make_svd_solver("divide-conquer", device);
        require_svd_memory(device, *exact_solver, spec_.matrix, values_only, sizeof(double));
        auto wide = uploaded<double>(stream, a.rows(), a.cols(), elements);
        auto result = exact_solver->solve(stream, MatrixView<const double>(wide.view()),
                                          values_only, exact_run);
        exact.assign(result.values.begin(), result.values.end());
    } else {
        HostMatrix<double> host(a.rows(), a.cols());
        host.data = std::move(elements);
        exact = precise_singular_values(host, exact_run);
    }
    for (std::size_t m = 0; m < solvers_.size(); ++m) {
        SolverRun part(run, (static_cast<double>(m) + 1) / parts,
                       (static_cast<double>(m) + 2) / parts);
        auto& mode = sums_.modes[m];
        if (!mode.error.empty()) continue;
        try {
            require_svd_memory(device, *solvers_[m], spec_.matrix, request, sizeof(T));
            auto result = solvers_[m]->solve(stream, MatrixView<const T>(a.view()), request, part);
            add_errors(mode.values, result.values, exact);
        } catch (const UserError& error) {
            mode.error = error.what();
            mode.values.clear();
        }
    }
    std::size_t n_values = spec_.rank > 0 ? static_cast<std::size_t>(spec_.rank) : exact.size();
    sums_.values.resize(n_values);
    for (std::size_t i = 0; i < n_values; ++i) sums_.values[i] += static_cast<double>(exact[i]);
    ++sums_.n_matrices;
    ++spec_.matrix.seed;
    run.report(1);
}

SvdErrors SvdErrorStudy::errors() const {
    auto errors = sums_;
    double n = std::max(errors.n_matrices, 1);
    for (auto& value : errors.values) value /= n;
    for (auto& mode : errors.modes) {
        for (auto& value : mode.values) {
            take_mean(value.absolute, n);
            take_mean(value.relative, n);
        }
        mode.all = {over_all(mode.values, &ValueError::absolute),
                    over_all(mode.values, &ValueError::relative)};
    }
    return errors;
}

Json errors_json(const SvdErrors& errors) {
    auto& matrix = errors.spec.matrix;
    Json modes = Json::array();
    for (auto& mode : errors.modes) {
        Json json{{"mode", mode.mode}};
        if (mode.error.empty()) {
            add_range(json, "relative", mode.all.relative);
            add_range(json, "absolute", mode.all.absolute);
            auto numbers = [&](ErrorRange ValueError::*kind, double ErrorRange::*which) {
                return column(mode.values, kind, which);
            };
            json["values"] = {{"relative_mean", numbers(&ValueError::relative, &ErrorRange::mean)},
                              {"relative_max", numbers(&ValueError::relative, &ErrorRange::most)},
                              {"absolute_mean", numbers(&ValueError::absolute, &ErrorRange::mean)},
                              {"absolute_max", numbers(&ValueError::absolute, &ErrorRange::most)}};
        } else {
            json["error"] = mode.error;
        }
        modes.push_back(std::move(json));
    }
    return {{"kind", matrix.kind},
            {"condition", matrix.condition},
            {"rows", matrix.rows},
            {"cols", matrix.cols},
            {"exact", exact_values_of(errors.spec.single)},
            {"matrices", errors.n_matrices},
            {"values", errors.values},
            {"modes", std::move(modes)}};
}

std::string errors_csv(const std::vector<SvdErrors>& all) {
    std::string text =
        "matrix,rows,cols,device,precision,seeds,mode,index,value,relative_mean,relative_max,"
        "absolute_mean,absolute_max,error\n";
    for (auto& errors : all)
        for (auto& mode : errors.modes) {
            auto& spec = errors.spec;
            auto head = csv_text(spec.matrix.kind) +
                        formatted(",%d,%d,", spec.matrix.rows, spec.matrix.cols) + errors.device +
                        (spec.single ? ",float," : ",double,") + std::to_string(errors.n_matrices) +
                        "," + mode.mode + ",";
            if (!mode.error.empty()) text += head + ",,,,,," + csv_text(mode.error) + "\n";
            for (std::size_t i = 0; i < mode.values.size(); ++i) {
                auto& value = mode.values[i];
                text += head + std::to_string(i + 1) + "," + csv_number(errors.values[i]);
                for (auto& range : {value.relative, value.absolute})
                    text += "," + csv_number(range.mean) + "," + csv_number(range.most);
                text += ",\n";
            }
        }
    return text;
}

std::string errors_table(const SvdErrors& errors) {
    auto& spec = errors.spec;
    std::string text = formatted(
        "%dx%d %s %s, %s: relative errors of values against %s, mean (maximum)\n", spec.matrix.rows,
        spec.matrix.cols, spec.matrix.kind.c_str(), spec.single ? "float" : "double",
        errors.n_matrices == 1 ? "1 matrix"
                               : (std::to_string(errors.n_matrices) + " matrices").c_str(),
        exact_values_of(spec.single));
    constexpr int kWidth = 20;
    text += formatted("  %6s %11s", "value", "");
    for (auto& mode : errors.modes) text += formatted("  %*s", kWidth, mode.mode.c_str());
    text += "\n";
    auto add_row = [&](const std::string& name, const std::string& value, auto&& range_of) {
        text += formatted("  %6s %11s", name.c_str(), value.c_str());
        for (auto& mode : errors.modes)
            text += formatted("  %*s", kWidth,
                              mode.error.empty() ? range_text(range_of(mode)).c_str() : "failed");
        text += "\n";
    };
    constexpr std::size_t kMostRows = 9;
    for (auto i : some_of(errors.values.size(), kMostRows))
        add_row(std::to_string(i + 1), formatted("%.4g", errors.values[i]),
                [i](const ModeErrors& mode) { return mode.values[i].relative; });
    add_row("all", "", [](const ModeErrors& mode) { return mode.all.relative; });
    add_row("all", "absolute", [](const ModeErrors& mode) { return mode.all.absolute; });
    for (auto& mode : errors.modes)
        if (!mode.error.empty()) text += "  " + mode.mode + ": " + mode.error + "\n";
    return text;
}

}  // namespace tl
