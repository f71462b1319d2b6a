// The C interface over solvers of polynomial systems.
#include "library/api/guarded.h"
#include "solvers/minimal/table_solver.h"

struct tl_system {
    tl::minimal::PolynomialSystem system;
    tl::minimal::TableSolver solver;
    std::string summary = solver.summary();
    std::string warning = solver.multiple();
};

namespace tl {

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
        if (!system) return fail(TL_INVALID, "the system is null");
        auto& solver = system->solver;
        auto n_numbers = static_cast<std::size_t>(solver.n_parameters());
        auto n_results = static_cast<std::size_t>(solver.n_solutions() * solver.n_unknowns());
        if (count > 0 && ((!instances && n_numbers > 0) || !solutions || !counts))
            return fail(TL_INVALID, "an argument is null");
        const ProgressCallback told{progress, context};
        solver.solve({instances, count * n_numbers}, {solutions, count * n_results},
                     {counts, count}, [&](double share) { told("instances", share); });
        return TL_OK;
    });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
