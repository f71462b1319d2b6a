// The C interface over solvers of polynomial systems.
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "core/device/device.h"
#include "library/api/guarded.h"
#include "solvers/minimal/table_route.h"
#include "solvers/ransac/system_ransac.h"

struct tl_system {
    tl::minimal::PolynomialSystem system;
    tl::minimal::TableSolver solver;
    std::string summary = solver.summary();
    std::string warning = solver.multiple();
    mutable std::mutex routes_in_use{};
    /// Routes by device and mode, and whether `auto` had few instances; each made by the first
    /// solve with them.
    mutable std::map<std::tuple<std::string, std::string, bool>, tl::minimal::ChosenRoute> routes{};
};

namespace tl {
namespace {

/// The arrays of a solve.
struct SystemTable {
    std::span<const double> instances;
    std::span<double> solutions;
    std::span<int> counts;

    tl_status take(const tl_system* system, const double* from, std::size_t count, double* to,
                   int* numbers) {
        if (!system) return fail(TL_INVALID, "the system is null");
        auto& solver = system->solver;
        auto n_numbers = static_cast<std::size_t>(solver.n_parameters());
        auto n_results = static_cast<std::size_t>(solver.n_solutions() * solver.n_unknowns());
        if (count > 0 && ((!from && n_numbers > 0) || !to || !numbers))
            return fail(TL_INVALID, "an argument is null");
        instances = {from, count * n_numbers};
        solutions = {to, count * n_results};
        counts = {numbers, count};
        return TL_OK;
    }
};

/// The route of a device and mode, made on first use.
minimal::TableRoute& route_of(const tl_system& system, Device& device, const std::string& mode,
                              std::size_t count, const ProgressCallback& told) {
    bool has_few = mode == "auto" && count < minimal::kFewInstances;
    std::tuple<std::string, std::string, bool> key{device.id(), mode, has_few};
    auto found = system.routes.find(key);
    if (found == system.routes.end()) {
        auto chosen = minimal::make_table_route(system.system, system.solver, device, mode, count,
                                                [&](double share) { told("solver", share); });
        found = system.routes.emplace(key, std::move(chosen)).first;
    }
    return *found->second.route;
}

tl_status check_ransac(const tl_ransac& given) {
    if (!(given.bound >= 0 && given.bound <= 1e150))
        return fail(TL_INVALID, "the bound is no number from 0 to 1e150");
    if (!(given.confidence >= 0 && given.confidence < 1))
        return fail(TL_INVALID, "the confidence is no number from 0 to 1, without 1");
    if (given.most_samples < 1) return fail(TL_INVALID, "most_samples is below 1");
    if (given.seed < 0) return fail(TL_INVALID, "the seed is below 0");
    return TL_OK;
}

}  // namespace

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_status tl_system_open(const char* text, const char* action, tl_progress progress, void* context,
                         tl_system** system) {
    if (system) *system = nullptr;
    if (!text || !system) return fail(TL_INVALID, "an argument is null");
    minimal::PolynomialSystem read;
    auto read_text = [&] {
        read = minimal::read_system(text, "equations", action ? action : "");
        return TL_OK;
    };
    if (auto status = guarded(read_text, TL_INVALID)) return status;
    return guarded([&] {
        const ProgressCallback told{progress, context};
        minimal::TableSolver solver(read, [&](double share) { told("solver", share); });
        *system = new tl_system{std::move(read), std::move(solver)};
        return TL_OK;
    });
}
void tl_system_close(tl_system* system) {
    delete system;
}

tl_status tl_system_about(const tl_system* system, tl_system_info* info) {
    if (!system || !info) return fail(TL_INVALID, "an argument is null");
    auto& solver = system->solver;
    *info = {system->system.name.c_str(),
             static_cast<std::size_t>(solver.n_parameters()),
             static_cast<std::size_t>(solver.n_unknowns()),
             static_cast<std::size_t>(solver.n_solutions()),
             system->system.measured.columns.size(),
             system->summary.c_str(),
             system->warning.c_str(),
             solver.path().c_str(),
             solver.is_new() ? 1 : 0};
    return TL_OK;
}

const char* tl_system_unknown(const tl_system* system, size_t index) {
    if (!system || index >= system->system.unknowns.size()) return nullptr;
    return system->system.unknowns[index].c_str();
}

tl_status tl_system_solve(const tl_system* system, const double* instances, size_t count,
                          double* solutions, int* counts, tl_progress progress, void* context) {
    return guarded([&] {
        SystemTable table;
        if (auto status = table.take(system, instances, count, solutions, counts)) return status;
        const ProgressCallback told{progress, context};
        system->solver.solve(table.instances, table.solutions, table.counts,
                             [&](double share) { told("instances", share); });
        return TL_OK;
    });
}

tl_status tl_system_solve_on(const tl_system* system, const char* device, const char* mode,
                             const double* instances, size_t count, double* solutions, int* counts,
                             tl_progress progress, void* context) {
    return guarded([&] {
        SystemTable table;
        if (auto status = table.take(system, instances, count, solutions, counts)) return status;
        const ProgressCallback told{progress, context};
        std::scoped_lock lock(system->routes_in_use);
        auto& route = route_of(*system, find_device(device ? device : "auto"), mode ? mode : "auto",
                               count, told);
        route.solve(table.instances, table.solutions, table.counts,
                    [&](double share) { told("instances", share); });
        return TL_OK;
    });
}

tl_status tl_system_ransac(const tl_system* system, const char* device, const char* mode,
                           const double* measurements, size_t count, tl_ransac* ransac,
                           double* model, unsigned char* inliers, tl_progress progress,
                           void* context) {
    return guarded([&] {
        if (!system || !ransac || !model || (count > 0 && !measurements))
            return fail(TL_INVALID, "an argument is null");
        if (auto status = check_ransac(*ransac)) return status;
        const ProgressCallback told{progress, context};
        std::scoped_lock lock(system->routes_in_use);
        auto& route = route_of(*system, find_device(device ? device : "auto"), mode ? mode : "auto",
                               minimal::kFirstSamples, told);
        std::span rows(measurements, count * system->system.measured.columns.size());
        auto fitted = minimal::fit_by_ransac(
            system->system, route, system->solver.n_solutions(), rows,
            {ransac->bound, ransac->confidence, ransac->most_samples, ransac->seed},
            [&](double share) { told("samples", share); });
        *ransac = {ransac->bound,    ransac->confidence, ransac->most_samples, ransac->seed,
                   fitted.n_inliers, fitted.n_left_out,  fitted.n_samples,     fitted.n_solved,
                   fitted.n_models,  fitted.rms};
        std::ranges::copy(fitted.unknowns, model);
        if (inliers) std::ranges::copy(fitted.inliers, inliers);
        return TL_OK;
    });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
