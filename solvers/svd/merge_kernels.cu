#include "solvers/svd/merge_kernels.h"

#include <cmath>

#include "solvers/dense/tiles.h"
#include "solvers/svd/secular.h"

TL_DEVICE_BEGIN

namespace {

template <class T>
struct PlaceLeaf {
    using Shared = NoShared;
    View<const LeafBlock> leaves;
    View<const T> packed;
    MatrixView<T> u, v;

    TL_D void operator()(const TileBlock& block, Shared&) const {
        LeafBlock leaf = leaves[block.index];
        const T* from = packed.data + leaf.offset;
        fill(block, from, u, leaf.row, leaf.rows);
        fill(block, from + static_cast<std::size_t>(leaf.rows) * leaf.rows, v, leaf.row, leaf.cols);
    }

    TL_D void fill(const TileBlock& block, const T* from, const MatrixView<T>& to, int first,
                   int n) const {
        for (int k = static_cast<int>(block.rank); k < n * n; k += static_cast<int>(block.size))
            to(first + k % n, first + k / n) = from[k];
    }
};

template <class T>
struct RotateColumns {
    using Shared = NoShared;
    MatrixView<T> u, v;
    View<const RotationTile> tiles;
    View<const ColumnRotation> rotations;

    TL_D void operator()(const TileBlock& block, Shared&) const {
        RotationTile tile = tiles[block.index];
        MatrixView<T> a = u;
        if (tile.is_v) a = v;
        TileRows rows(block, 0, tile.row, tile.row + tile.count);
        for (int k = tile.begin; k < tile.end; ++k) {
            ColumnRotation rotation = rotations[k];
            T c = static_cast<T>(rotation.c), s = static_cast<T>(rotation.s);
            T* first = a.col(rotation.a) + rows.first;
            T* second = a.col(rotation.b) + rows.first;
            TL_FOR_ROWS(q, rows.count) {
                T x = first[q], y = second[q];
                first[q] = c * x + s * y;
                second[q] = c * y - s * x;
            }
        }
    }
};

TL_D SecularPoles poles_of(const SecularProblem& problem, const Merge& merge, bool anew) {
    return {problem.poles.data + merge.row,
            (anew ? problem.new_weights.data : problem.weights.data) + merge.row, merge.count};
}

struct FindRoots {
    struct Shared {
        BlockSum<double> sum;
    };
    SecularProblem problem;

    TL_D void operator()(const SecularBlock& block, Shared& shared) const {
        int index = static_cast<int>(block.index);
        int owner = problem.owner[block.index];
        if (owner < 0) return;
        Merge merge = problem.merges[owner];
        int i = index - merge.row;
        if (i >= merge.count) return;
        auto poles = poles_of(problem, merge, false);
        SecularRoot root{0, fabs(poles.z[0])};
        if (merge.count > 1) root = find_root(block, shared.sum, poles, i);
        if (block.rank != 0) return;
        problem.roots[block.index] = root;
        problem.values[block.index] = poles.d[root.origin] + root.offset;
    }
};

/// z_k^2 = (s_K^2 - d_k^2) prod_{i<k} (s_i^2 - d_k^2) / (d_i^2 - d_k^2)
///         prod_{k<=i<K-1} (s_i^2 - d_k^2) / (d_{i+1}^2 - d_k^2); every factor is below 1.
struct FindWeights {
    struct Shared {
        double part[kSecularThreads];
    };
    SecularProblem problem;

    TL_D void operator()(const SecularBlock& block, Shared& shared) const {
        int owner = problem.owner[block.index];
        if (owner < 0) return;
        Merge merge = problem.merges[owner];
        int k = static_cast<int>(block.index) - merge.row;
        if (k >= merge.count) return;
        auto poles = poles_of(problem, merge, false);
        const SecularRoot* roots = problem.roots.data + merge.row;
        double d_k = poles.d[k], product = 1;
        for (int i = static_cast<int>(block.rank); i + 1 < merge.count;
             i += static_cast<int>(block.size)) {
            double pole = poles.d[i < k ? i : i + 1];
            double above = poles.difference(k, poles.d[roots[i].origin], roots[i].offset);
            product *= above / ((d_k - pole) * (d_k + pole));
        }
        shared.part[block.rank] = product;
        block.sync();
        if (block.rank != 0) return;
        const SecularRoot& last = roots[merge.count - 1];
        double square = -poles.difference(k, poles.d[last.origin], last.offset);
        for (std::uint32_t t = 0; t < block.size; ++t) square *= shared.part[t];
        double weight = sqrt(fabs(square));
        problem.new_weights[block.index] = poles.z[k] < 0 ? -weight : weight;
    }
};

/// Right vectors: z_k / (d_k^2 - s^2); left ones: d_k times that, and -1 at the pole at zero.
template <class T>
struct FindVectors {
    struct Shared {
        BlockSum<double> sum;
    };
    SecularProblem problem;
    bool right;
    MatrixView<T> q;

