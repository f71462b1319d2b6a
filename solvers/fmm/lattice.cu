#include "solvers/fmm/lattice.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "core/device/block.h"
#include "solvers/fmm/pair_sums.h"

TL_DEVICE_BEGIN

namespace pairs {

/// P2M, a block for each leaf.
template <class Real>
struct LeafStrengths {
    static constexpr int kThreads = 128, kTile = 32;
    struct Shared {
        Real weights[kTile][3][kMostRow];  ///< those of axis 0 times the strength
    };

    SumFrame frame;
    LatticeTables<Real> tables;
    View<const SumNode> nodes;
    View<const SumPoint<Real>> sources;
    View<Real> strengths;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        const SumNode& node = nodes[block.index];
        if (!node.is_leaf() || node.n_sources() == 0) return;
        constexpr int kLanes = kWideLanes<Real>;
        const int p = tables.size.p;
        const auto row = static_cast<std::uint32_t>(whole_lanes<Real>(p) / kLanes);
        LatticePlace<Real> place(frame, node, tables.size);
        Real* out = &strengths[block.index * lattice_words<Real>(p)];
        for (std::uint32_t begin = node.source_begin; begin < node.source_end; begin += kTile) {
            std::uint32_t n = node.source_end - begin < kTile ? node.source_end - begin : kTile;
            block.sync();
            for (std::uint32_t e = block.rank; e < n; e += block.size) {
                SumPoint<Real> point = sources[begin + e];
                Real at[3] = {point.x, point.y, point.z};
                for (int axis = 0; axis < 3; ++axis)
                    lattice_weights<Real>(p, tables.factors, place.index(axis, at[axis]),
                                          shared.weights[e][axis], nullptr);
                for (int i = 0; i < p; ++i) shared.weights[e][0][i] *= point.strength;
            }
            block.sync();
            for (std::uint32_t v = block.rank; v < static_cast<std::uint32_t>(p * p) * row;
                 v += block.size) {
                auto ij = static_cast<int>(v / row), k = static_cast<int>(v % row) * kLanes;
                int i = ij / p, j = ij % p;
                Wide<Real> sum = load_wide(out + v * kLanes);
                for (std::uint32_t e = 0; e < n; ++e) {
                    auto& of = shared.weights[e];
                    sum = sum + Wide<Real>(of[0][i] * of[1][j]) * load_wide(of[2] + k);
                }
                store_wide(out + v * kLanes, sum);
            }
        }
    }
};

/// Adds a lattice to another one, interpolated by a matrix for each axis. A block calls it.
template <class Real>
struct LatticeTransfer {
    static constexpr int kMostWords = PairSumConfig::kMostOrder * kMostRow;
    struct Shared {
        Real first[kMostWords], second[kMostWords];
    };

    int p;
    const Real* of_axis[2];  ///< matrices of axes 0 and 1: a row for each output
    const Real* wide;        ///< matrix of axis 2: a row for each input

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared, const Real* from, Real* to) const {
        constexpr int kLanes = kWideLanes<Real>;
        const int stride = whole_lanes<Real>(p), row = stride / kLanes;
        const auto n_vectors = static_cast<std::uint32_t>(p * row);
        for (int i = 0; i < p; ++i) {
            block.sync();
            for (std::uint32_t v = block.rank; v < n_vectors; v += block.size) {
                Wide<Real> sum(Real(0));
                for (int a = 0; a < p; ++a)
                    sum = sum + Wide<Real>(of_axis[0][i * p + a]) *
                                    load_wide(from + a * p * stride + v * kLanes);
                store_wide(shared.first + v * kLanes, sum);
            }
            block.sync();
            for (std::uint32_t v = block.rank; v < n_vectors; v += block.size) {
                int j = static_cast<int>(v) / row, k = static_cast<int>(v) % row * kLanes;
                Wide<Real> sum(Real(0));
                for (int b = 0; b < p; ++b)
                    sum = sum + Wide<Real>(of_axis[1][j * p + b]) *
                                    load_wide(shared.first + b * stride + k);
                store_wide(shared.second + v * kLanes, sum);
            }
            block.sync();
            for (std::uint32_t v = block.rank; v < n_vectors; v += block.size) {
                int j = static_cast<int>(v) / row, k = static_cast<int>(v) % row * kLanes;
                Real* out = to + i * p * stride + v * kLanes;
                Wide<Real> sum = load_wide(out);
                for (int c = 0; c < p; ++c)
                    sum = sum + Wide<Real>(shared.second[j * stride + c]) *
                                    load_wide(wide + c * stride + k);
                store_wide(out, sum);
            }
        }
    }
};

/// M2M, a block for each family of a level.
template <class Real>
struct ParentStrengths {
    static constexpr int kThreads = 128;
    using Shared = typename LatticeTransfer<Real>::Shared;

