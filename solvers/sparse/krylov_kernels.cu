#include "solvers/sparse/krylov_kernels.h"

#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kKrylovThreads = 256;

struct KrylovShared {
    double part[kKrylovSums][kKrylovThreads];
};
/// Sums of a launch.
struct KrylovSums {
    double of[kKrylovSums];
};

/// Called by all threads of a block: the first one gets the sums of their values.
template <class B>
TL_D KrylovSums sums_of_block(const B& block, KrylovShared& shared, KrylovSums sums) {
    if (B::size == 1) return sums;
    for (int k = 0; k < kKrylovSums; ++k) shared.part[k][block.rank] = sums.of[k];
    for (std::uint32_t half = B::size / 2; half > 0; half /= 2) {
        block.sync();
        if (block.rank < half)
            for (int k = 0; k < kKrylovSums; ++k) {
                sums.of[k] += shared.part[k][block.rank + half];
                shared.part[k][block.rank] = sums.of[k];
            }
    }
    return sums;
}

/// Runs row(i, scalars, sums), which adds to the sums, for the rows of a block.
template <class Row>
struct OverRows {
    using Shared = KrylovShared;
    int n;
    double* partial;
    const KrylovScalars* scalars;
    Row row;

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        KrylovScalars s = *scalars;
        if (s.outcome != KrylovOutcome::running) return;
        int first = int(block.index) * kKrylovRows;
        int end = n - first < kKrylovRows ? n : first + kKrylovRows;
        KrylovSums sums{};
        for (int i = first + int(block.rank); i < end; i += int(B::size)) row(i, s, sums);
        sums = sums_of_block(block, shared, sums);
        if (block.rank == 0)
            for (int k = 0; k < kKrylovSums; ++k)
                partial[kKrylovSums * block.index + k] = sums.of[k];
    }
};

/// Adds the sums of blocks, and passes them to take(sums, scalars).
template <class Take>
struct FinishSums {
    using Shared = KrylovShared;
    int n_blocks;
    const double* partial;
    KrylovScalars* scalars;
    Take take;

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        if (scalars->outcome != KrylovOutcome::running) return;
        KrylovSums sums{};
        for (int i = int(block.rank); i < n_blocks; i += int(B::size))
            for (int k = 0; k < kKrylovSums; ++k) sums.of[k] += partial[kKrylovSums * i + k];
        sums = sums_of_block(block, shared, sums);
        if (block.rank == 0) take(sums, *scalars);
    }
};

/// Number of blocks for all rows.
std::uint32_t blocks_of(const KrylovRun& run) {
    return (static_cast<std::uint32_t>(run.n) + kKrylovRows - 1) / kKrylovRows;
}

template <class Row>
void over_rows(const KrylovRun& run, const char* name, Row row) {
    launch_blocks<kKrylovThreads>(run.stream, name, blocks_of(run),
                                  OverRows<Row>{run.n, run.partial, run.scalars, row});
}
template <class Take>
void finish_sums(const KrylovRun& run, const char* name, Take take) {
    launch_blocks<kKrylovThreads>(
        run.stream, name, 1,
        FinishSums<Take>{static_cast<int>(blocks_of(run)), run.partial, run.scalars, take});
}

/// False for NaN and infinity.
TL_D TL_ALWAYS_INLINE bool is_number(double value) {
    return value - value == 0;
}

/// Ends the iteration if the residual is small enough, or no number.
TL_D inline void test_residual(KrylovScalars& s, double rr) {
    s.rr = rr;
    if (!is_number(rr))
        s.outcome = KrylovOutcome::not_finite;
    else if (rr <= s.limit)
        s.outcome = KrylovOutcome::converged;
    else if (s.iterations >= s.most)
        s.outcome = KrylovOutcome::exhausted;
}

/// Ends with an outcome, or with not_finite where the sum that caused it is no number.
TL_D inline void end_with(KrylovScalars& s, KrylovOutcome outcome, double cause) {
    s.outcome = is_number(cause) ? outcome : KrylovOutcome::not_finite;
}

/// An inner product of two vectors counts as zero below this part of the product of their norms.
constexpr double kVanished = 1e-14;

}  // namespace

template <class T>
void measure_residual(const KrylovRun& run, const T* r) {
    over_rows(
        run, "residual", TL_LAMBDA(int i, const KrylovScalars&, KrylovSums& sums) {
            sums.of[0] += double(r[i]) * double(r[i]);
        });
    finish_sums(
        run, "sum",
        TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) { test_residual(s, sums.of[0]); });
}

template <class T>
void cg_direction(const KrylovRun& run, const CgVectors<T>& given) {
    CgVectors<T> v = given;
    over_rows(
        run, "r z", TL_LAMBDA(int i, const KrylovScalars&, KrylovSums& sums) {
            sums.of[0] += double(v.r[i]) * double(v.z[i]);
        });
    finish_sums(
        run, "sum", TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) {
            double rz = sums.of[0];
            if (!(rz > 0)) return end_with(s, KrylovOutcome::preconditioner, rz);
            s.beta = s.rz > 0 ? rz / s.rz : 0.0;
            s.rz = rz;
        });
    over_rows(
        run, "direction", TL_LAMBDA(int i, const KrylovScalars& s, KrylovSums&) {
            v.p[i] = s.beta == 0 ? v.z[i] : v.z[i] + T(s.beta) * v.p[i];
        });
}