    TL_D void operator()(const SecularBlock& block, Shared& shared) const {
        int owner = problem.owner[block.index];
        if (owner < 0) return;
        Merge merge = problem.merges[owner];
        int i = static_cast<int>(block.index) - merge.row;
        if (i >= merge.count) return;
        auto poles = poles_of(problem, merge, true);
        SecularRoot root = problem.roots[block.index];
        double origin = poles.d[root.origin];
        double squares = 0;
        for (int k = static_cast<int>(block.rank); k < merge.count;
             k += static_cast<int>(block.size)) {
            double value = element(poles, k, origin, root.offset);
            squares += value * value;
        }
        squares = block_sum(block, shared.sum, squares);
        double factor = squares > 0 ? 1 / sqrt(squares) : 1;
        T* column = q.col(merge.row + i) + merge.row;
        const int* place = problem.place.data + merge.row;
        for (int k = static_cast<int>(block.rank); k < merge.count;
             k += static_cast<int>(block.size))
            column[place[k]] = static_cast<T>(element(poles, k, origin, root.offset) * factor);
    }

    [[nodiscard]] TL_D double element(const SecularPoles& poles, int k, double origin,
                                      double offset) const {
        if (poles.count == 1) return right && poles.z[0] < 0 ? -1 : 1;
        if (!right && k == 0) return -1;
        double value = poles.z[k] / poles.difference(k, origin, offset);
        return right ? value : poles.d[k] * value;
    }
};

}  // namespace

template <class T>
void place_leaves(Stream& stream, View<const LeafBlock> leaves, View<const T> packed,
                  MatrixView<T> u, MatrixView<T> v) {
    launch_blocks<kTile>(stream, "place leaves", static_cast<std::uint32_t>(leaves.size),
                         PlaceLeaf<T>{leaves, packed, u, v});
}

template <class T>
void gather_entries(Stream& stream, MatrixView<const T> v, View<const int> rows, View<double> out) {
    parallel_for(
        stream, "gather z", static_cast<std::uint32_t>(rows.size), TL_LAMBDA(std::uint32_t t) {
            out[t] = static_cast<double>(v(rows[t], static_cast<int>(t)));
        });
}

template <class T>
void rotate_columns(Stream& stream, MatrixView<T> u, MatrixView<T> v,
                    View<const RotationTile> tiles, View<const ColumnRotation> rotations) {
    launch_blocks<kTile>(stream, "deflating rotations", static_cast<std::uint32_t>(tiles.size),
                         RotateColumns<T>{u, v, tiles, rotations});
}

void solve_secular(Stream& stream, const SecularProblem& problem) {
    auto n = static_cast<std::uint32_t>(problem.owner.size);
    launch_blocks<kSecularThreads>(stream, "secular roots", n, FindRoots{problem});
    launch_blocks<kSecularThreads>(stream, "secular weights", n, FindWeights{problem});
}

template <class T>
void secular_vectors(Stream& stream, const SecularProblem& problem, bool right, MatrixView<T> q) {
    launch_blocks<kSecularThreads>(stream, "secular vectors",
                                   static_cast<std::uint32_t>(problem.owner.size),
                                   FindVectors<T>{problem, right, q});
}

template <class T>
void copy_flagged_columns(Stream& stream, MatrixView<const T> from, View<const int> flags,
                          MatrixView<T> to) {
    for_elements(
        stream, "copy columns", to.rows, static_cast<int>(flags.size), TL_LAMBDA(int i, int j) {
            if (flags[j]) to(i, j) = from(i, j);
        });
}

#define TL_INSTANTIATE(T)                                                                         \
    template void place_leaves(Stream&, View<const LeafBlock>, View<const T>, MatrixView<T>,      \
                               MatrixView<T>);                                                    \
    template void gather_entries(Stream&, MatrixView<const T>, View<const int>, View<double>);    \
    template void rotate_columns(Stream&, MatrixView<T>, MatrixView<T>, View<const RotationTile>, \
                                 View<const ColumnRotation>);                                     \
    template void secular_vectors(Stream&, const SecularProblem&, bool, MatrixView<T>);           \
    template void copy_flagged_columns(Stream&, MatrixView<const T>, View<const int>,             \
                                       MatrixView<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
