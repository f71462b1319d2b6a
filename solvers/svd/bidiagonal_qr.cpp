#include "solvers/svd/bidiagonal_qr.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace tl {
namespace {

/// The rotation that turns (f, g) into (r, 0). Input is scaled to about 1: no square overflows.
PlaneRotation rotation_of(double f, double g, double& r) {
    if (g == 0) {
        r = f;
        return {1, 0};
    }
    if (f == 0) {
        r = g;
        return {0, 1};
    }
    r = std::abs(f) > 1e-140 && std::abs(g) > 1e-140 ? std::sqrt(f * f + g * g) : std::hypot(f, g);
    return {f / r, g / r};
}

/// Singular values of [f g; 0 h], the larger one first.
std::pair<double, double> values_2x2(double f, double g, double h) {
    double larger = (std::hypot(f + h, g) + std::hypot(f - h, g)) / 2;
    return {larger, larger == 0 ? 0 : std::abs(f) * (std::abs(h) / larger)};
}

class Iteration {
  public:
    Iteration(std::span<double> d, std::span<double> e, double epsilon, const SweepSink& sink)
        : d_(d), e_(e), epsilon_(epsilon), sink_(sink) {
        n_ = static_cast<int>(d.size());
        tolerance_ = epsilon * std::clamp(std::pow(epsilon, -0.125), 10.0, 100.0);
        right_.resize(d.size());
        left_.resize(d.size());
        // Elements below this change no singular value by more than the tolerance.
        double smallest = std::abs(d[0]), mu = smallest;
        for (int i = 1; i < n_ && smallest > 0; ++i) {
            mu = std::abs(d[i]) * (mu / (mu + std::abs(e[i - 1])));
            smallest = std::min(smallest, mu);
        }
        threshold_ = std::max(tolerance_ * smallest / std::sqrt(double(n_)),
                              6.0 * n_ * n_ * std::numeric_limits<double>::min());
    }

    bool run(const std::function<bool(int, int)>& keep_going) {
        int last = n_ - 1;
        const int max_sweeps = 60 * n_ + 200;
        while (last > 0) {
            if (sweeps_ > max_sweeps)
                throw UserError(
                    "svd: the QR iteration did not converge; try the mode 'divide-conquer'");
            if (keep_going && sweeps_ % 16 == 0 && !keep_going(n_ - 1 - last, n_)) return false;
            int first = find_block(last);
            if (first == last) {
                --last;
            } else if (first + 1 == last) {
                diagonalise_pair(first);
                last -= 2;
            } else {
                step(first, last);
            }
        }
        return true;
    }

  private:
    /// The start of the unreduced block that ends at `last`; negligible elements are set to zero.
    int find_block(int last) {
        for (int i = last - 1; i >= 0; --i) {
            if (std::abs(e_[i]) <= threshold_) {
                e_[i] = 0;
                return i + 1;
            }
        }
        return 0;
    }

    void hand_out(int first, bool forward, int count) {
        ++sweeps_;
        if (!sink_) return;
        auto n = static_cast<std::size_t>(count);
        sink_({first, forward, std::span(right_).first(n), std::span(left_).first(n)});
    }

