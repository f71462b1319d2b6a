// Golub & Reinsch's second half with the vectors on the device (Lahabar 2010, section 3.2.2): the
// host computes rotations ahead and uploads them in batches of sweeps.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "solvers/dense/matrix_kernels.h"
#include "solvers/svd/bidiagonal_qr.h"
#include "solvers/svd/rotation_sweeps.h"
#include "solvers/svd/svd_checks.h"
#include "solvers/svd/svd_dense.h"

namespace tl {
namespace {

/// Collects sweeps of one direction and applies kSweepsPerPass of them in one pass.
template <class T>
class SweepBatch {
  public:
    SweepBatch(Stream& stream, MatrixView<T> u, MatrixView<T> v)
        : stream_(stream), u_(u), v_(v), left_(size()), right_(size()) {}

    void add(const RotationSweep& sweep) {
        int last = sweep.first + static_cast<int>(sweep.left.size());
        if (count_ > 0 && sweep.forward != forward_) flush();
        forward_ = sweep.forward;
        if (count_ == 0) first_ = last_ = sweep.first;
        widen(sweep.first, last);
        for (int j = sweep.first; j < last; ++j) {
            auto at = static_cast<std::size_t>(j) * kSweepsPerPass + count_;
            auto& left = sweep.left[j - sweep.first];
            auto& right = sweep.right[j - sweep.first];
            left_[at] = {static_cast<T>(left.c), static_cast<T>(left.s)};
            right_[at] = {static_cast<T>(right.c), static_cast<T>(right.s)};
        }
        if (++count_ == kSweepsPerPass) flush();
    }

    void flush() {
        if (count_ == 0) return;
        auto begin = static_cast<std::size_t>(first_) * kSweepsPerPass;
        auto length = static_cast<std::size_t>(last_ - first_) * kSweepsPerPass;
        device_left_.assign(stream_, std::span<const RotationPair<T>>(&left_[begin], length));
        device_right_.assign(stream_, std::span<const RotationPair<T>>(&right_[begin], length));
        TL_DISPATCH(stream_.device(),
                    apply_sweeps<T>(stream_, u_, device_left_.view(), v_, device_right_.view(),
                                    first_, last_, forward_));
        clear(first_, last_);
        count_ = 0;
    }

  private:
    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(u_.cols) * kSweepsPerPass;
    }
    /// Fills with identity rotations the columns that a sweep does not reach.
    void clear(int first, int last) {
        auto begin = static_cast<std::ptrdiff_t>(first) * kSweepsPerPass;
        auto end = static_cast<std::ptrdiff_t>(last) * kSweepsPerPass;
        std::fill(left_.begin() + begin, left_.begin() + end, RotationPair<T>{1, 0});
        std::fill(right_.begin() + begin, right_.begin() + end, RotationPair<T>{1, 0});
    }
    void widen(int first, int last) {
        if (count_ == 0) {
            clear(first, last);
            last_ = last;
            return;
        }
        if (first < first_) clear(first, first_);
        if (last > last_) clear(last_, last);
        first_ = std::min(first, first_);
        last_ = std::max(last, last_);
    }

    Stream& stream_;
    MatrixView<T> u_, v_;
    std::vector<RotationPair<T>> left_, right_;
    DeviceArray<RotationPair<T>> device_left_, device_right_;
    int first_ = 0, last_ = 0, count_ = 0;
    bool forward_ = true;
};

}  // namespace

template <class T>
std::vector<double> bidiagonal_by_sweeps(Blas& blas, std::vector<double> d, std::vector<double> e,
                                         MatrixView<T> u, MatrixView<T> v,
                                         const Progress& progress) {
    Stream& stream = blas.stream();
    TL_DISPATCH(stream.device(), set_identity<T>(stream, u));
    TL_DISPATCH(stream.device(), set_identity<T>(stream, v));
    SweepBatch<T> batch(stream, u, v);
    bool done = bidiagonal_qr(d, e, std::numeric_limits<T>::epsilon() / 2,
                              std::bind_front(&SweepBatch<T>::add, &batch), progress);
    if (!done) return {};
    batch.flush();
    // Makes values non-negative by negating their right vectors.
    std::vector<T> signs;
    for (double& value : d) {
        signs.push_back(std::signbit(value) ? T(-1) : T(1));
        value = std::abs(value);
    }
    DeviceArray<T> device_signs(stream, signs);
    TL_DISPATCH(stream.device(), scale_columns<T>(stream, v, device_signs.view()));
    Matrix<T> spare(stream, u.rows, u.cols);
    sort_triplets<T>(stream, d, u, v, spare.view());
    return d;
}

template std::vector<double> bidiagonal_by_sweeps(Blas&, std::vector<double>, std::vector<double>,
                                                  MatrixView<float>, MatrixView<float>,
                                                  const Progress&);
template std::vector<double> bidiagonal_by_sweeps(Blas&, std::vector<double>, std::vector<double>,
                                                  MatrixView<double>, MatrixView<double>,
                                                  const Progress&);

}  // namespace tl
