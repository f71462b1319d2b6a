#include "solvers/svd/divide_conquer.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "solvers/dense/matrix_kernels.h"
#include "solvers/svd/bidiagonal_qr.h"
#include "solvers/svd/merge_kernels.h"
#include "solvers/svd/merge_plan.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

template <class T>
class DivideAndConquer {
  public:
    DivideAndConquer(Blas& blas, std::vector<double> d, std::vector<double> e, MatrixView<T> u,
                     MatrixView<T> v)
        : blas_(blas),
          stream_(blas.stream()),
          n_(static_cast<int>(d.size())),
          d_(std::move(d)),
          e_(std::move(e)),
          u_(u),
          v_(v),
          parts_(split_bidiagonal(n_, kLeafSize)),
          values_(n_),
          spare_(stream_, n_, n_),
          small_(stream_, n_, n_) {}

    bool run(const Progress& progress) {
        solve_leaves();
        int n_levels = 0;
        for (auto& part : parts_) n_levels = std::max(n_levels, part.level);
        for (int level = n_levels - 1; level >= 0; --level) {
            if (progress && !progress(n_levels - 1 - level, n_levels)) return false;
            join_level(level);
        }
        sort_triplets<T>(stream_, values_, u_, v_, spare_.view());
        return true;
    }
    [[nodiscard]] std::vector<double> values() const { return values_; }

  private:
    void solve_leaves() {
        std::vector<LeafBlock> leaves;
        std::size_t size = 0;
        for (auto& part : parts_) {
            if (part.left >= 0) continue;
            leaves.push_back({part.row, part.rows, part.cols, size});
            size += static_cast<std::size_t>(part.rows) * part.rows +
                    static_cast<std::size_t>(part.cols) * part.cols;
        }
        std::vector<T> packed(size);
        tbb::parallel_for(std::size_t(0), leaves.size(),
                          [&](std::size_t i) { solve_leaf(leaves[i], packed.data()); });
        DeviceArray<LeafBlock> blocks(stream_, leaves);
        DeviceArray<T> vectors(stream_, packed);
        TL_DISPATCH(stream_.device(), set_identity<T>(stream_, u_));
        TL_DISPATCH(stream_.device(), set_identity<T>(stream_, v_));
        TL_DISPATCH(stream_.device(),
                    place_leaves<T>(stream_, blocks.view(), vectors.view(), u_, v_));
    }

    void solve_leaf(const LeafBlock& leaf, T* packed) {
        auto rows = static_cast<std::size_t>(leaf.rows), cols = static_cast<std::size_t>(leaf.cols);
        std::vector<double> d(d_.begin() + leaf.row, d_.begin() + leaf.row + leaf.rows);
        std::vector<double> e(e_.begin() + leaf.row, e_.begin() + leaf.row + leaf.rows);
        std::vector<double> u(rows * rows), v(cols * cols);
        small_bidiagonal_svd(d, e, leaf.cols > leaf.rows, std::numeric_limits<double>::epsilon(),
                             u.data(), v.data());
        std::copy(d.begin(), d.end(), values_.begin() + leaf.row);
        T* to = std::copy(u.begin(), u.end(), packed + leaf.offset);
        std::copy(v.begin(), v.end(), to);
    }

    /// The plans of a level, and their arrays for the device.
    struct Level {
        std::vector<int> parts;
        std::vector<MergePlan> plans;
        std::vector<Merge> merges;
        std::vector<int> owner, place, order, left_out;
        std::vector<double> poles, weights;
    };