    LatticeTables<Real> tables;
    View<const SumNode> nodes;
    View<const std::uint32_t> families;
    std::uint32_t first_family;
    View<Real> strengths;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t parent = families[first_family + block.index];
        std::size_t words = lattice_words<Real>(tables.size.p);
        const SumNode& node = nodes[parent];
        for (int o = 0; o < 8; ++o) {
            if (!(node.source_children >> o & 1)) continue;
            LatticeTransfer<Real> transfer{
                tables.size.p, {tables.up[o & 1], tables.up[o >> 1 & 1]}, tables.up_wide[o >> 2]};
            transfer(block, shared, &strengths[node.child(o) * words], &strengths[parent * words]);
        }
    }
};

/// L2L, a block for each node of a level.
template <class Real>
struct ChildFields {
    static constexpr int kThreads = 128;
    using Shared = typename LatticeTransfer<Real>::Shared;

    LatticeTables<Real> tables;
    View<const SumNode> nodes;
    std::uint32_t first;
    View<Real> fields;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        const SumNode& node = nodes[first + block.index];
        if (node.n_targets() == 0) return;
        std::size_t words = lattice_words<Real>(tables.size.p);
        int o = node.octant();
        LatticeTransfer<Real> transfer{
            tables.size.p, {tables.down[o & 1], tables.down[o >> 1 & 1]}, tables.down_wide[o >> 2]};
        transfer(block, shared, &fields[node.parent * words],
                 &fields[(first + block.index) * words]);
    }
};

/// L2P, a block for each leaf, a thread for each target.
template <class Real, bool gradient>
struct LeafSums {
    static constexpr int kThreads = 64;
    using Shared = NoShared;

    SumFrame frame;
    LatticeTables<Real> tables;
    View<const SumNode> nodes;
    View<const SumPoint<Real>> targets;
    View<const Real> fields;
    View<Real> sums;

    TL_D void operator()(const Block<kThreads>& block, Shared&) const {
        const SumNode& node = nodes[block.index];
        if (!node.is_leaf() || node.level < 2) return;
        LatticePlace<Real> place(frame, node, tables.size);
        const Real* field = &fields[block.index * lattice_words<Real>(tables.size.p)];
        for (std::uint32_t t = node.target_begin + block.rank; t < node.target_end; t += block.size)
            add(place, field, t);
    }
    TL_D void add(const LatticePlace<Real>& place, const Real* field, std::uint32_t t) const {
        constexpr int kLanes = kWideLanes<Real>;
        const int p = tables.size.p, stride = whole_lanes<Real>(p);
        Real value[3][kMostRow], slope[3][gradient ? kMostRow : 1];
        SumPoint<Real> point = targets[t];
        Real at[3] = {point.x, point.y, point.z};
        for (int axis = 0; axis < 3; ++axis)
            lattice_weights<Real>(p, tables.factors, place.index(axis, at[axis]), value[axis],
                                  gradient ? slope[axis] : nullptr);
        Wide<Real> all(Real(0)), along[3] = {all, all, all};
        for (int i = 0; i < p; ++i) {
            // Sums over axes 1 and 2: values, and derivatives along each.
            Wide<Real> plane(Real(0)), plane_1(Real(0)), plane_2(Real(0));
            for (int j = 0; j < p; ++j) {
                const Real* row = field + (i * p + j) * stride;
                Wide<Real> line(Real(0)), line_2(Real(0));
                for (int k = 0; k < stride; k += kLanes) {
                    Wide<Real> of_row = load_wide(row + k);
                    line = line + of_row * load_wide(value[2] + k);
                    if constexpr (gradient) line_2 = line_2 + of_row * load_wide(slope[2] + k);
                }
                plane = plane + Wide<Real>(value[1][j]) * line;
                if constexpr (gradient) {
                    plane_1 = plane_1 + Wide<Real>(slope[1][j]) * line;
                    plane_2 = plane_2 + Wide<Real>(value[1][j]) * line_2;
                }
            }
            all = all + Wide<Real>(value[0][i]) * plane;
            if constexpr (gradient) {
                along[0] = along[0] + Wide<Real>(slope[0][i]) * plane;
                along[1] = along[1] + Wide<Real>(value[0][i]) * plane_1;
                along[2] = along[2] + Wide<Real>(value[0][i]) * plane_2;
            }
        }
        Real* out = &sums[std::size_t(gradient ? 4 : 1) * t];
        out[0] += sum_of_lanes(all);
        if constexpr (gradient)
            for (int axis = 0; axis < 3; ++axis)
                out[1 + axis] += sum_of_lanes(along[axis]) / place.step;
    }
};

/// Tables on the host, in double precision, before they are uploaded together.
template <class Real>
class TableWriter {
  public:
    /// Adds rows x cols numbers, rows padded to `stride`; returns where they begin.
    template <class At>
    std::size_t add(int rows, int cols, int stride, At&& at) {
        std::size_t begin = words_.size();
        words_.resize(begin + static_cast<std::size_t>(rows) * stride);
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c)
                words_[begin + static_cast<std::size_t>(r) * stride + c] =
                    static_cast<Real>(at(r, c));
        return begin;
    }
    [[nodiscard]] std::span<const Real> words() const { return words_; }

  private:
    std::vector<Real> words_;
};

}  // namespace pairs

