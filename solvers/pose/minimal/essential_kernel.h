// Steps of the five-point problem, for one problem or one in each lane of a pack.
#pragma once

#include "solvers/minimal/five_point.h"
#include "solvers/minimal/template_solver.h"
#include "solvers/pose/minimal/null_space.h"

TL_DEVICE_BEGIN

namespace pose {

/// Scratch memory of five-point problems.
template <class Real>
using EssentialStorage =
    EpipolarStorage<5, minimal::TemplateStorage<minimal::FivePoint, Real>, Real>;

/// Limit of Newton steps for each solution: usually one, more where the baseline is very short.
inline constexpr int kMostFiveSteps = 10;

/// Turns coordinates in the basis into essential matrices.
template <class Team, class Sink>
struct EssentialSink {
    using Real = typename Team::Real;
    const Real* basis;
    Sink& sink;

    TL_D void solution(typename Team::Mask want, const Real* u) {
        Real e[9], squares(0.0);
        for (int j = 0; j < 9; ++j) {
            e[j] = u[0] * basis[j] + u[1] * basis[9 + j] + u[2] * basis[18 + j] + basis[27 + j];
            squares += e[j] * e[j];
        }
        Real factor = Real(1.0) / eigen::square_root(squares);
        for (Real& element : e) element = element * factor;
        // Overflowed values are no solution.
        sink.essential(want & (squares < Real(1e300)), e);
    }
};

/// Calls sink.essential(want, e) for each essential matrix of five pairs, whose coordinates are
/// x1, y1, x2, y2, pair by pair. kReflectors: the template is eliminated by reflectors.
template <bool kReflectors = false, class Team, class Sink>
TL_D void essentials_of(const Team& team, const typename Team::Real* pairs,
                        typename Team::Mask valid, EssentialStorage<typename Team::Real>& storage,
                        Sink& sink) {
    (void)find_basis(pairs, storage);
    EssentialSink<Team, Sink> essentials{storage.basis, sink};
    minimal::solve<minimal::FivePoint, kReflectors>(team, storage.basis, valid, kMostFiveSteps,
                                                    storage.solver, essentials);
}

}  // namespace pose

TL_DEVICE_END