template <class T>
void cg_step(const KrylovRun& run, const CgVectors<T>& given) {
    CgVectors<T> v = given;
    over_rows(
        run, "p q", TL_LAMBDA(int i, const KrylovScalars&, KrylovSums& sums) {
            sums.of[0] += double(v.p[i]) * double(v.q[i]);
        });
    finish_sums(
        run, "sum", TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) {
            s.curvature = sums.of[0];
            if (!(s.curvature > 0)) return end_with(s, KrylovOutcome::not_definite, s.curvature);
            s.alpha = s.rz / s.curvature;
        });
    over_rows(
        run, "update", TL_LAMBDA(int i, const KrylovScalars& s, KrylovSums& sums) {
            v.x[i] += T(s.alpha) * v.p[i];
            T r = v.r[i] - T(s.alpha) * v.q[i];
            v.r[i] = r;
            sums.of[0] += double(r) * double(r);
        });
    finish_sums(
        run, "sum", TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) {
            ++s.iterations;
            test_residual(s, sums.of[0]);
        });
}

template <class T>
void bicgstab_start(const KrylovRun& run, const BicgstabVectors<T>& given) {
    BicgstabVectors<T> v = given;
    over_rows(
        run, "shadow residual",
        TL_LAMBDA(int i, const KrylovScalars&, KrylovSums&) { v.shadow[i] = v.p[i] = v.r[i]; });
    finish_sums(
        run, "shadow residual", TL_LAMBDA(const KrylovSums&, KrylovScalars& s) {
            s.rho = s.rr;
            s.shadow_norm = sqrt(s.rr);
        });
}

template <class T>
void bicgstab_half(const KrylovRun& run, const BicgstabVectors<T>& given) {
    BicgstabVectors<T> v = given;
    over_rows(
        run, "shadow v", TL_LAMBDA(int i, const KrylovScalars&, KrylovSums& sums) {
            sums.of[0] += double(v.shadow[i]) * double(v.v[i]);
            sums.of[1] += double(v.v[i]) * double(v.v[i]);
        });
    finish_sums(
        run, "sum", TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) {
            double least = kVanished * s.shadow_norm * sqrt(sums.of[1]);
            if (!(fabs(sums.of[0]) > least))
                return end_with(s, KrylovOutcome::breakdown, sums.of[0]);
            s.alpha = s.rho / sums.of[0];
        });
    over_rows(
        run, "half step",
        TL_LAMBDA(int i, const KrylovScalars& s, KrylovSums&) { v.r[i] -= T(s.alpha) * v.v[i]; });
}

template <class T>
void bicgstab_step(const KrylovRun& run, const BicgstabVectors<T>& given) {
    BicgstabVectors<T> v = given;
    over_rows(
        run, "t s", TL_LAMBDA(int i, const KrylovScalars&, KrylovSums& sums) {
            sums.of[0] += double(v.t[i]) * double(v.r[i]);
            sums.of[1] += double(v.t[i]) * double(v.t[i]);
        });
    // A zero t means a zero s in exact arithmetic: the half step was a whole one.
    finish_sums(
        run, "sum", TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) {
            s.omega = sums.of[1] > 0 ? sums.of[0] / sums.of[1] : 0.0;
        });
    over_rows(
        run, "update", TL_LAMBDA(int i, const KrylovScalars& s, KrylovSums& sums) {
            v.x[i] += T(s.alpha) * v.p_hat[i] + T(s.omega) * v.s_hat[i];
            T r = v.r[i] - T(s.omega) * v.t[i];
            v.r[i] = r;
            sums.of[0] += double(r) * double(r);
            sums.of[1] += double(v.shadow[i]) * double(r);
        });
    finish_sums(
        run, "sum", TL_LAMBDA(const KrylovSums& sums, KrylovScalars& s) {
            ++s.iterations;
            test_residual(s, sums.of[0]);
            if (s.outcome != KrylovOutcome::running) return;
            double least = kVanished * s.shadow_norm * sqrt(sums.of[0]);
            if (s.omega == 0 || !(fabs(sums.of[1]) > least))
                return end_with(s, KrylovOutcome::breakdown, sums.of[1]);
            s.beta = sums.of[1] / s.rho * (s.alpha / s.omega);
            s.rho = sums.of[1];
        });
    over_rows(
        run, "direction", TL_LAMBDA(int i, const KrylovScalars& s, KrylovSums&) {
            v.p[i] = v.r[i] + T(s.beta) * (v.p[i] - T(s.omega) * v.v[i]);
        });
}

#define TL_INSTANTIATE(T)                                                      \
    template void measure_residual(const KrylovRun&, const T*);                \
    template void cg_direction(const KrylovRun&, const CgVectors<T>&);         \
    template void cg_step(const KrylovRun&, const CgVectors<T>&);              \
    template void bicgstab_start(const KrylovRun&, const BicgstabVectors<T>&); \
    template void bicgstab_half(const KrylovRun&, const BicgstabVectors<T>&);  \
    template void bicgstab_step(const KrylovRun&, const BicgstabVectors<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
