#include "solvers/complex/complex_eigen_kernels.h"

#include <cmath>
#include <limits>

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kThreads = 128;
using EigenBlock = Block<kThreads>;

template <class T>
TL_D T absolute(Complex<T> z) {
    T re = z.re < 0 ? -z.re : z.re, im = z.im < 0 ? -z.im : z.im;
    T large = re > im ? re : im, small = re > im ? im : re;
    if (!(large > 0)) return large;
    T ratio = small / large;
    using std::sqrt;
    return large * sqrt(1 + ratio * ratio);
}

/// The root whose real part is not negative.
template <class T>
TL_D Complex<T> square_root(Complex<T> z) {
    T size = absolute(z);
    if (!(size > 0)) return Complex<T>(0);
    using std::sqrt;
    T half = sqrt((size + (z.re < 0 ? -z.re : z.re)) / 2);
    T other = z.im / (2 * half);
    if (z.re >= 0) return {half, other};
    return z.im < 0 ? Complex<T>(-other, -half) : Complex<T>(other, half);
}

/// [c s; -conj(s) c] (x, y) = (r, 0), c real.
template <class T>
struct Rotation {
    T c;
    Complex<T> s, r;

    TL_D Rotation(Complex<T> x, Complex<T> y) : c(1), s(0), r(x) {
        T of_x = absolute(x), of_y = absolute(y);
        if (!(of_y > 0)) return;
        T length = absolute(Complex<T>(of_x, of_y));
        Complex<T> phase = of_x > 0 ? x * (1 / of_x) : Complex<T>(1);
        c = of_x / length;
        s = phase * conjugate(y) * (1 / length);
        r = phase * length;
    }
};

template <class T>
struct SolveMatrix {
    struct Shared {
        BlockSum<T> sum;
        T largest[kThreads];
    };
    ComplexEigenTask<T> task;

    /// One matrix in the memory of its block.
    struct Work {
        int n;
        Complex<T>*h, *z, *x;
        Complex<T>* scale;  ///< the powers of two of balancing, as real parts
        Complex<T>* sums;   ///< of a reflector, on the CPU
        bool vectors;
        TL_D Complex<T>& at(int i, int j) const { return h[static_cast<std::size_t>(i) * n + j]; }
        TL_D Complex<T>& vector(int i, int j) const {
            return z[static_cast<std::size_t>(i) * n + j];
        }
        TL_D Complex<T>& in_schur(int i, int j) const {
            return x[static_cast<std::size_t>(i) * n + j];
        }
    };

    TL_D void operator()(const EigenBlock& block, Shared& shared) const {
        auto index = static_cast<std::size_t>(block.index);
        int n = task.n;
        auto rows = static_cast<std::size_t>(n), size = rows * rows;
        Complex<T>* memory = task.memory + index * complex_eigen_memory(n, task.vectors);
        Work w{n,
               memory,
               memory + size,
               memory + 2 * size,
               memory + (task.vectors ? 3 : 1) * size,
               memory + (task.vectors ? 3 : 1) * size + rows,
               task.vectors};
        int exponent = 0;
        bool finite = load(block, shared, w, task.a + index * size, exponent);
        int sweeps = 0;
        bool solved = finite;
        if (finite) {
            if (task.balance) balance(block, shared, w);
            reduce(block, shared, w);
            solved = iterate(block, w, sweeps);
        }
        if (solved) {
            write_values(block, w, exponent, task.values + index * rows);
            if (w.vectors) find_vectors(block, w, task.vectors_to + index * size);
        } else {
            T nan = std::numeric_limits<T>::quiet_NaN();
            for (auto e = static_cast<std::size_t>(block.rank); e < size; e += block.size) {
                if (e < rows) task.values[index * rows + e] = {nan, nan};
                if (w.vectors) task.vectors_to[index * size + e] = {nan, nan};
            }
        }
        if (block.rank != 0) return;
        task.sweeps[index] = sweeps;
        auto status = EigenStatus::solved;
        if (!solved) status = finite ? EigenStatus::not_converged : EigenStatus::not_finite;
        task.status[index] = static_cast<int>(status);
    }

