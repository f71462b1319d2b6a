// Singular values of an upper bidiagonal matrix by implicit QR sweeps on the host (Golub & Kahan
// 1965; Lahabar 2010, algorithm 3), with zero shifts where a shift would lose relative accuracy of
// small values (Demmel & Kahan 1990). The plane rotations of each sweep are passed to the caller,
// which can apply them to the singular vectors on any device at any time.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace tl {

/// One rotation: (a, b) becomes (c a + s b, c b - s a).
struct PlaneRotation {
    double c, s;
};

/// The rotations of a sweep: rotation j acts on columns first + j and first + j + 1 of the right
/// vectors (Y) and of the left vectors (X). A forward sweep applies them from first to last.
struct RotationSweep {
    int first;
    bool forward;
    std::span<const PlaneRotation> right, left;
};
/// Called for every sweep; may be empty.
using SweepSink = std::function<void(const RotationSweep&)>;

/// Turns diagonal `d` (n) and superdiagonal `e` (n - 1, or longer) into singular values (unsorted,
/// of either sign) and zeros. `epsilon` is the requested relative accuracy. Throws UserError if the
/// sweeps do not converge (known only for input that is not finite). If `keep_going` returns false,
/// stops early and returns false, with d unfinished.
bool bidiagonal_qr(std::span<double> d, std::span<double> e, double epsilon, const SweepSink& sink,
                   const std::function<bool(int done, int total)>& keep_going = {});

/// SVD of a small bidiagonal block with n rows and n (e has n - 1) or n + 1 columns (e has n): U (n
/// x n) and V (n + 1 or n, square) are column-major and overwritten. The last column of a V with n
/// + 1 columns is the block's null vector. d becomes the values, non-negative and unsorted.
void small_bidiagonal_svd(std::span<double> d, std::span<double> e, bool extra_column,
                          double epsilon, double* u, double* v);

}  // namespace tl
