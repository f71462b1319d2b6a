#include "app/solve/svd/svd_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/commands/commands.h"
#include "app/jobs/format.h"
#include "core/base/text.h"
#include "solvers/dense/largest_error.h"

namespace tl {

using Json = nlohmann::ordered_json;

const char* id_of(SvdVectors vectors) {
    return vectors == SvdVectors::none ? "none" : vectors == SvdVectors::thin ? "thin" : "full";
}

SvdVectors vectors_of(const std::string& id) {
    return id == "none" ? SvdVectors::none : id == "thin" ? SvdVectors::thin : SvdVectors::full;
}

void require_svd_memory(const Device& device, const SvdSolver& solver, const MatrixSpec& spec,
                        const SvdRequest& request, std::size_t element_size) {
    auto matrix = static_cast<std::uint64_t>(spec.rows) * spec.cols * element_size;
    require_memory(device,
                   matrix + solver.memory_bytes(spec.rows, spec.cols, request, element_size),
                   "the decomposition", kSvdMemoryAdvice);
}

std::unique_ptr<SvdSolver> make_configured_svd(const std::string& mode, const Device& device,
                                               const std::map<std::string, std::string>& given) {
    auto solver = make_svd_solver(mode, device);
    set_given(solver->settings(), mode, given, mode);
    return solver;
}

void add_svd_setting_flags(CLI::App& command, std::map<std::string, std::string>& given) {
    for (auto& row : svd_solvers()) {
        if (!row.make_cpu) continue;
        for (auto& setting : row.make_cpu()->settings())
            add_setting_flag(command, row.id, setting.declaration(), given);
    }
}

void check_svd_settings(const std::map<std::string, std::string>& given,
                        const std::vector<std::string>& modes, const std::string& flag) {
    for (auto& [key, text] : given) {
        auto dot = key.find('.');
        auto mode = key.substr(0, dot);
        if (std::ranges::find(modes, mode) == modes.end())
            throw UsageError("--" + mode + "-" + key.substr(dot + 1) + " has no effect with " +
                             flag + " " + joined(modes) + ": add " + flag + " " + mode);
    }
}

std::pair<int, int> extents_of_size(const std::string& size) {
    int rows = 0, cols = 0, used = 0;
    if (std::sscanf(size.c_str(), "%7dx%7d%n", &rows, &cols, &used) != 2 ||
        used != static_cast<int>(size.size()) || rows < 1 || cols < 1)
        throw UsageError("--sizes: '" + size + "' is not ROWSxCOLS");
    return {rows, cols};
}

std::vector<std::string> svd_modes_to_measure(const std::vector<std::string>& modes, bool peers,
                                              const Device& device) {
    auto all = modes;
    for (auto& id : modes) (void)make_svd_solver(id, device);
    if (!peers) return all;
    for (auto& row : svd_solvers())
        if (row.peer && (device.kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu))
            all.push_back(row.id);
    return all;
}

AccuracyText svd_accuracy(const std::string& key, const Json& value, double unit, int rank) {
    if (rank == 0 || key != "residual") return accuracy_text(key, value, unit);
    return {"left out of |A|", three_digits(value.get<double>())};
}

namespace {

template <class T>
Json accuracy_of(Blas& blas, MatrixView<const T> a, const SvdResult<T>& result,
                 const std::vector<double>& known) {
    Json json;
    if (result.u.cols() > 0) {
        auto accuracy = measure_svd(blas, a, result);
        json = {{"residual", accuracy.residual},
                {"orthogonality_u", accuracy.orthogonality_u},
                {"orthogonality_v", accuracy.orthogonality_v}};
    }
    if (!known.empty() && known[0] > 0) {
        double error = 0;
        for (std::size_t i = 0; i < std::min(known.size(), result.values.size()); ++i)
            keep_larger(error, std::abs(known[i] - result.values[i]));
        json["value_error"] = error / known[0];
    }
    return json;
}

}  // namespace

#define TL_INSTANTIATE(T)                                                             \
    template <>                                                                       \
    Json accuracy_json(Blas& blas, MatrixView<const T> a, const SvdResult<T>& result, \
                       const std::vector<double>& known) {                            \
        return accuracy_of<T>(blas, a, result, known);                                \
    }
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
TL_INSTANTIATE(Complex<float>)
TL_INSTANTIATE(Complex<double>)
#undef TL_INSTANTIATE

}  // namespace tl