  private:
    /// The matrix over 2^exponent, so that the largest part of an element is about 1. Returns
    /// whether it is finite.
    TL_D bool load(const EigenBlock& block, Shared& shared, const Work& w, const Complex<T>* a,
                   int& exponent) const {
        auto size = static_cast<std::size_t>(w.n) * w.n;
        T most = 0, zeros = 0;
        for (auto e = static_cast<std::size_t>(block.rank); e < size; e += block.size) {
            T re = a[e].re < 0 ? -a[e].re : a[e].re, im = a[e].im < 0 ? -a[e].im : a[e].im;
            most = re > most ? re : most;
            most = im > most ? im : most;
            zeros += re * 0 + im * 0;
        }
        shared.largest[block.rank] = most;
        // NaN unless all are finite.
        zeros = block_sum(block, shared.sum, zeros);
        block.sync();
        for (std::uint32_t t = 0; t < block.size; ++t)
            most = shared.largest[t] > most ? shared.largest[t] : most;
        if (!(zeros == 0)) return false;
        if (most > 0) (void)std::frexp(most, &exponent);
        for (auto e = static_cast<std::size_t>(block.rank); e < size; e += block.size) {
            w.h[e] = {std::ldexp(a[e].re, -exponent), std::ldexp(a[e].im, -exponent)};
            auto n = static_cast<std::size_t>(w.n);
            if (w.vectors) w.z[e] = Complex<T>(e / n == e % n ? 1 : 0);
        }
        for (int i = static_cast<int>(block.rank); i < w.n; i += static_cast<int>(block.size))
            w.scale[i] = Complex<T>(1);
        block.sync();
        return true;
    }

    /// D^-1 A D with powers of two, so that rows and columns have about the same size (Parlett &
    /// Reinsch 1969).
    TL_D void balance(const EigenBlock& block, Shared& shared, const Work& w) const {
        constexpr int kMostPasses = 20;
        constexpr T kEnough = T(0.95f);
        bool changed = true;
        for (int pass = 0; pass < kMostPasses && changed; ++pass) {
            changed = false;
            for (int i = 0; i < w.n; ++i) {
                T c = 0, r = 0;
                for (int j = static_cast<int>(block.rank); j < w.n;
                     j += static_cast<int>(block.size)) {
                    if (j == i) continue;
                    c += abs1(w.at(j, i));
                    r += abs1(w.at(i, j));
                }
                c = block_sum(block, shared.sum, c);
                r = block_sum(block, shared.sum, r);
                if (!(c > 0) || !(r > 0)) continue;
                T factor = 1, before = c + r;
                for (T goal = r / 2; c < goal; c *= 4) factor *= 2;
                for (T goal = r * 2; c >= goal; c /= 4) factor /= 2;
                if (!((c + r) / factor < kEnough * before)) continue;
                changed = true;
                block.sync();
                for (int j = static_cast<int>(block.rank); j < w.n;
                     j += static_cast<int>(block.size)) {
                    if (j == i) {
                        w.scale[i].re *= factor;
                    } else {
                        w.at(i, j) = w.at(i, j) * (1 / factor);
                        w.at(j, i) = w.at(j, i) * factor;
                    }
                }
                block.sync();
            }
        }
    }