    /// Two-sided Jacobi: one rotation makes the 2 x 2 block symmetric, another diagonal.
    void diagonalise_pair(int i) {
        double f = d_[i], g = e_[i], h = d_[i + 1], r = 0;
        auto symmetric = rotation_of(f + h, -g, r);
        // The rotated rows (f, g), (0, h): [p q; q s].
        double p = symmetric.c * f, q = symmetric.c * g + symmetric.s * h;
        double s = symmetric.c * h - symmetric.s * g;
        double c = 1, t = 0;
        if (q != 0) {
            double theta = (s - p) / (2 * q);
            t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1.0));
            c = 1 / std::sqrt(1 + t * t);
        }
        PlaneRotation jacobi{c, -t * c};
        right_[0] = jacobi;
        left_[0] = {jacobi.c * symmetric.c - jacobi.s * symmetric.s,
                    jacobi.c * symmetric.s + jacobi.s * symmetric.c};
        d_[i] = p - t * q;
        d_[i + 1] = s + t * q;
        e_[i] = 0;
        hand_out(i, true, 1);
    }

    /// Sets to zero the elements that the convergence criteria of Demmel and Kahan allow, from the
    /// end to which the sweep moves small values. Returns whether there were any; `smallest`
    /// becomes a lower bound of the block's singular values.
    bool deflate(int first, int last, bool forward, double& smallest) {
        int count = last - first;
        auto diagonal = [&](int k) { return std::abs(d_[forward ? first + k : last - k]); };
        auto beside = [&](int k) -> double& { return e_[forward ? first + k : last - 1 - k]; };
        if (std::abs(beside(count - 1)) <= tolerance_ * diagonal(count)) {
            beside(count - 1) = 0;
            return true;
        }
        double mu = diagonal(0);
        smallest = mu;
        for (int k = 0; k < count; ++k) {
            if (std::abs(beside(k)) <= tolerance_ * mu) {
                beside(k) = 0;
                return true;
            }
            mu = mu == 0 ? 0 : diagonal(k + 1) * (mu / (mu + std::abs(beside(k))));
            smallest = std::min(smallest, mu);
        }
        return false;
    }

    /// The shift, or 0 if it would spoil the relative accuracy of small values or is negligible.
    double shift_of(int first, int last, bool forward, double smallest) const {
        double largest = 0;
        for (int i = first; i <= last; ++i) largest = std::max(largest, std::abs(d_[i]));
        for (int i = first; i < last; ++i) largest = std::max(largest, std::abs(e_[i]));
        if (n_ * tolerance_ * (smallest / largest) <= std::max(epsilon_, 0.01 * tolerance_))
            return 0;
        double head = std::abs(d_[forward ? first : last]);
        double shift = forward ? values_2x2(d_[last - 1], e_[last - 1], d_[last]).second
                               : values_2x2(d_[first], e_[first], d_[first + 1]).second;
        if (head > 0 && (shift / head) * (shift / head) < epsilon_) return 0;
        return shift;
    }

    /// One sweep over rows and columns first .. last. Sweeps start at the block's larger end.
    void step(int first, int last) {
        if (first != block_first_ || last > block_last_ || block_first_ < 0)
            forward_ = std::abs(d_[first]) >= std::abs(d_[last]);
        block_first_ = first;
        block_last_ = last;
        double smallest = 0;
        if (deflate(first, last, forward_, smallest)) return;
        double shift = shift_of(first, last, forward_, smallest);
        int count = last - first;
        if (forward_)
            sweep_forward(first, count, shift);
        else
            sweep_backward(first, last, shift);
        int end = forward_ ? last - 1 : first;
        if (std::abs(e_[end]) <= threshold_) e_[end] = 0;
        hand_out(first, forward_, count);
    }

    /// Chases the bulge created by the shift from the top to the bottom.
    void sweep_forward(int first, int count, double shift) {
        double* d = &d_[first];
        double* e = &e_[first];
        double r = 0;
        if (shift == 0) {
            // Without a shift the products can be computed without cancellation.
            PlaneRotation right{1, 0}, left{1, 0};
            for (int k = 0; k < count; ++k) {
                right = rotation_of(d[k] * right.c, e[k], r);
                if (k > 0) e[k - 1] = left.s * r;
                left = rotation_of(left.c * r, d[k + 1] * right.s, d[k]);
                right_[k] = right;
                left_[k] = left;
            }
            double end = d[count] * right.c;
            d[count] = end * left.c;
            e[count - 1] = end * left.s;
            return;
        }
        double f = (std::abs(d[0]) - shift) * (std::copysign(1.0, d[0]) + shift / d[0]);
        double g = e[0];
        for (int k = 0; k < count; ++k) {
            auto right = rotation_of(f, g, r);
            if (k > 0) e[k - 1] = r;
            f = right.c * d[k] + right.s * e[k];
            e[k] = right.c * e[k] - right.s * d[k];
            g = right.s * d[k + 1];
            d[k + 1] *= right.c;
            auto left = rotation_of(f, g, r);
            d[k] = r;
            f = left.c * e[k] + left.s * d[k + 1];
            d[k + 1] = left.c * d[k + 1] - left.s * e[k];
            if (k + 1 < count) {
                g = left.s * e[k + 1];
                e[k + 1] *= left.c;
            }
            right_[k] = right;
            left_[k] = left;
        }
        e[count - 1] = f;
    }

    /// Chases the bulge from the bottom to the top, as a forward sweep of the matrix turned by 180
    /// degrees and transposed. This swaps left and right, and a rotation of (a, b) becomes one of
    /// (b, a).
    void sweep_backward(int first, int last, double shift) {
        int count = last - first;
        std::reverse(d_.begin() + first, d_.begin() + last + 1);
        std::reverse(e_.begin() + first, e_.begin() + last);
        sweep_forward(first, count, shift);
        std::reverse(d_.begin() + first, d_.begin() + last + 1);
        std::reverse(e_.begin() + first, e_.begin() + last);
        std::reverse(right_.begin(), right_.begin() + count);
        std::reverse(left_.begin(), left_.begin() + count);
        std::swap(right_, left_);
        for (int k = 0; k < count; ++k) {
            right_[k].s = -right_[k].s;
            left_[k].s = -left_[k].s;
        }
    }

    std::span<double> d_, e_;
    double epsilon_, tolerance_ = 0, threshold_ = 0;
    const SweepSink& sink_;
    int n_ = 0;
    int sweeps_ = 0;
    int block_first_ = -1, block_last_ = -1;  ///< block of the previous sweep
    bool forward_ = true;
    std::vector<PlaneRotation> right_, left_;
};