template <class Real>
LatticeTables<Real> make_lattice_tables(Stream& stream, int p, DeviceArray<Real>& memory) {
    LatticeTables<Real> tables{};
    tables.size = {p};
    const int m = tables.size.m(), wide_p = pairs::whole_lanes<Real>(p),
              wide_m = pairs::whole_lanes<Real>(m);
    std::vector<double> factors(p, 1.0);
    for (int i = 0; i < p; ++i)
        for (int j = 0; j < p; ++j)
            if (j != i) factors[i] /= i - j;
    // Index, among the parent's points, of point a of a child: see LatticePlace::index().
    auto polynomial = [&](int i, int half, int a) {
        double u = 0.5 * half * tables.size.steps() + 0.5 * a + 0.25 * tables.size.overhang();
        double value = factors[i];
        for (int j = 0; j < p; ++j)
            if (j != i) value *= u - j;
        return value;
    };
    auto angle = [&](int f, int b) { return 2 * std::numbers::pi * (f * b % m) / m; };
    auto cosine = [&](int f, int b) { return std::cos(angle(f, b)); };
    auto sine = [&](int f, int b) { return std::sin(angle(f, b)); };
    auto turned = [](auto at) { return [at](int r, int c) { return at(c, r); }; };
    pairs::TableWriter<Real> writer;
    std::vector<std::pair<const Real**, std::size_t>> places;
    auto add = [&](const Real*& table, int rows, int cols, int stride, auto&& at) {
        places.emplace_back(&table, writer.add(rows, cols, stride, at));
    };
    add(tables.factors, 1, p, p, [&](int, int i) { return factors[i]; });
    for (int half = 0; half < 2; ++half) {
        auto at = [&](int i, int a) { return polynomial(i, half, a); };
        add(tables.up[half], p, p, p, at);
        add(tables.up_wide[half], p, p, wide_p, turned(at));
        add(tables.down[half], p, p, p, turned(at));
        add(tables.down_wide[half], p, p, wide_p, at);
    }
    add(tables.cosines, m, p, p, cosine);
    add(tables.sines, m, p, p, sine);
    add(tables.cosines_wide, p, m, wide_m, turned(cosine));
    add(tables.sines_wide, p, m, wide_m, turned(sine));
    add(tables.cosines_back, m, p, wide_p, cosine);
    add(tables.sines_back, m, p, wide_p, sine);
    memory.assign(stream, writer.words());
    for (auto& [table, begin] : places) *table = memory.data() + begin;
    return tables;
}

template <class Real>
void sum_strengths_upward(Stream& stream, const SumFrame& frame, const SumTree& tree,
                          const LatticeTables<Real>& tables, View<const SumPoint<Real>> sources,
                          View<Real> strengths) {
    stream.device().fill_zero(stream, strengths.data, strengths.size * sizeof(Real));
    pairs::LeafStrengths<Real> leaves{frame, tables, tree.nodes.view(), sources, strengths};
    launch_blocks<leaves.kThreads>(stream, "strengths of leaves", tree.n_nodes(), leaves);
    for (int level = tree.n_levels() - 2; level >= 2; --level) {
        pairs::ParentStrengths<Real> parents{tables, tree.nodes.view(), tree.families.view(),
                                             tree.family_begin[level], strengths};
        launch_blocks<parents.kThreads>(stream, "strengths of parents", tree.n_families(level),
                                        parents);
    }
}

template <class Real>
void add_fields_downward(Stream& stream, const SumFrame& frame, const SumTree& tree,
                         const LatticeTables<Real>& tables, View<const SumPoint<Real>> targets,
                         View<Real> fields, View<Real> sums, bool gradient) {
    for (int level = 3; level < tree.n_levels(); ++level) {
        pairs::ChildFields<Real> children{tables, tree.nodes.view(), tree.level_begin[level],
                                          fields};
        launch_blocks<children.kThreads>(stream, "fields of children", tree.level_size(level),
                                         children);
    }
    auto leaves = [&]<bool kGradient>() {
        pairs::LeafSums<Real, kGradient> pass{frame,   tables, tree.nodes.view(),
                                              targets, fields, sums};
        launch_blocks<pass.kThreads>(stream, "sums of leaves", tree.n_nodes(), pass);
    };
    if (gradient)
        leaves.template operator()<true>();
    else
        leaves.template operator()<false>();
}

#define TL_LATTICE_INSTANCES(Real)                                                             \
    template LatticeTables<Real> make_lattice_tables(Stream&, int, DeviceArray<Real>&);        \
    template void sum_strengths_upward(Stream&, const SumFrame&, const SumTree&,               \
                                       const LatticeTables<Real>&, View<const SumPoint<Real>>, \
                                       View<Real>);                                            \
    template void add_fields_downward(Stream&, const SumFrame&, const SumTree&,                \
                                      const LatticeTables<Real>&, View<const SumPoint<Real>>,  \
                                      View<Real>, View<Real>, bool);
TL_LATTICE_INSTANCES(float)
TL_LATTICE_INSTANCES(double)
#undef TL_LATTICE_INSTANCES

TL_DEVICE_END