    void join_level(int level) {
        Level now;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].level == level && parts_[i].left >= 0)
                now.parts.push_back(static_cast<int>(i));
        if (now.parts.empty()) return;
        plan(now);
        rotate(now);

        DeviceArray<Merge> merges(stream_, now.merges);
        DeviceArray<int> owner(stream_, now.owner);
        DeviceArray<int> place(stream_, now.place);
        DeviceArray<int> order(stream_, now.order);
        DeviceArray<int> left_out(stream_, now.left_out);
        DeviceArray<double> poles(stream_, now.poles);
        DeviceArray<double> weights(stream_, now.weights);
        DeviceArray<SecularRoot> roots(stream_, n_);
        DeviceArray<double> values(stream_, n_), new_weights(stream_, n_);
        SecularProblem problem{merges.view(), owner.view(), poles.view(),  weights.view(),
                               place.view(),  roots.view(), values.view(), new_weights.view()};
        TL_DISPATCH(stream_.device(), solve_secular(stream_, problem));
        for (bool right : {false, true}) {
            MatrixView<T> vectors = right ? v_ : u_;
            TL_DISPATCH(stream_.device(),
                        secular_vectors<T>(stream_, problem, right, small_.view()));
            TL_DISPATCH(stream_.device(),
                        permute_columns<T>(stream_, vectors, order.view(), spare_.view()));
            TL_DISPATCH(stream_.device(),
                        copy_flagged_columns<T>(stream_, spare_.view(), left_out.view(), vectors));
            multiply(now, right, vectors);
        }
        auto found = values.download(stream_);
        for (auto& merge : now.merges)
            std::copy_n(found.begin() + merge.row, merge.count, values_.begin() + merge.row);
    }

    void plan(Level& now) {
        std::vector<int> rows(n_, 0);
        for (int i : now.parts) {
            auto& part = parts_[i];
            for (int t = part.row; t < part.row + part.cols; ++t)
                rows[t] = t <= part.middle ? part.middle : part.middle + 1;
        }
        DeviceArray<int> z_rows(stream_, rows);
        DeviceArray<double> z_device(stream_, n_);
        TL_DISPATCH(stream_.device(),
                    gather_entries<T>(stream_, v_, z_rows.view(), z_device.view()));
        auto z = z_device.download(stream_);

        now.owner.assign(n_, -1);
        now.place.assign(n_, 0);
        now.order.resize(n_);
        std::iota(now.order.begin(), now.order.end(), 0);
        now.left_out.assign(n_, 0);
        now.poles.assign(n_, 0);
        now.weights.assign(n_, 0);
        MergeArrays arrays{values_, z, now.poles, now.weights, now.place, now.order};
        for (std::size_t m = 0; m < now.parts.size(); ++m) {
            auto& part = parts_[now.parts[m]];
            double beta = part.middle + 1 < part.row + part.cols ? e_[part.middle] : 0;
            auto plan = plan_merge(part, d_[part.middle], beta,
                                   std::numeric_limits<T>::epsilon() / 2, arrays);
            for (int t = part.row; t < part.row + part.rows; ++t) {
                now.owner[t] = static_cast<int>(m);
                now.left_out[t] = t - part.row >= plan.count;
            }
            now.merges.push_back({part.row, plan.count});
            now.plans.push_back(std::move(plan));
        }
    }

    /// Applies the deflating rotations of all joins, in tiles of rows.
    void rotate(const Level& now) {
        constexpr int kRows = 256;
        std::vector<ColumnRotation> rotations;
        std::vector<RotationTile> tiles;
        auto cover = [&](bool is_v, const Part& part, int n_rows, int begin, int end) {
            for (int row = 0; row < n_rows && begin < end; row += kRows)
                tiles.push_back({is_v, part.row + row, std::min(kRows, n_rows - row), begin, end});
        };
        for (std::size_t m = 0; m < now.parts.size(); ++m) {
            auto& part = parts_[now.parts[m]];
            auto& plan = now.plans[m];
            int begin = static_cast<int>(rotations.size());
            if (plan.has_null) rotations.push_back(plan.null_rotation);
            int begin_of_both = static_cast<int>(rotations.size());
            rotations.insert(rotations.end(), plan.rotations.begin(), plan.rotations.end());
            int end = static_cast<int>(rotations.size());
            cover(true, part, part.cols, begin, end);
            cover(false, part, part.rows, begin_of_both, end);
        }
        if (tiles.empty()) return;
        DeviceArray<RotationTile> device_tiles(stream_, tiles);
        DeviceArray<ColumnRotation> device_rotations(stream_, rotations);
        TL_DISPATCH(stream_.device(), rotate_columns<T>(stream_, u_, v_, device_tiles.view(),
                                                        device_rotations.view()));
    }

    /// Multiplies the children's vectors by the small problem's, without the zero blocks: top rows
    /// use columns of the upper child or of both, bottom rows those of the lower child or of both.
    void multiply(const Level& now, bool right, MatrixView<T> vectors) {
        MatrixView<const T> from = spare_.view(), small = small_.view();
        for (std::size_t m = 0; m < now.parts.size(); ++m) {
            auto& part = parts_[now.parts[m]];
            auto& plan = now.plans[m];
            int row = part.row, n_rows = right ? part.cols : part.rows;
            int top_rows = part.middle - part.row + 1, bottom = plan.first_bottom;
            blas_.gemm(Transpose::no, Transpose::no, T(1),
                       from.block(row, row, top_rows, plan.n_top),
                       small.block(row, row, plan.n_top, plan.count), T(0),
                       vectors.block(row, row, top_rows, plan.count));
            blas_.gemm(
                Transpose::no, Transpose::no, T(1),
                from.block(row + top_rows, row + bottom, n_rows - top_rows, plan.count - bottom),
                small.block(row + bottom, row, plan.count - bottom, plan.count), T(0),
                vectors.block(row + top_rows, row, n_rows - top_rows, plan.count));
        }
    }

    Blas& blas_;
    Stream& stream_;
    int n_;
    std::vector<double> d_, e_;
    MatrixView<T> u_, v_;
    std::vector<Part> parts_;
    std::vector<double> values_;
    Matrix<T> spare_, small_;
};

}  // namespace

template <class T>
std::vector<double> divide_and_conquer(Blas& blas, std::vector<double> d, std::vector<double> e,
                                       MatrixView<T> u, MatrixView<T> v, const Progress& progress) {
    if (d.empty()) return {};
    DivideAndConquer<T> solver(blas, std::move(d), std::move(e), u, v);
    return solver.run(progress) ? solver.values() : std::vector<double>{};
}

template std::vector<double> divide_and_conquer(Blas&, std::vector<double>, std::vector<double>,
                                                MatrixView<float>, MatrixView<float>,
                                                const Progress&);
template std::vector<double> divide_and_conquer(Blas&, std::vector<double>, std::vector<double>,
                                                MatrixView<double>, MatrixView<double>,
                                                const Progress&);

}  // namespace tl