void rotate_columns(double* a, double* b, int n, PlaneRotation rotation) {
    for (int i = 0; i < n; ++i) {
        double x = a[i], y = b[i];
        a[i] = rotation.c * x + rotation.s * y;
        b[i] = rotation.c * y - rotation.s * x;
    }
}

void rotate_sweep(double* vectors, int n, int first, bool forward,
                  std::span<const PlaneRotation> rotations) {
    int count = static_cast<int>(rotations.size());
    for (int k = 0; k < count; ++k) {
        int j = forward ? k : count - 1 - k;
        double* a = vectors + static_cast<std::size_t>(first + j) * n;
        rotate_columns(a, a + n, n, rotations[j]);
    }
}

void make_identity(double* a, int n) {
    std::fill(a, a + static_cast<std::size_t>(n) * n, 0.0);
    for (int i = 0; i < n; ++i) a[i + static_cast<std::size_t>(i) * n] = 1;
}

}  // namespace

bool bidiagonal_qr(std::span<double> d, std::span<double> e, double epsilon, const SweepSink& sink,
                   const std::function<bool(int done, int total)>& keep_going) {
    if (d.empty()) return true;
    return Iteration(d, e, epsilon, sink).run(keep_going);
}

void small_bidiagonal_svd(std::span<double> d, std::span<double> e, bool extra_column,
                          double epsilon, double* u, double* v) {
    int n = static_cast<int>(d.size()), n_cols = n + (extra_column ? 1 : 0);
    make_identity(u, n);
    make_identity(v, n_cols);
    auto column = [&](int j) { return v + static_cast<std::size_t>(j) * n_cols; };
    if (extra_column) {
        // Rotations of the last column with each previous one move its only element up and out.
        double bulge = e[n - 1];
        e[n - 1] = 0;
        for (int k = n - 1; k >= 0 && bulge != 0; --k) {
            auto rotation = rotation_of(d[k], bulge, d[k]);
            rotate_columns(column(k), column(n), n_cols, rotation);
            if (k == 0) break;
            bulge = -rotation.s * e[k - 1];
            e[k - 1] *= rotation.c;
        }
    }
    bidiagonal_qr(d, e, epsilon, [&](const RotationSweep& sweep) {
        rotate_sweep(v, n_cols, sweep.first, sweep.forward, sweep.right);
        rotate_sweep(u, n, sweep.first, sweep.forward, sweep.left);
    });
    for (int j = 0; j < n; ++j) {
        if (!std::signbit(d[j])) continue;
        d[j] = -d[j];
        for (int i = 0; i < n_cols; ++i) column(j)[i] = -column(j)[i];
    }
}

}  // namespace tl