    /// The Hessenberg form Q^H A Q by Householder reflectors, and Q.
    TL_D void reduce(const EigenBlock& block, Shared& shared, const Work& w) const {
        using std::sqrt;
        for (int k = 0; k + 2 < w.n; ++k) {
            T squares = 0;
            for (int i = k + 2 + static_cast<int>(block.rank); i < w.n;
                 i += static_cast<int>(block.size)) {
                Complex<T> y = w.at(i, k);
                squares += y.re * y.re + y.im * y.im;
            }
            squares = block_sum(block, shared.sum, squares);
            Complex<T> alpha = w.at(k + 1, k);
            if (!(squares > 0)) {
                block.sync();
                clear_column(block, w, k, alpha);
                continue;
            }
            T length = sqrt(alpha.re * alpha.re + alpha.im * alpha.im + squares);
            T beta = alpha.re >= 0 ? -length : length;
            Complex<T> tau((beta - alpha.re) / beta, -alpha.im / beta);
            Complex<T> divisor(alpha.re - beta, alpha.im);
            block.sync();
            // The reflector I - tau v v^H; v lies below the diagonal of its column.
            for (int i = k + 1 + static_cast<int>(block.rank); i < w.n;
                 i += static_cast<int>(block.size))
                w.at(i, k) = i == k + 1 ? Complex<T>(1) : w.at(i, k) / divisor;
            block.sync();
            reflect_columns(block, w, k, conjugate(tau));
            block.sync();
            reflect_rows(block, w, k, tau, w.h);
            if (w.vectors) reflect_rows(block, w, k, tau, w.z);
            block.sync();
            clear_column(block, w, k, Complex<T>(beta));
        }
        block.sync();
    }

    TL_D void clear_column(const EigenBlock& block, const Work& w, int k, Complex<T> first) const {
        for (int i = k + 1 + static_cast<int>(block.rank); i < w.n;
             i += static_cast<int>(block.size))
            w.at(i, k) = i == k + 1 ? first : Complex<T>(0);
        block.sync();
    }

    /// H = (I - tau v v^H) H in the columns at the right of v's.
    TL_D void reflect_columns(const EigenBlock& block, const Work& w, int k, Complex<T> tau) const {
#if defined(__CUDACC__)
        for (int j = k + 1 + static_cast<int>(block.rank); j < w.n;
             j += static_cast<int>(block.size)) {
            Complex<T> sum(0);
            for (int i = k + 1; i < w.n; ++i) sum += conjugate(w.at(i, k)) * w.at(i, j);
            sum = tau * sum;
            for (int i = k + 1; i < w.n; ++i) w.at(i, j) -= w.at(i, k) * sum;
        }
#else
        // Loops go along rows, which are contiguous in memory.
        (void)block;
        Complex<T>* sums = w.sums;
        for (int j = k + 1; j < w.n; ++j) sums[j] = Complex<T>(0);
        for (int i = k + 1; i < w.n; ++i) {
            Complex<T> v = conjugate(w.at(i, k));
            for (int j = k + 1; j < w.n; ++j) sums[j] += v * w.at(i, j);
        }
        for (int i = k + 1; i < w.n; ++i) {
            Complex<T> v = w.at(i, k) * tau;
            for (int j = k + 1; j < w.n; ++j) w.at(i, j) -= v * sums[j];
        }
#endif
    }

    /// M = M (I - tau v v^H).
    TL_D void reflect_rows(const EigenBlock& block, const Work& w, int k, Complex<T> tau,
                           Complex<T>* m) const {
        for (int i = static_cast<int>(block.rank); i < w.n; i += static_cast<int>(block.size)) {
            Complex<T>* row = m + static_cast<std::size_t>(i) * w.n;
            Complex<T> sum(0);
            for (int j = k + 1; j < w.n; ++j) sum += row[j] * w.at(j, k);
            sum = tau * sum;
            for (int j = k + 1; j < w.n; ++j) row[j] -= sum * conjugate(w.at(j, k));
        }
    }

    /// The upper triangular Schur form, and its vectors. All threads compute the same scalars.
    /// Returns false where the limit of sweeps was reached.
    TL_D bool iterate(const EigenBlock& block, const Work& w, int& sweeps) const {
        int high = w.n - 1, since = 0, limit = task.sweep_limit * w.n;
        while (high >= 0) {
            int low = high;
            while (low > 0 && !is_negligible(w, low)) --low;
            block.sync();
            if (low > 0 && block.rank == 0) w.at(low, low - 1) = Complex<T>(0);
            block.sync();
            if (low == high) {
                --high;
                since = 0;
                continue;
            }
            if (sweeps == limit) return false;
            ++sweeps;
            ++since;
            sweep(block, w, low, high, shift_of(w, low, high, since));
        }
        return true;
    }

