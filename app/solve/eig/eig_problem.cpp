#include "app/solve/eig/eig_problem.h"

#include <algorithm>

#include "app/commands/commands.h"
#include "solvers/eigen/eigen_modes.h"

namespace tl {

using Json = nlohmann::ordered_json;

const char* id_of(EigenPairs pairs) {
    return pairs == EigenPairs::values ? "values" : pairs == EigenPairs::real ? "real" : "all";
}

EigenPairs pairs_of(const std::string& id) {
    return id == "values" ? EigenPairs::values : id == "real" ? EigenPairs::real : EigenPairs::all;
}

std::unique_ptr<EigenSolver> make_configured_eigen(
    const std::string& mode, const Device& device,
    const std::map<std::string, std::string>& given) {
    auto solver = make_eigen_solver(mode, device);
    set_given(solver->settings(), "eig", given, mode);
    return solver;
}

EigenLimits configured_limits(const std::map<std::string, std::string>& given) {
    EigenLimits limits;
    set_given(eigen_settings(limits), "eig", given, "complex matrices");
    return limits;
}

void add_eigen_setting_flags(CLI::App& command, std::map<std::string, std::string>& given) {
    EigenLimits limits;
    for (auto& setting : eigen_settings(limits))
        add_setting_flag(command, "eig", setting.declaration(), given);
}

template <class T, class Number>
void EigenSummary::add_part(const HostEigen<T>& part, std::span<const Number> a) {
    auto size = static_cast<std::size_t>(part.n) * part.n;
    for (std::size_t m = 0; m < part.count; ++m) {
        auto sweeps = static_cast<std::size_t>(part.sweeps[m]);
        if (sweeps >= histogram.size()) histogram.resize(sweeps + 1);
        ++histogram[sweeps];
        n_sweeps += sweeps;
        most_sweeps = std::max(most_sweeps, part.sweeps[m]);
        auto status = static_cast<EigenStatus>(part.status[m]);
        if (status == EigenStatus::solved) continue;
        ++(status == EigenStatus::not_finite ? n_not_finite : n_not_converged);
        if (failed.size() < kMostFailed) failed.push_back(count + m);
    }
    count += part.count;
    HostEigen<T> checked = part;
    checked.count = std::min(part.count, a.size() / size);
    accuracy.add(measure_eigen<T>(a, checked));
    n_checked += checked.count;
}
void EigenSummary::add(const HostEigen<float>& part, std::span<const float> a) {
    add_part(part, a);
}
void EigenSummary::add(const HostEigen<double>& part, std::span<const double> a) {
    add_part(part, a);
}
void EigenSummary::add(const HostEigen<float>& part, std::span<const Complex<float>> a) {
    add_part(part, a);
}
void EigenSummary::add(const HostEigen<double>& part, std::span<const Complex<double>> a) {
    add_part(part, a);
}

Json summary_json(const EigenSummary& s) {
    return {{"seconds", s.seconds},
            {"matrices_per_second", s.seconds > 0 ? static_cast<double>(s.count) / s.seconds : 0},
            {"not_converged", s.n_not_converged},
            {"not_finite", s.n_not_finite},
            {"failed", s.failed},
            {"sweeps",
             {{"mean", s.mean_sweeps()}, {"most", s.most_sweeps}, {"histogram", s.histogram}}},
            {"accuracy",
             {{"matrices", s.n_checked},
              {"vectors", s.accuracy.n_vectors},
              {"residual", s.accuracy.residual},
              {"balanced", s.accuracy.balanced},
              {"length", s.accuracy.length},
              {"trace", s.accuracy.trace},
              {"determinant", s.accuracy.determinant}}}};
}

}  // namespace tl