    TL_D bool is_negligible(const Work& w, int i) const {
        T size = abs1(w.at(i, i - 1));
        T around = abs1(w.at(i - 1, i - 1)) + abs1(w.at(i, i));
        // The elements of the matrix are about 1.
        if (!(around > 0)) around = 1;
        return size <= std::numeric_limits<T>::epsilon() * around ||
               size <= std::numeric_limits<T>::min();
    }

    /// The eigenvalue of the last 2x2 block that is nearer to its last element (Wilkinson), and in
    /// every tenth sweep without one a shift that breaks cycles.
    TL_D Complex<T> shift_of(const Work& w, int low, int high, int since) const {
        constexpr int kExceptional = 10;
        constexpr T kPart = T(0.75f);
        if (since % (2 * kExceptional) == kExceptional)
            return w.at(low, low) + Complex<T>(kPart * abs1(w.at(low + 1, low)));
        Complex<T> d = w.at(high, high);
        if (since % (2 * kExceptional) == 0)
            return d + Complex<T>(kPart * abs1(w.at(high, high - 1)));
        Complex<T> half = (w.at(high - 1, high - 1) - d) * T(0.5f);
        // The product of roots, since one factor may be far smaller than the other.
        Complex<T> root_b = square_root(w.at(high - 1, high)),
                   root_c = square_root(w.at(high, high - 1)), u = root_b * root_c;
        if (!(abs1(u) > 0)) return d;
        Complex<T> root = square_root(half * half + u * u);
        if (half.re * root.re + half.im * root.im < 0) root = -root;
        return d - u * (u / (half + root));
    }

    /// A sweep of the QR algorithm in the rows and columns from `low` to `high`.
    TL_D void sweep(const EigenBlock& block, const Work& w, int low, int high,
                    Complex<T> shift) const {
        int rank = static_cast<int>(block.rank), step = static_cast<int>(block.size);
        for (int k = low; k < high; ++k) {
            bool is_first = k == low;
            Rotation<T> g = is_first ? Rotation<T>(w.at(k, k) - shift, w.at(k + 1, k))
                                     : Rotation<T>(w.at(k, k - 1), w.at(k + 1, k - 1));
            block.sync();
            if (!is_first && rank == 0) {
                w.at(k, k - 1) = g.r;
                w.at(k + 1, k - 1) = Complex<T>(0);
            }
            int end = w.vectors ? w.n : high + 1, begin = w.vectors ? 0 : low;
            for (int j = k + rank; j < end; j += step) {
                Complex<T> upper = w.at(k, j), lower = w.at(k + 1, j);
                w.at(k, j) = upper * g.c + g.s * lower;
                w.at(k + 1, j) = lower * g.c - conjugate(g.s) * upper;
            }
            block.sync();
            int last = k + 2 < high ? k + 2 : high;
            for (int i = begin + rank; i <= last; i += step)
                rotate_columns(w.at(i, k), w.at(i, k + 1), g);
            if (w.vectors)
                for (int i = rank; i < w.n; i += step)
                    rotate_columns(w.vector(i, k), w.vector(i, k + 1), g);
            block.sync();
        }
    }

    TL_D static void rotate_columns(Complex<T>& left, Complex<T>& right, const Rotation<T>& g) {
        Complex<T> x = left, y = right;
        left = x * g.c + conjugate(g.s) * y;
        right = y * g.c - g.s * x;
    }

    TL_D void write_values(const EigenBlock& block, const Work& w, int exponent,
                           Complex<T>* to) const {
        for (int i = static_cast<int>(block.rank); i < w.n; i += static_cast<int>(block.size)) {
            Complex<T> value = w.at(i, i);
            to[i] = {std::ldexp(value.re, exponent), std::ldexp(value.im, exponent)};
        }
    }

    /// Vectors of the Schur form by substitution, then those of the matrix, of unit length, whose
    /// largest component is real and positive.
    TL_D void find_vectors(const EigenBlock& block, const Work& w, Complex<T>* to) const {
        int rank = static_cast<int>(block.rank), step = static_cast<int>(block.size), n = w.n;
        for (int k = rank; k < n; k += step) substitute(w, k);
        block.sync();
        for (int i = 0; i < n; ++i) {
            Complex<T>* row = to + static_cast<std::size_t>(i) * n;
            for (int k = rank; k < n; k += step) row[k] = Complex<T>(0);
            for (int j = 0; j < n; ++j) {
                Complex<T> z = w.vector(i, j);
                int first = rank;
                if (j > first) first += (j - first + step - 1) / step * step;
                for (int k = first; k < n; k += step) row[k] += z * w.in_schur(j, k);
            }
        }
        for (int k = rank; k < n; k += step) normalise(w, k, to);
    }

    /// Column k of the vectors of the Schur form: zero below row k, where it is 1.
    TL_D void substitute(const Work& w, int k) const {
        constexpr T kLarge = sizeof(T) == sizeof(double) ? T(1e100) : T(1e15f);
        Complex<T> value = w.at(k, k);
        T least = std::numeric_limits<T>::epsilon() * abs1(value);
        if (!(least > std::numeric_limits<T>::min())) least = std::numeric_limits<T>::min();
        w.in_schur(k, k) = Complex<T>(1);
        for (int i = k - 1; i >= 0; --i) {
            Complex<T> sum(0);
            for (int j = i + 1; j <= k; ++j) sum += w.at(i, j) * w.in_schur(j, k);
            Complex<T> difference = w.at(i, i) - value;
            if (abs1(difference) < least) difference = Complex<T>(least);
            // A component that would be too large becomes about 1, and all others smaller.
            T size = abs1(sum), divisor = abs1(difference);
            if (divisor < 1 && size > divisor * kLarge) {
                T scale = divisor / size;
                for (int j = i + 1; j <= k; ++j) w.in_schur(j, k) = w.in_schur(j, k) * scale;
                sum = sum * scale;
            }
            w.in_schur(i, k) = -(sum / difference);
        }
    }

    TL_D void normalise(const Work& w, int k, Complex<T>* to) const {
        auto at = [&](int i) -> Complex<T>& { return to[static_cast<std::size_t>(i) * w.n + k]; };
        T most = 0;
        int largest = 0;
        for (int i = 0; i < w.n; ++i) {
            at(i) = at(i) * w.scale[i].re;
            T size = absolute(at(i));
            if (size > most) {
                most = size;
                largest = i;
            }
        }
        if (!(most > 0)) return;
        Complex<T> turn = conjugate(at(largest)) * (1 / most);
        T squares = 0;
        for (int i = 0; i < w.n; ++i) {
            at(i) = at(i) * (1 / most);
            squares += at(i).re * at(i).re + at(i).im * at(i).im;
        }
        using std::sqrt;
        T length = sqrt(squares);
        for (int i = 0; i < w.n; ++i) at(i) = turn * at(i) * (1 / length);
        at(largest).im = 0;
    }
};

}  // namespace

template <class T>
void solve_complex_blocks(Stream& stream, const ComplexEigenTask<T>& task) {
    launch_blocks<kThreads, typename SolveMatrix<T>::Shared>(stream, "complex eigenvalues",
                                                             static_cast<std::uint32_t>(task.count),
                                                             SolveMatrix<T>{task});
}

template void solve_complex_blocks(Stream&, const ComplexEigenTask<float>&);
template void solve_complex_blocks(Stream&, const ComplexEigenTask<double>&);

TL_DEVICE_END
